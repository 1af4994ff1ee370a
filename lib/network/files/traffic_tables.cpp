#include <tailbound/core/choice.hpp>
#include <tailbound/network/demands/failures.hpp>
#include <tailbound/network/demands/uniform_traffic.hpp>
#include <tailbound/network/files/traffic_tables.hpp>
#include <tailbound/network/reading/node_names.hpp>

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

namespace tailbound::network {
namespace {

using Nodes = std::vector<std::uint32_t>;

const TomlValues::Keys keys{"name",   "route", "uniform",   "from",    "to",
                            "groups", "hot",   "hot_share", "gravity", "permutation",
                            "rate",   "shift", "seed",      "pairs",   "matrix"};

/// Reads one table after the other.
class TrafficReader {
 public:
  TrafficReader(TomlValues& values, const Network& network,
                const std::unordered_map<std::string, std::size_t>& node_of, RouteRules& rules)
      : values_(values),
        network_(network),
        node_of_(node_of),
        rules_(rules),
        linked_(linked_nodes(network)),
        ends_(linked_ends(network, linked_)) {}

  void read(const toml::table& table);
  [[nodiscard]] TrafficTables take() { return std::move(result_); }

 private:
  void only(const toml::table& table, const char* kind, const TomlValues::Keys& legal) const;
  [[nodiscard]] Nodes nodes(const toml::node& node) const;
  [[nodiscard]] Nodes nodes_or_ends(const toml::table& table, const char* key) const;
  [[nodiscard]] ProductDemand uniform(const toml::table& table);
  [[nodiscard]] ProductDemand gravity(const toml::table& table);
  [[nodiscard]] SparseDemand permutation(const toml::table& table);
  [[nodiscard]] ProductDemand product(const toml::table& table, std::vector<Party> parties) const;
  void set_groups(const toml::table& table, std::vector<Party>& parties) const;
  void set_hot(const toml::table& table, std::vector<Party>& parties);

  TomlValues& values_;
  const Network& network_;
  const std::unordered_map<std::string, std::size_t>& node_of_;
  RouteRules& rules_;
  std::vector<bool> linked_;  ///< a node whose links have all failed neither sends nor receives
  Nodes ends_;
  TrafficTables result_;
  std::unordered_set<std::string> names_;
};

/// Rejects keys of other kinds of traffic.
void TrafficReader::only(const toml::table& table, const char* kind, const TomlValues::Keys& legal) const {
  for (const auto& [key, value] : table)
    if (std::find(legal.begin(), legal.end(), key.str()) == legal.end() && key.str() != "name" &&
        key.str() != "route" && key.str() != kind)
      values_.fail(begin_of(key.source()),
                   "traffic of kind " + in_quotes(kind) + " has no key " + in_quotes(key.str()));
}

/// A string is a list of names with ranges; a list contains names as they are.
Nodes TrafficReader::nodes(const toml::node& node) const {
  const Place place = begin_of(node);
  std::vector<std::string> names;
  if (node.is_string()) {
    names = values_.at_place(place,
                             [&] { return expand_names(*node.value<std::string>(), network_.nodes.size()); });
  } else {
    if (!node.is_array())
      values_.fail(place, "nodes must be a string such as \"h[0..7]\", or a list of names");
    for (const toml::node& entry : *node.as_array()) names.push_back(values_.text(entry, "a node"));
  }
  Nodes result;
  std::unordered_set<std::uint32_t> met;
  for (const std::string& name : names) {
    const auto found = node_of_.find(name);
    if (found == node_of_.end())
      values_.fail(place, "the node " + in_quotes(name) + " is not among the hosts and switches");
    const auto position = static_cast<std::uint32_t>(found->second);
    if (!met.insert(position).second) values_.fail(place, "the node " + in_quotes(name) + " is listed twice");
    if (linked_[position]) result.push_back(position);
  }
  return result;
}

Nodes TrafficReader::nodes_or_ends(const toml::table& table, const char* key) const {
  const toml::node* given = table.get(key);
  return given == nullptr ? ends_ : nodes(*given);
}

/// Blocks of the given number of sending nodes, in the order of the file.
void TrafficReader::set_groups(const toml::table& table, std::vector<Party>& parties) const {
  const auto size = static_cast<std::uint32_t>(values_.whole(
      table, "groups", 0, 2, static_cast<std::int64_t>(network_.nodes.size()), "the size of groups"));
  if (size == 0) return;
  std::vector<std::uint32_t> group(network_.nodes.size(), 0);
  std::uint32_t position = 0;
  for (const std::size_t node : ends_of(network_)) group[node] = position++ / size;
  for (Party& party : parties) party.group = group[party.node];
}

void TrafficReader::set_hot(const toml::table& table, std::vector<Party>& parties) {
  const toml::node* given = table.get("hot");
  if (given == nullptr) {
    if (const toml::node* share = table.get("hot_share"))
      values_.fail(begin_of(*share), "traffic has \"hot_share\" but no \"hot\"; give both");
    return;
  }
  if (const toml::node* groups = table.get("groups"))
    values_.fail(begin_of(*groups), "traffic has both \"groups\" and \"hot\"; give one of them");
  const toml::node& share = values_.need(table, "hot_share", "traffic with \"hot\"");
  const Nodes hot = nodes(*given);
  std::vector<bool> is_hot(network_.nodes.size(), false);
  for (const std::uint32_t node : hot) is_hot[node] = true;
  const auto receives = [](const Party& party) { return party.attracts > 0; };
  const auto receivers = static_cast<std::size_t>(std::count_if(parties.begin(), parties.end(), receives));
  const auto hot_receivers =
      static_cast<std::size_t>(std::count_if(parties.begin(), parties.end(), [&](const Party& party) {
        return receives(party) && is_hot[party.node];
      }));
  if (hot_receivers != hot.size())
    values_.fail(begin_of(*given), "a node in \"hot\" receives no traffic; list only receivers");
  const Rational attraction = values_.at_place(begin_of(share), [&] {
    return hot_attraction(values_.number(share, "the share of the hot spot"), hot.size(), receivers);
  });
  for (Party& party : parties)
    if (is_hot[party.node]) party.attracts = attraction;
}

ProductDemand TrafficReader::product(const toml::table& table, std::vector<Party> parties) const {
  return values_.at_place(begin_of(table), [&] { return product_demand(network_.nodes.size(), parties); });
}

ProductDemand TrafficReader::uniform(const toml::table& table) {
  only(table, "uniform", {"from", "to", "groups", "hot", "hot_share"});
  const Rational rate = values_.rate(*table.get("uniform"), "the rate of uniform traffic");
  std::vector<Party> of(network_.nodes.size());
  for (const std::uint32_t node : nodes_or_ends(table, "from")) of[node].sends = rate;
  for (const std::uint32_t node : nodes_or_ends(table, "to")) of[node].attracts = 1;
  std::vector<Party> parties;
  for (std::uint32_t node = 0; node < of.size(); ++node) {
    if (of[node].sends == 0 && of[node].attracts == 0) continue;
    parties.push_back(of[node]);
    parties.back().node = node;
  }
  set_groups(table, parties);
  set_hot(table, parties);
  return product(table, std::move(parties));
}

/// A list of [nodes, rate of each, attraction of each].
ProductDemand TrafficReader::gravity(const toml::table& table) {
  only(table, "gravity", {"groups"});
  const toml::node& list = *table.get("gravity");
  const char* how =
      "\"gravity\" must be a list such as [[\"h[0..7]\", 0.3, 1], [\"h[8..9]\", 0.6, 2]]: nodes, packets per "
      "slot that each sends, attraction of each";
  if (!list.is_array()) values_.fail(begin_of(list), how);
  std::vector<Party> parties;
  for (const toml::node& entry : *list.as_array()) {
    const toml::array* parts = entry.as_array();
    if (parts == nullptr || parts->size() != 3) values_.fail(begin_of(entry), how);
    const toml::node &rate = *parts->get(1), &attraction = *parts->get(2);
    Party party;
    party.sends = values_.rates().read(values_.digits(rate, "a rate"), begin_of(rate), "a rate");
    party.attracts = values_.rates().read_attraction(values_.digits(attraction, "an attraction"),
                                                     begin_of(attraction), "an attraction");
    for (const std::uint32_t node : nodes(*parts->get(0))) {
      party.node = node;
      parties.push_back(party);
      if (parties.size() > network_.nodes.size()) values_.fail(begin_of(entry), "a node is listed twice");
    }
  }
  set_groups(table, parties);
  return product(table, std::move(parties));
}

SparseDemand TrafficReader::permutation(const toml::table& table) {
  only(table, "permutation", {"from", "rate", "shift", "seed"});
  static const std::vector<std::pair<std::string, Permutation>> kinds{
      {"shift", Permutation::shift},
      {"reverse", Permutation::reverse},
      {"transpose", Permutation::transpose},
      {"bit-reverse", Permutation::bit_reverse},
      {"random", Permutation::random}};
  const toml::node& given = *table.get("permutation");
  const std::string name = values_.text(given, "\"permutation\"");
  const auto kind =
      std::find_if(kinds.begin(), kinds.end(), [&](const auto& each) { return each.first == name; });
  if (kind == kinds.end())
    values_.fail(begin_of(given), "\"permutation\" must be shift, reverse, transpose, bit-reverse or random");
  std::uint64_t by = 1;
  for (const auto& [key, its] : {std::pair{"shift", Permutation::shift}, {"seed", Permutation::random}}) {
    if (kind->second == its)
      by = static_cast<std::uint64_t>(values_.whole(table, key, 1, 0, 1'000'000'000, in_quotes(key).c_str()));
    else if (const toml::node* other = table.get(key))
      values_.fail(begin_of(*other),
                   in_quotes(key) + " does not apply to the permutation " + in_quotes(name));
  }
  const Rational rate =
      values_.rate(values_.need(table, "rate", "a permutation"), "the rate of a permutation");
  const Nodes nodes = nodes_or_ends(table, "from");
  return values_.at_place(begin_of(given), [&] { return permutation_demand(nodes, rate, kind->second, by); });
}

void TrafficReader::read(const toml::table& table) {
  values_.check_keys(table, "traffic", keys);
  std::vector<const char*> kinds;
  for (const char* kind : {"uniform", "gravity", "permutation", "pairs", "matrix"})
    if (table.contains(kind)) kinds.push_back(kind);
  if (kinds.size() != 1)
    values_.fail(begin_of(table),
                 "traffic must have exactly one of uniform, gravity, permutation, pairs and matrix");
  const std::string of = kinds.front();
  Demand demand;
  if (const toml::node* name = table.get("name")) demand.name = values_.name(*name, "the name of traffic");
  if (!names_.insert(demand.name).second)
    values_.fail(begin_of(table), "two tables of traffic " +
                                      (demand.name.empty() ? "have no \"name\"" : in_quotes(demand.name)) +
                                      "; give them different names");
  const toml::node* route = table.get("route");
  demand.route = route != nullptr ? rules_.read(*route) : rules_.usual();
  if (of == "matrix") {
    only(table, "matrix", {});
    if (result_.matrix || !demand.name.empty())
      values_.fail(begin_of(table), "a matrix may be given once, without a name");
    result_.matrix = matrix_reference(values_, *table.get("matrix"), demand.route, "matrix");
    return;
  }
  if (of == "pairs") {
    only(table, "pairs", {});
    result_.pairs.push_back({matrix_reference(values_, *table.get("pairs"), demand.route, "pairs").file,
                             demand.name, demand.route});
    return;
  }
  if (of == "uniform")
    demand.rates = uniform(table);
  else if (of == "gravity")
    demand.rates = gravity(table);
  else
    demand.rates = permutation(table);
  if (knows_groups(demand.route))
    values_.at_place(begin_of(*table.get("route")),
                     [&] { require_in_groups(network_, rules_.groups(), demand); });
  result_.demands.push_back(std::move(demand));
}

}  // namespace

bool is_plain(const toml::node& traffic) {
  const toml::table* table = traffic.as_table();
  if (table == nullptr) return false;
  return std::none_of(keys.begin(), keys.end(), [&](std::string_view key) {
    return key != "matrix" && key != "uniform" && key != "route" && table->contains(key);
  });
}

RouteRule RouteRules::read(const toml::node& node) {
  const auto* rule = node.as_string();
  for (const RouteRule plain : {RouteRule::shortest, RouteRule::spread, RouteRule::ecmp})
    if (rule != nullptr && rule->get() == name_of(plain)) return plain;
  for (const RouteRule grouped : {RouteRule::minimal, RouteRule::valiant}) {
    if (rule == nullptr || rule->get() != name_of(grouped)) continue;
    if (!groups_ || grouped == RouteRule::valiant)
      groups_ = values_.at_place(begin_of(node), [&] { return switch_groups(network_, grouped); });
    return grouped;
  }
  values_.fail(begin_of(node),
               "the route must be \"shortest\", \"spread\", \"ecmp\", \"minimal\", \"valiant\" or, for a "
               "flow, a list of "
               "nodes");
}

MatrixReference matrix_reference(const TomlValues& values, const toml::node& file, RouteRule rule,
                                 const char* key) {
  MatrixReference reference{values.text(file, in_quotes(key)), rule};
  if (reference.file.empty() || reference.file.find('\0') != std::string::npos)
    values.fail(begin_of(file), in_quotes(key) + " must be the name of a CSV file");
  return reference;
}

TrafficTables read_traffic_tables(TomlValues& values, const toml::node& traffic, const Network& network,
                                  const std::unordered_map<std::string, std::size_t>& node_of,
                                  RouteRules& rules) {
  constexpr const char* how = "\"traffic\" must be a table, [traffic], or a list of tables, [[traffic]]";
  TrafficReader reader(values, network, node_of, rules);
  if (const toml::table* table = traffic.as_table()) {
    reader.read(*table);
    return reader.take();
  }
  const toml::array* list = traffic.as_array();
  if (list == nullptr) values.fail(begin_of(traffic), how);
  if (list->size() > 1000) values.fail(begin_of(traffic), "more than 1000 [[traffic]] tables, the limit");
  for (const toml::node& entry : *list) {
    if (!entry.is_table()) values.fail(begin_of(entry), how);
    reader.read(*entry.as_table());
  }
  return reader.take();
}

}  // namespace tailbound::network
