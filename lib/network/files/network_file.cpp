#include <tailbound/core/trimmed.hpp>
#include <tailbound/network/demands/failures.hpp>
#include <tailbound/network/demands/uniform_traffic.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tailbound/network/files/traffic_tables.hpp>
#include <tailbound/network/policed/policed_keys.hpp>
#include <tailbound/network/reading/node_names.hpp>
#include <tailbound/network/reading/toml_values.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/numeric/text/quantity.hpp>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace tailbound::network {
namespace {

constexpr std::size_t max_nodes_read = 200'000;
constexpr std::size_t max_links = 2'000'000;
/// A number followed by a unit.
bool is_speed(const std::string& text) {
  // It ends in a unit; a number may contain letters (2.5e-1).
  const std::string_view its = trimmed(text);
  return !its.empty() && (static_cast<unsigned char>(its.back()) >= 0x80 ||
                          std::isalpha(static_cast<unsigned char>(its.back())) != 0);
}

constexpr std::size_t max_range_steps = 4'000'000;  ///< of the ranges of all links

class Reader : TomlValues {
 public:
  Reader(std::string_view toml, const std::string& name, FileUse use, FlowsFrom flows,
         std::optional<std::uint64_t> route_seed = {})
      : TomlValues(toml, name),
        worms_(use == FileUse::worms),
        flows_(flows),
        route_seed_(route_seed),
        rules_(*this, network_, default_route_of(use)) {
    TomlValues& values = *this;
    if (use == FileUse::policed) policed_.emplace(values);
  }

  [[nodiscard]] NetworkFile read(std::span<const std::string> without);
  [[nodiscard]] FabricFile read_fabric(std::span<const std::string> without);
  [[nodiscard]] PolicedFile read_policed();

 private:
  void read_nodes(const toml::table& root, const char* key, bool host);
  [[nodiscard]] std::size_t node_called(const std::string& label, Place place) const;
  [[nodiscard]] std::size_t node(const toml::node& node) const;
  [[nodiscard]] std::vector<std::size_t> nodes(const toml::node& node) const;
  void read_groups(const toml::node& given);
  void read_link(const toml::table& table);
  void read_rate(const toml::table& table, Link& link);
  [[nodiscard]] std::size_t link_between(std::size_t from, std::size_t to, const Flow& flow,
                                         std::int64_t requested, Place place) const;
  void settle_speeds(const toml::table& root);
  void number_wires();
  void add_link(const Link& link, bool backward, bool first_wire, Place place);
  void add_links(Link link, bool both, Place place);
  void read_pattern(const toml::table& table, Link link, bool both);
  void read_memory(const toml::node& node);
  void read_failures(const toml::table& root, std::span<const std::string> without);
  [[nodiscard]] toml::table read_network(std::span<const std::string> without);

  void read_flow(const toml::table& table);
  [[nodiscard]] std::optional<traffic::Burst> read_burst(const toml::table& table, const Rational& rate,
                                                         const std::string& what);
  void read_route(const toml::table& table, Flow& flow, const std::string& what);
  [[nodiscard]] Route read_path(const toml::node& path, const Flow& flow, bool loops);
  void check_path(const std::vector<std::size_t>& stops, const std::vector<Place>& places, bool loops) const;
  [[nodiscard]] std::vector<Route> read_routes(const toml::node& routes, const Flow& flow, bool loops,
                                               const std::string& what);
  void read_classes(const toml::table& table, Route& route, const std::string& what);
  void add_uniform_flows(const toml::node& uniform, RouteRule rule);
  void add_uniform_worms(const toml::node& uniform, RouteRule rule,
                         std::optional<std::size_t> message_class = {});
  void read_message_class(const toml::table& table);
  [[nodiscard]] std::size_t message_class(const toml::node& name) const;
  [[nodiscard]] std::vector<std::size_t> read_destinations(const toml::table& table) const;
  void read_tree(const toml::table& table, const Flow& flow, const std::vector<std::size_t>& destinations,
                 const std::string& what);
  void find_missing_routes();
  void read_traffic(const toml::node& node, NetworkFile& result);
  void read_demands(const toml::node& node, NetworkFile& result);
  [[nodiscard]] std::optional<RouteRule> common_route(const toml::table& root);
  [[nodiscard]] RouteRule traffic_route(const toml::table& root) {
    return common_route(root).value_or(rules_.usual());
  }
  void check_sent(Place place) const;
  [[nodiscard]] std::vector<Demand> listed_demands() const;

  static std::uint64_t pair(std::size_t from, std::size_t to) {
    return (static_cast<std::uint64_t>(from) << 32) | to;
  }

  bool worms_;
  FlowsFrom flows_;
  std::optional<std::uint64_t> route_seed_;  ///< in place of that of the file
  bool has_classes_ = false;                 ///< of virtual channels
  Network network_;
  std::unordered_map<std::string, std::size_t> node_of_;
  std::unordered_map<std::uint64_t, std::size_t> link_of_;  ///< the first of a bundle
  std::vector<bool> backward_;  ///< per link: the reverse of one listed with both = true
  int wires_ = 1;               ///< of the current [[link]]
  bool has_bundles_ = false;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> wires_of_;  ///< of bundles
  std::vector<std::uint32_t> table_;  ///< per link: the index of its [[link]]
  std::uint32_t tables_ = 0;          ///< number read so far
  std::unordered_set<std::string> flow_names_;
  std::map<std::optional<std::size_t>, std::unordered_set<std::uint64_t>> flow_pairs_;  ///< [message class]
  std::vector<ClassMatrix> class_matrices_;
  struct Speed {
    std::size_t link;
    Rational gbps;
    Place place;
  };
  std::optional<Rational> speed_{};  ///< of the current [[link]]
  Place speed_place_{};
  std::vector<Speed> speeds_;
  std::optional<Place> first_without_rate_{}, first_in_packets_{};  ///< of [[link]]
  std::size_t route_count_ = 0, range_steps_ = 0;
  RouteRules rules_;
  std::optional<PolicedKeys> policed_;
  PolicedPort port_;                ///< of the current [[link]]
  std::vector<PolicedPort> ports_;  ///< per link
  std::vector<PolicedFlow> policed_flows_;
  std::vector<Place> policed_places_;         ///< of these
  std::vector<std::size_t> policed_flow_of_;  ///< of each flow of `network_`: one for each destination

  /// Flows that still need routes.
  struct Wanted {
    std::size_t flow;
    Place place;
  };
  std::vector<Wanted> wanted_;
  std::vector<Demand> demands_;
  std::vector<RouteRequest> requests_;
};

// --- Nodes and links -----------------------------------------------------------------------------------

void Reader::read_nodes(const toml::table& root, const char* key, bool host) {
  const toml::node* list = root.get(key);
  if (list == nullptr) return;
  const auto add = [&](std::string label, Place place) {
    if (!node_of_.emplace(label, network_.nodes.size()).second)
      fail(place, "the node " + in_quotes(label) + " is listed twice");
    if (network_.nodes.size() == max_nodes_read) fail(place, "more than 200000 nodes, the limit");
    network_.nodes.push_back({.name = std::move(label), .host = host});
  };
  if (list->is_string()) {
    const Place place = begin_of(*list);
    const std::string names = text(*list, in_quotes(key));
    if (!is_printable(names)) fail(place, in_quotes(key) + " has control characters");
    for (std::string& label :
         at_place(place, [&] { return expand_names(names, max_nodes_read - network_.nodes.size()); }))
      add(std::move(label), place);
    return;
  }
  if (!list->is_array())
    fail(begin_of(*list), in_quotes(key) +
                              " must be a list of names such as [\"a\", \"b\"], or a string such as "
                              "\"h[0..7]\"");
  for (const toml::node& entry : *list->as_array()) add(name(entry, "the name of a node"), begin_of(entry));
}

std::size_t Reader::node_called(const std::string& label, Place place) const {
  const auto found = node_of_.find(label);
  if (found == node_of_.end())
    fail(place, "the node " + in_quotes(label) + " is not among the hosts and switches");
  return found->second;
}

std::size_t Reader::node(const toml::node& node) const {
  return node_called(text(node, "a node"), begin_of(node));
}

std::vector<std::size_t> Reader::nodes(const toml::node& names) const {
  if (!names.is_array()) return {node(names)};
  std::vector<std::size_t> result;
  for (const toml::node& entry : *names.as_array()) result.push_back(node(entry));
  return result;
}

/// Equally many switches per group in the order of the file, or listed group by group.
void Reader::read_groups(const toml::node& given) {
  const Place place = begin_of(given);
  constexpr const char* how =
      "\"groups\" must be the number of switches per group, a whole number above 0, or a list with the "
      "switches of each group, such as [\"s[0..3]\", \"s[4..7]\"]";
  if (const auto* size = given.as_integer()) {
    if (size->get() < 1) fail(place, how);
    std::int64_t switches = 0;
    for (Node& its : network_.nodes)
      if (!its.host) its.group = static_cast<std::uint32_t>(switches++ / size->get());
    return;
  }
  if (!given.is_array()) fail(place, how);
  std::uint32_t group = 0;
  for (const toml::node& list : *given.as_array()) {
    const Place where = begin_of(list);
    const auto add = [&](const std::string& label) {
      const auto found = node_of_.find(label);
      if (found == node_of_.end() || network_.nodes[found->second].host)
        fail(where, in_quotes(label) + " is not among the switches");
      Node& its = network_.nodes[found->second];
      if (its.group != Node::no_group) fail(where, "the switch " + in_quotes(label) + " is in two groups");
      its.group = group;
    };
    if (list.is_string())
      for (const std::string& label :
           at_place(where, [&] { return expand_names(text(list, how), max_nodes_read); }))
        add(label);
    else if (list.is_array())
      for (const toml::node& entry : *list.as_array()) add(text(entry, "a switch of a group"));
    else
      fail(where, how);
    ++group;
  }
}

void Reader::add_link(const Link& link, bool backward, bool first_wire, Place place) {
  const std::string label =
      in_quotes(network_.nodes[link.from].name) + " to " + in_quotes(network_.nodes[link.to].name);
  if (link.from == link.to) fail(place, "a link from " + label + " connects a node to itself");
  if (network_.links.size() == max_links) fail(place, "more than 2000000 links, the limit");
  const auto [first, is_new] = link_of_.try_emplace(pair(link.from, link.to), network_.links.size());
  if (!is_new) {
    if (worms_ || policed_) fail(place, "the link from " + label + " is listed twice");
    if (first_wire && table_[first->second] == tables_)
      fail(place, "the link from " + label + " is listed twice; for two parallel links write wires = 2");
    if (backward_[first->second] != backward)
      fail(place, "the link from " + label +
                      " is listed twice, once from each end; with both = true list it once. For two parallel "
                      "links write wires = 2");
    has_bundles_ = true;
  }
  backward_.push_back(backward);
  table_.push_back(tables_);
  if (speed_) speeds_.push_back({network_.links.size(), *speed_, speed_place_});
  network_.links.push_back(link);
  if (policed_) ports_.push_back(port_);
}

void Reader::add_links(Link link, bool both, Place place) {
  for (int wire = 0; wire < wires_; ++wire) add_link(link, false, wire == 0, place);
  if (!both) return;
  std::swap(link.from, link.to);
  for (int wire = 0; wire < wires_; ++wire) add_link(link, true, wire == 0, place);
}

void Reader::read_link(const toml::table& table) {
  const std::string what = "a [[link]]";
  Keys keys{"from", "to", "rate", "both", "weight", "each", "pairs"};
  if (!worms_ && !policed_) keys.emplace_back("wires");
  if (worms_) keys.insert(keys.end(), {"virtual_channels", "classes"});
  has_classes_ = has_classes_ || table.contains("classes");
  if (policed_) PolicedKeys::add_link_keys(keys);
  check_keys(table, what, keys);
  Link link;
  const auto count = [&](const char* key, int maximum, const char* its, const char* unit = "") {
    return static_cast<int>(whole(table, key, 1, 1, maximum, its, unit));
  };
  if (policed_)
    port_ = policed_->read_link(table);
  else if (worms_)
    link.rate.packets = count("rate", 32, "the rate of a link", " (parallel physical channels)");
  else
    read_rate(table, link);
  link.virtual_channels = count("virtual_channels", 16, "the virtual channels of a link");
  link.classes = count("classes", 16, "the classes of virtual channels of a link");
  link.weight = count("weight", 1'000'000, "the weight of a link");
  ++tables_;
  wires_ = count("wires", Network::max_wires, "the wires of a bundle");
  const bool both = yes(table, "both");
  if (table.contains("each") || table.contains("pairs")) return read_pattern(table, link, both);
  const auto from = nodes(need(table, "from", what)), to = nodes(need(table, "to", what));
  for (const std::size_t lower : from)
    for (const std::size_t upper : to) {
      link.from = lower;
      link.to = upper;
      add_links(link, both, begin_of(table));
    }
}

/// A number of packets per slot, or a speed, which settle_speeds() converts.
void Reader::read_rate(const toml::table& table, Link& link) {
  speed_.reset();
  const toml::node* given = table.get("rate");
  if (given == nullptr) {
    if (!first_without_rate_) first_without_rate_ = begin_of(table);
    return;
  }
  const Place place = begin_of(*given);
  speed_place_ = place;
  if (const auto* text = given->as_string(); text != nullptr && is_speed(text->get())) {
    speed_ = at_place(place, [&] {
      return numeric::parse_quantity(text->get(), "the rate of a link", numeric::Measure::gbps);
    });
    if (*speed_ <= 0) fail(place, "the rate of a link must be above 0");
    return;
  }
  if (!first_in_packets_) first_in_packets_ = place;
  link.rate = at_place(place, [&] {
    return LinkRate::of(numeric::parse_rational(digits(*given, "the rate of a link"), "the rate of a link"),
                        "the rate of a link");
  });
}

/// One packet per slot is the speed of the slowest link, or "gbps".
void Reader::settle_speeds(const toml::table& root) {
  if (const toml::node* given = root.get("gbps")) {
    network_.gbps = at_place(begin_of(*given), [&] {
      return numeric::parse_quantity(digits(*given, "\"gbps\""), "\"gbps\"", numeric::Measure::gbps);
    });
    if (*network_.gbps <= 0) fail(begin_of(*given), "\"gbps\" must be above 0");
  }
  if (speeds_.empty()) return;
  if (!network_.gbps) {
    constexpr const char* how = "; give all links a speed, or define one packet per slot with gbps = 25";
    if (first_without_rate_)
      fail(*first_without_rate_, std::string("a link has no rate, and other links have speeds") + how);
    if (first_in_packets_)
      fail(*first_in_packets_,
           std::string("a rate is in packets per slot, and other links have speeds") + how);
    network_.gbps = std::min_element(speeds_.begin(), speeds_.end(), [](const Speed& a, const Speed& b) {
                      return a.gbps < b.gbps;
                    })->gbps;
  }
  for (const Speed& speed : speeds_)
    network_.links[speed.link].rate = at_place(speed.place, [&] {
      return LinkRate::of(speed.gbps / *network_.gbps,
                          "the speed of a link over " + numeric::plain(*network_.gbps) + " Gbit/s");
    });
}

/// Links with patterns of variables as ends: of ranges, or i and j of a list of pairs.
void Reader::read_pattern(const toml::table& table, Link link, bool both) {
  const toml::node *each = table.get("each"), *pairs = table.get("pairs");
  if (each != nullptr && pairs != nullptr)
    fail(begin_of(*pairs), "a [[link]] has both \"each\" and \"pairs\"; give one of them");
  const Place place = begin_of(each != nullptr ? *each : *pairs);
  const std::optional<Ranges> ranges =
      each == nullptr ? std::nullopt
                      : at_place(place, [&] { return std::optional(Ranges(text(*each, "\"each\""))); });
  const std::vector<std::string> variables =
      ranges ? ranges->variables() : std::vector<std::string>{"i", "j"};
  const auto pattern = [&](const char* key) {
    const toml::node& its = need(table, key, "a [[link]]");
    return at_place(begin_of(its), [&] { return NamePattern(text(its, in_quotes(key)), variables); });
  };
  const NamePattern from = pattern("from"), to = pattern("to");
  const auto add = [&](std::span<const std::int64_t> values, Place where) {
    link.from = node_called(from.of(values), where);
    link.to = node_called(to.of(values), where);
    add_links(link, both, where);
  };
  if (ranges)
    return at_place(place, [&] {
      range_steps_ +=
          ranges->for_each(max_range_steps - range_steps_, [&](auto values) { add(values, place); });
    });
  const char* how =
      "\"pairs\" must be a list of pairs of whole numbers from 0 to 10^9, such as [[0, 1], [1, 2]]";
  if (!pairs->is_array()) fail(place, how);
  for (const toml::node& entry : *pairs->as_array()) {
    const toml::array* both_ends = entry.as_array();
    if (both_ends == nullptr || both_ends->size() != 2) fail(begin_of(entry), how);
    std::vector<std::int64_t> values;
    for (const toml::node& number : *both_ends) {
      const auto* its = number.as_integer();
      if (its == nullptr || its->get() < 0 || its->get() > 1'000'000'000) fail(begin_of(number), how);
      values.push_back(its->get());
    }
    at_place(begin_of(entry), [&] { add(values, begin_of(entry)); });
  }
}

/// Switches with one memory for all queues: true, "leaf[0..7], spine0" or a list of names.
void Reader::read_memory(const toml::node& node) {
  const auto share = [this](std::size_t its, Place place) {
    if (network_.nodes[its].host)
      fail(place, in_quotes(network_.nodes[its].name) + " is a host; only switches have a shared memory");
    network_.nodes[its].shared_memory = true;
  };
  const Place place = begin_of(node);
  if (node.is_boolean()) {
    for (Node& its : network_.nodes) its.shared_memory = !its.host && node.as_boolean()->get();
  } else if (node.is_string()) {
    for (const std::string& label : at_place(
             place, [&] { return expand_names(text(node, "\"shared_memory\""), network_.nodes.size()); }))
      share(node_called(label, place), place);
  } else if (node.is_array()) {
    for (const toml::node& entry : *node.as_array()) share(this->node(entry), begin_of(entry));
  } else {
    fail(place, "\"shared_memory\" must be true, a string such as \"leaf[0..7]\", or a list of names");
  }
}

void Reader::number_wires() {
  network_.number_wires();
  for (std::size_t link = 0; link < network_.links.size(); ++link)
    if (const Link& its = network_.links[link]; its.wire != 0)
      wires_of_[pair(its.from, its.to)].push_back(link);
}

/// The link of a path; in a bundle the requested link, or (0) the one of the flow.
std::size_t Reader::link_between(std::size_t from, std::size_t to, const Flow& flow, std::int64_t requested,
                                 Place place) const {
  const std::size_t first = link_of_.at(pair(from, to));
  const auto reject = [&](std::size_t wires) {
    fail(place, "the path takes link " + std::to_string(requested) + " from " +
                    in_quotes(network_.nodes[from].name) + " to " + in_quotes(network_.nodes[to].name) +
                    ", but there " + (wires == 1 ? "is 1" : "are " + std::to_string(wires)));
  };
  if (network_.links[first].wire == 0) {
    if (requested > 1) reject(1);
    return first;
  }
  const std::vector<std::size_t>& wires = wires_of_.at(pair(from, to));
  if (requested > std::ssize(wires)) reject(wires.size());
  return wires[requested > 0 ? static_cast<std::size_t>(requested - 1)
                             : wire_of_flow(flow.source, flow.destination, wires.size())];
}

/// Failures from the file, and from the caller.
void Reader::read_failures(const toml::table& root, std::span<const std::string> without) {
  std::vector<std::string> failed;
  Place place{1, 1};
  if (const toml::node* given = root.get("without")) {
    place = begin_of(*given);
    if (!given->is_array())
      fail(place, "\"without\" must be a list such as [\"s\", \"a -> b\", \"3 random\"]");
    for (const toml::node& entry : *given->as_array()) failed.push_back(text(entry, "what has failed"));
  }
  at_place(place, [&] { remove_failed(network_, failed); });
  remove_failed(network_, without);
  if (failed.empty() && without.empty()) return;
  link_of_.clear();
  for (std::size_t i = 0; i < network_.links.size(); ++i)
    link_of_.emplace(pair(network_.links[i].from, network_.links[i].to), i);
}

// --- Flows and routes ----------------------------------------------------------------------------------

void Reader::read_flow(const toml::table& table) {
  Keys keys{"name", "from", "to", "rate", "path", "routes", "loops"};
  if (worms_)
    keys.insert(keys.end(), {"classes", "class"});
  else if (policed_)
    PolicedKeys::add_flow_keys(keys);
  else
    keys.insert(keys.end(), {"burst", "on_rate", "class"});
  if (policed_) {
    for (const char* key : {"rate", "burst", "on_rate"})
      if (const toml::node* given = table.get(key))
        fail(begin_of(*given), "a flow has " + in_quotes(key) +
                                   ", which describes average traffic; a guarantee needs a \"bucket\" "
                                   "instead, such as { rate = 0.5, burst = 2 }");
    if (const toml::node* given = table.get("routes"))
      fail(begin_of(*given),
           "a flow has several routes; guarantees support one route per flow: give it a \"path\"");
    if (const toml::node* given = table.get("path");
        given != nullptr && given->is_string() && !has_one_route(rules_.read(*given)))
      fail(begin_of(*given),
           "a flow has path = " + in_quotes(given->as_string()->get()) +
               ", with several routes; guarantees support one route per flow: give the nodes of its path");
  }
  check_keys(table, "a [[flow]]", keys);
  Flow flow;
  flow.source = node(need(table, "from", "a [[flow]]"));
  const std::vector<std::size_t> destinations = read_destinations(table);
  flow.destination = destinations.front();
  if (const toml::node* given = table.get("class"); given != nullptr && worms_)
    flow.message_class = message_class(*given);
  flow.name = network_.flow_name(flow);
  for (auto other = destinations.begin() + 1; other != destinations.end(); ++other)
    flow.name += ", " + network_.nodes[*other].name;
  if (const toml::node* given = table.get("name")) flow.name = name(*given, "the name of a flow");
  const std::string what = "the flow " + in_quotes(flow.name);
  if (!flow_names_.insert(flow.name).second)
    fail(begin_of(table),
         "two flows are named " + in_quotes(flow.name) + "; give one of them another \"name\"");
  if (worms_ && !flow_pairs_[flow.message_class].insert(pair(flow.source, flow.destination)).second)
    fail(begin_of(table), "a second flow from " + in_quotes(network_.nodes[flow.source].name) + " to " +
                              in_quotes(network_.nodes[flow.destination].name) +
                              "; give one flow with the sum of their rates");
  if (policed_) {
    policed_flows_.push_back(policed_->read_flow(table, what));
    policed_flows_.back().name = flow.name;
    policed_places_.push_back(begin_of(table));
    if (destinations.size() > 1) return read_tree(table, flow, destinations, what);
  } else {
    const toml::node& rate = need(table, "rate", what);
    flow.rate = this->rate(rate, "the rate of " + what);
    flow.burst = read_burst(table, flow.rate / rates().send_limits()[flow.source], what);
    if (!worms_)
      flow.priority = static_cast<int>(
          whole(table, "class", 1, 1, Flow::max_classes, "the class of a flow", " (1 is served first)"));
    if (!flow.message_class) rates().send(flow, begin_of(rate), network_.nodes[flow.source].name);
  }
  read_route(table, flow, what);
  if (policed_) policed_flow_of_.push_back(policed_flows_.size() - 1);
  network_.flows.push_back(std::move(flow));
}

/// One node; for policed flows also several.
std::vector<std::size_t> Reader::read_destinations(const toml::table& table) const {
  const toml::node& given = need(table, "to", "a [[flow]]");
  if (!policed_) return {node(given)};
  std::vector<std::size_t> all;
  const auto add = [&](const toml::node& entry) {
    for (const std::string& name :
         at_place(begin_of(entry), [&] { return expand_names(text(entry, "a node"), max_nodes_read); })) {
      const std::size_t its = node_called(name, begin_of(entry));
      if (std::find(all.begin(), all.end(), its) != all.end())
        fail(begin_of(entry), "a flow has the destination " + in_quotes(name) + " twice");
      all.push_back(its);
    }
  };
  if (given.is_array())
    for (const toml::node& entry : *given.as_array()) add(entry);
  else
    add(given);
  if (all.empty()) fail(begin_of(given), "a flow has no destination: \"to\" is an empty list");
  return all;
}

/// A route to each destination: the shortest one, or "path", a list with a path for each.
void Reader::read_tree(const toml::table& table, const Flow& flow,
                       const std::vector<std::size_t>& destinations, const std::string& what) {
  const toml::node* path = table.get("path");
  const bool given = path != nullptr && path->is_array();
  if (yes(table, "loops"))
    fail(begin_of(table), what + " has loops = true and several destinations; its routes must be a tree");
  if (given && (path->as_array()->size() != destinations.size() || !path->as_array()->front().is_array()))
    fail(begin_of(*path),
         what + " has " + std::to_string(destinations.size()) +
             " destinations; its \"path\" must be a list with the path to each, in the same order");
  for (std::size_t i = 0; i < destinations.size(); ++i) {
    Flow one = flow;
    one.destination = destinations[i];
    if (one.destination == one.source) fail(begin_of(table), what + " leads from a node to itself");
    if (given)
      one.routes.push_back(read_path(*path->as_array()->get(i), one, false));
    else
      read_route(table, one, what);
    policed_flow_of_.push_back(policed_flows_.size() - 1);
    network_.flows.push_back(std::move(one));
  }
}

/// \param rate  of the flow, relative to the fastest link of its source
std::optional<traffic::Burst> Reader::read_burst(const toml::table& table, const Rational& rate,
                                                 const std::string& what) {
  const toml::node* slots = table.get("burst");
  const toml::node* on_rate = table.get("on_rate");
  if (slots == nullptr && on_rate != nullptr)
    fail(begin_of(*on_rate), what + " has \"on_rate\" but no \"burst\"; give both");
  if (slots == nullptr) return {};
  traffic::Burst burst;
  burst.slots =
      rates().read_burst(digits(*slots, "the burst of " + what), begin_of(*slots), "the burst of " + what);
  if (on_rate != nullptr) burst.on_rate = number(*on_rate, "the on-rate of " + what);
  try {
    (void)traffic::on_off(rate, burst);
  } catch (const InvalidArgument& error) {
    fail(begin_of(*slots), "the " + error.argument() + " of " + what + " is " + error.value() +
                               "; it must be " + error.legal());
  }
  return burst;
}

void Reader::read_route(const toml::table& table, Flow& flow, const std::string& what) {
  const bool loops = yes(table, "loops");
  const toml::node* path = table.get("path");
  const toml::node* routes = table.get("routes");
  if (flow.source == flow.destination && worms_)
    fail(begin_of(table), what + " leads from a node to itself; wormhole networks do not support this");
  if (flow.source == flow.destination && !loops)
    fail(begin_of(table), what + " leads from a node to itself; this needs loops = true and a \"path\"");
  if (path != nullptr && routes != nullptr)
    fail(begin_of(*routes), what + " has both \"path\" and \"routes\"; give one of them");
  if (loops && routes == nullptr && (path == nullptr || !path->is_array()))
    fail(begin_of(table), what + " has loops = true; its \"path\" must be a list of nodes");
  const toml::node* classes = table.get("classes");
  if (classes != nullptr && (path == nullptr || !path->is_array()))
    fail(begin_of(*classes), what + " has \"classes\"; its \"path\" must be a list of nodes");
  if (routes != nullptr) {
    flow.routes = read_routes(*routes, flow, loops, what);
  } else if (path != nullptr && path->is_array()) {
    flow.routes.push_back(read_path(*path, flow, loops));
    read_classes(table, flow.routes.back(), what);
  } else {
    // A listed flow has one path; only traffic that is given for hosts in total is spread by default.
    flow.rule = path == nullptr ? RouteRule::shortest : rules_.read(*path);
    requests_.push_back({flow.source, flow.destination, *flow.rule});
    wanted_.push_back({network_.flows.size(), begin_of(table)});
  }
}

/// One class for each link of the route, or none.
void Reader::read_classes(const toml::table& table, Route& route, const std::string& what) {
  const toml::node* classes = table.get("classes");
  if (classes == nullptr) return;
  has_classes_ = true;
  const std::string links = std::to_string(route.links.size());
  if (!classes->is_array() || classes->as_array()->size() != route.links.size())
    fail(begin_of(*classes), "the classes of " + what + " must be a list with one number for each of its " +
                                 links + (route.links.size() == 1 ? " link" : " links"));
  for (const toml::node& entry : *classes->as_array()) {
    const std::size_t link = route.links[route.classes.size()];
    const auto* whole = entry.as_integer();
    const int legal = network_.links[link].classes;
    if (whole == nullptr || whole->get() < 0 || whole->get() >= legal)
      fail(begin_of(entry), "the class on the link " + in_quotes(network_.link_name(link)) +
                                " must be a whole number from 0 to " + std::to_string(legal - 1) +
                                "; the number of classes of the link is " + std::to_string(legal));
    route.classes.push_back(static_cast<int>(whole->get()));
  }
}

Route Reader::read_path(const toml::node& path, const Flow& flow, bool loops) {
  if (!path.is_array()) fail(begin_of(path), "a path must be a list of nodes");
  std::vector<std::size_t> stops;
  std::vector<Place> places;
  std::vector<std::int64_t> wires;  // link by which each stop is reached; 0: not given
  for (const toml::node& entry : *path.as_array()) {
    if (const auto* wire = entry.as_integer()) {
      if (stops.empty() || wires.back() != 0 || wire->get() < 1 || wire->get() > Network::max_wires)
        fail(begin_of(entry),
             "a number in a path must be that of a parallel link, 1 or more, to the node before it");
      wires.back() = wire->get();
      continue;
    }
    stops.push_back(node(entry));
    places.push_back(begin_of(entry));
    wires.push_back(0);
  }
  // The ends may be written or omitted.
  if (stops.empty() || stops.front() != flow.source) {
    stops.insert(stops.begin(), flow.source);
    places.insert(places.begin(), begin_of(path));
    wires.insert(wires.begin(), 0);
  }
  if (stops.size() == 1 || stops.back() != flow.destination) {
    stops.push_back(flow.destination);
    places.push_back(begin_of(path));
    wires.push_back(0);
  }
  check_path(stops, places, loops);
  if (++route_count_ > max_routes) fail(begin_of(path), "more than 1000000 routes, the limit");
  Route route;
  for (std::size_t i = 0; i + 1 < stops.size(); ++i)
    route.links.push_back(link_between(stops[i], stops[i + 1], flow, wires[i + 1], places[i + 1]));
  return route;
}

void Reader::check_path(const std::vector<std::size_t>& stops, const std::vector<Place>& places,
                        bool loops) const {
  const auto label = [this](std::size_t stop) { return in_quotes(network_.nodes[stop].name); };
  std::unordered_set<std::size_t> nodes_met;
  std::unordered_set<std::uint64_t> links_met;
  for (std::size_t i = 0; i < stops.size(); ++i) {
    if (!nodes_met.insert(stops[i]).second && !loops)
      fail(places[i], "the path passes " + label(stops[i]) + " twice");
    if (i == 0) continue;
    if (link_of_.count(pair(stops[i - 1], stops[i])) == 0)
      fail(places[i], "the path needs a link from " + label(stops[i - 1]) + " to " + label(stops[i]) +
                          ", but the network has no such link");
    if (!links_met.insert(pair(stops[i - 1], stops[i])).second)
      fail(places[i],
           "the path takes the link from " + label(stops[i - 1]) + " to " + label(stops[i]) + " twice");
    if (i + 1 < stops.size() && network_.nodes[stops[i]].host)
      fail(places[i], "the path leads through " + label(stops[i]) + ", a host; only switches forward");
  }
}

std::vector<Route> Reader::read_routes(const toml::node& routes, const Flow& flow, bool loops,
                                       const std::string& what) {
  const char* how = "\"routes\" must be a list such as [{share = \"1/2\", path = [\"a\", \"b\"]}]";
  if (!routes.is_array()) fail(begin_of(routes), how);
  std::vector<Route> result;
  Rational sum = 0;
  for (const toml::node& entry : *routes.as_array()) {
    if (!entry.is_table()) fail(begin_of(entry), how);
    check_keys(*entry.as_table(), "a route",
               worms_ ? Keys{"share", "path", "classes"} : Keys{"share", "path"});
    Route route = read_path(need(*entry.as_table(), "path", "a route"), flow, loops);
    read_classes(*entry.as_table(), route, "a route of " + what);
    route.share = number(need(*entry.as_table(), "share", "a route"), "the share of a route of " + what);
    sum = sum + route.share;
    result.push_back(std::move(route));
  }
  if (sum != 1)
    fail(begin_of(routes),
         "the shares of " + what + " sum to " + numeric::to_fraction(sum) + "; they must sum to 1");
  return result;
}

void Reader::find_missing_routes() {
  auto found = find_routes(network_, requests_);
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    Flow& flow = network_.flows[wanted_[i].flow];
    if (found[i].empty())
      fail(wanted_[i].place, "no route leads from " + in_quotes(network_.nodes[flow.source].name) + " to " +
                                 in_quotes(network_.nodes[flow.destination].name));
    flow.routes = std::move(found[i]);
  }
}

// --- The file ------------------------------------------------------------------------------------------

void Reader::add_uniform_flows(const toml::node& uniform, RouteRule rule) {
  if (std::any_of(network_.flows.begin(), network_.flows.end(),
                  [](const Flow& flow) { return !flow.message_class; }))
    fail(begin_of(uniform), "the file has uniform traffic and flows; give one or the other");
  const std::size_t ends = ends_of(network_).size();
  if (ends < 2) fail(begin_of(uniform), "uniform traffic needs two nodes or more");
  if (ends > max_uniform_ends) fail(begin_of(uniform), "uniform traffic has more than 1000 nodes, the limit");
  if (worms_) {
    if (!uniform.is_boolean()) (void)rate(uniform, "the rate of uniform traffic");
    if (flows_ == FlowsFrom::file) add_uniform_worms(uniform, rule);
    return;
  }
  const Rational rate = this->rate(uniform, "the rate of uniform traffic");
  if (flows_ == FlowsFrom::elsewhere) return;
  try {
    add_uniform_traffic(network_, rate, rule);
  } catch (const InvalidArgument& error) {
    if (knows_groups(rule)) fail(begin_of(uniform), error.what());
    fail(begin_of(uniform), "uniform traffic has no routes: no node can reach another");
  }
}

/// From each node that sends to each other node, all with the same rate.
void Reader::add_uniform_worms(const toml::node& uniform, RouteRule rule,
                               std::optional<std::size_t> message_class) {
  const std::vector<std::size_t> ends = ends_of(network_);
  const Rational rate = Rational(1) / static_cast<unsigned long>(ends.size() - 1);
  for (const std::size_t source : ends)
    for (const std::size_t destination : ends) {
      if (source == destination) continue;
      Flow flow;
      flow.message_class = message_class;
      flow.source = source;
      flow.destination = destination;
      flow.name = network_.flow_name(flow);
      flow.rate = rate;
      flow.rule = rule;
      requests_.push_back({source, destination, rule});
      wanted_.push_back({network_.flows.size(), begin_of(uniform)});
      network_.flows.push_back(std::move(flow));
    }
}

/// A class of messages of a wormhole network, with traffic of its own if it is given here.
void Reader::read_message_class(const toml::table& table) {
  const std::string what = "a [[class]]";
  check_keys(
      table, what,
      {"name", "flits", "virtual_channels", "share", "answers", "network", "uniform", "matrix", "route"});
  const toml::node& given = need(table, "name", what);
  MessageClass its{.name = name(given, "the name of a class")};
  if (!is_class_name(its.name))
    fail(begin_of(given),
         "the name of a class must be a letter, then letters, digits, \"-\", \"_\" or \".\"");
  for (const MessageClass& other : network_.message_classes)
    if (other.name == its.name)
      fail(begin_of(given), "two classes are named " + in_quotes(its.name) + "; give each its own name");
  const std::string its_words = "the class " + in_quotes(its.name);
  const auto written = [&](const toml::node& node, const char* key) {
    return node.is_string() ? text(node, in_quotes(key)) : digits(node, in_quotes(key));
  };
  const toml::node& flits = need(table, "flits", its_words);
  its.flits = at_place(begin_of(flits), [&] { return MessageLengths::parse(written(flits, "flits")); });
  if (table.contains("virtual_channels"))
    its.virtual_channels =
        static_cast<int>(whole(table, "virtual_channels", 1, 1, 16, "the virtual channels of a class"));
  if (const toml::node* share = table.get("share")) {
    const std::string as_written = written(*share, "share");
    its.share = at_place(begin_of(*share), [&] { return numeric::parse_share(as_written, "\"share\""); });
    its.percent = as_written.ends_with('%');
    if (*its.share <= 0) fail(begin_of(*share), "the share of " + its_words + " must be above 0");
  }
  if (const toml::node* answers = table.get("answers")) its.answers = name(*answers, "the class answered");
  if (const toml::node* network = table.get("network")) its.network = name(*network, "a virtual network");
  if (its.answers == its.name) fail(begin_of(table), its_words + " answers itself");
  const toml::node *uniform = table.get("uniform"), *matrix = table.get("matrix");
  for (const char* key : {"uniform", "matrix", "share"})
    if (const toml::node* extra = table.get(key); extra != nullptr && !its.answers.empty())
      fail(begin_of(*extra), its_words + " has \"answers\" and " + in_quotes(key) +
                                 "; answers are as many as the messages answered, with exchanged ends");
  if (uniform != nullptr && matrix != nullptr)
    fail(begin_of(*matrix), its_words + " has a matrix and uniform traffic; give one or the other");
  const toml::node* route = table.get("route");
  const RouteRule rule = route != nullptr ? rules_.read(*route) : rules_.usual();
  const std::size_t position = network_.message_classes.size();
  network_.message_classes.push_back(std::move(its));
  if (uniform != nullptr && yes(table, "uniform")) {
    network_.message_classes.back().uniform = true;
    add_uniform_worms(*uniform, rule, position);
  }
  if (matrix != nullptr)
    class_matrices_.push_back({matrix_reference(*this, *matrix, rule, "matrix"), position});
}

std::size_t Reader::message_class(const toml::node& name) const {
  const std::string called = text(name, "the class of a flow");
  const auto& all = network_.message_classes;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const MessageClass& its) { return its.name == called; });
  if (found == all.end())
    fail(begin_of(name), "the class " + in_quotes(called) + " of a flow is not among the [[class]] tables");
  if (!found->answers.empty())
    fail(begin_of(name), "the class " + in_quotes(called) +
                             " has \"answers\"; its messages follow from those that it answers");
  return static_cast<std::size_t>(found - all.begin());
}

/// A single table in the legacy format.
void Reader::read_traffic(const toml::node& node, NetworkFile& result) {
  const toml::table& table = *node.as_table();
  check_keys(table, "[traffic]", {"matrix", "uniform", "route"});
  const toml::node* given = table.get("route");
  const RouteRule rule = given != nullptr ? rules_.read(*given) : rules_.usual();
  // A rate, or true for wormhole networks whose load is a parameter.
  if (const toml::node* uniform = table.get("uniform");
      uniform != nullptr && (!worms_ || !uniform->is_boolean() || yes(table, "uniform"))) {
    if (const toml::node* matrix = table.get("matrix"))
      fail(begin_of(*matrix), "[traffic] has a matrix and uniform traffic; give one or the other");
    return add_uniform_flows(*uniform, rule);
  }
  result.matrix = matrix_reference(*this, need(table, "matrix", "[traffic]"), rule, "matrix");
}

/// The total rate of each node, without flows with bursts.
void Reader::check_sent(Place place) const {
  std::vector<Rational> sent = sent_by_node({network_, demands_});
  for (const Flow& flow : network_.flows)
    if (!flow.burst) sent[flow.source] = sent[flow.source] + flow.rate;
  const std::vector<Rational> maximum = network_.send_limits();
  for (std::size_t node = 0; node < sent.size(); ++node)
    if (sent[node] > maximum[node])
      fail(place, in_quotes(network_.nodes[node].name) + " sends " + numeric::to_fraction(sent[node]) +
                      " packets per slot in total; " + send_limit_in_words(maximum[node]));
}

/// Traffic in compact form.
void Reader::read_demands(const toml::node& node, NetworkFile& result) {
  TrafficTables tables = read_traffic_tables(*this, node, network_, node_of_, rules_);
  result.matrix = std::move(tables.matrix);
  result.pairs = std::move(tables.pairs);
  demands_ = std::move(tables.demands);
  check_sent(begin_of(node));
}

/// The route of traffic in compact form, if all of it has the same.
std::optional<RouteRule> Reader::common_route(const toml::table& root) {
  const toml::node* traffic = root.get("traffic");
  if (traffic == nullptr) return std::nullopt;
  std::vector<const toml::table*> tables{traffic->as_table()};
  if (const toml::array* list = traffic->as_array()) {
    tables.clear();
    for (const toml::node& each : *list) tables.push_back(each.as_table());
  }
  std::optional<RouteRule> common;
  for (const toml::table* table : tables) {
    const toml::node* given = table != nullptr ? table->get("route") : nullptr;
    if (given == nullptr) return std::nullopt;
    const RouteRule rule = rules_.read(*given);
    if (common && *common != rule) return std::nullopt;
    common = rule;
  }
  return common;
}

toml::table Reader::read_network(std::span<const std::string> without) {
  toml::table root = parse();
  if (root.empty()) fail({1, 1}, "the file is empty; a network needs hosts or switches, links and flows");
  Keys keys{"name", "hosts", "switches", "link", "flow", "traffic", "route_seed"};
  if (policed_)
    PolicedKeys::add_root_keys(keys);
  else
    keys.insert(keys.end(), {"without", "groups", "gbps"});
  if (!policed_ && !worms_) keys.emplace_back("shared_memory");
  if (worms_) keys.emplace_back("class");
  check_keys(root, "a network file", keys);
  if (const toml::node* given = root.get("name")) network_.name = name(*given, "the name of the network");
  network_.route_seed = static_cast<std::uint64_t>(
      whole(root, "route_seed", 1, 0, std::numeric_limits<std::int64_t>::max(), "the seed of ECMP routes"));
  if (route_seed_) network_.route_seed = *route_seed_;
  read_nodes(root, "hosts", true);
  read_nodes(root, "switches", false);
  if (network_.nodes.empty()) fail({1, 1}, "the network has no nodes: list \"hosts\" and \"switches\"");
  if (const toml::node* given = root.get("groups")) read_groups(*given);
  count_senders(network_.nodes.size());
  if (policed_) policed_->read_root(root);
  if (const toml::node* memory = root.get("shared_memory")) read_memory(*memory);
  for_each_table(root, "link", [this](const toml::table& table) { read_link(table); });
  settle_speeds(root);
  read_failures(root, without);
  if (has_bundles_) number_wires();
  rates().use_network(network_);
  if (worms_) for_each_table(root, "class", [this](const toml::table& table) { read_message_class(table); });
  for_each_table(root, "flow", [this](const toml::table& table) { read_flow(table); });
  if (policed_) policed_->check_clocks(root);
  return root;
}

constexpr const char* no_flows =
    "the network has no flows: add a [[flow]], or a matrix or uniform traffic under [traffic]";

NetworkFile Reader::read(std::span<const std::string> without) {
  const toml::table root = read_network(without);
  NetworkFile result{.network = {}, .matrix = {}};
  result.route = rules_.usual();
  result.has_classes = has_classes_;
  result.class_matrices = std::move(class_matrices_);
  if (const toml::node* traffic = root.get("traffic")) {
    if (!traffic->is_table() && !traffic->is_array())
      fail(begin_of(*traffic), "\"traffic\" must be a table: [traffic]");
    if (is_plain(*traffic))
      read_traffic(*traffic, result);
    else
      read_demands(*traffic, result);
    if (flows_ == FlowsFrom::elsewhere) demands_.clear();
    result.route = traffic_route(root);
  }
  find_missing_routes();
  if (!demands_.empty()) at_place(begin_of(*root.get("traffic")), [&] { add_flows(network_, demands_); });
  if (network_.flows.empty() && !result.matrix && result.pairs.empty() && result.class_matrices.empty() &&
      flows_ == FlowsFrom::file)
    fail({1, 1}, no_flows);
  result.network = std::move(network_);
  return result;
}

/// Rejects flows with paths of their own or bursts; the others become list entries, one demand per rule.
FabricFile Reader::read_fabric(std::span<const std::string> without) {
  const toml::table root = read_network(without);
  NetworkFile traffic{.network = {}, .matrix = {}};
  if (const toml::node* given = root.get("traffic"); given != nullptr && flows_ == FlowsFrom::file)
    read_demands(*given, traffic);
  std::vector<Demand> listed = listed_demands();
  if (demands_.empty() && listed.empty() && !traffic.matrix && traffic.pairs.empty() &&
      flows_ == FlowsFrom::file)
    fail({1, 1}, no_flows);
  std::move(demands_.begin(), demands_.end(), std::back_inserter(listed));
  network_.flows.clear();
  const RouteRule route = traffic_route(root);  // reads the network's groups
  return {
      {std::move(network_), std::move(listed)}, std::move(traffic.matrix), std::move(traffic.pairs), route};
}

/// Rates of flows with the same ends and the same rule are summed.
std::vector<Demand> Reader::listed_demands() const {
  std::map<RouteRule, std::map<std::pair<std::uint32_t, std::uint32_t>, Rational>> rates;
  std::size_t next = 0;
  for (std::size_t i = 0; i < network_.flows.size(); ++i) {
    const Flow& flow = network_.flows[i];
    if (!flow.routes.empty() || flow.burst || flow.priority != 1)
      fail({1, 1}, "the flow " + in_quotes(flow.name) + " has " +
                       (flow.burst           ? "bursts"
                        : flow.priority != 1 ? "a class below others"
                                             : "a path of its own") +
                       "; this is not supported in networks whose flows are not listed one by one");
    Rational& rate =
        rates[requests_[next++].rule]
            .try_emplace(
                {static_cast<std::uint32_t>(flow.destination), static_cast<std::uint32_t>(flow.source)}, 0)
            .first->second;
    rate = rate + flow.rate;
  }
  std::vector<Demand> demands;
  for (const auto& [rule, entries] : rates) {
    std::vector<std::pair<SparseDemand::Entry, Rational>> list;
    for (const auto& [ends, rate] : entries) list.push_back({{ends.second, ends.first, 0}, rate});
    demands.push_back({"", rule, sparse_demand(list)});
  }
  return demands;
}

/// A port for each link on the path of a flow.
PolicedFile Reader::read_policed() {
  const toml::table root = read_network({});
  if (const toml::node* given = root.get("traffic"))
    fail(begin_of(*given),
         "[traffic] gives average rates; a guarantee needs each flow as a [[flow]] with a \"bucket\"");
  find_missing_routes();
  if (network_.flows.empty()) fail({1, 1}, "the network has no flows: add a [[flow]] with a \"bucket\"");
  PolicedFile file{
      .name = network_.name,
      .network = {.ports = {}, .flows = std::move(policed_flows_), .classes = policed_->classes()},
      .units = policed_->units(),
      .rules = rules_of(network_)};
  file.network.byte = policed_->byte();
  std::unordered_map<std::size_t, std::size_t> port_of;
  std::map<std::size_t, std::set<std::size_t>> unlisted;  // classes of a port
  std::unordered_map<std::size_t, std::size_t> hop_to;    // of the current flow: the hop that leads to a node
  for (std::size_t i = 0; i < network_.flows.size(); ++i) {
    const std::size_t number = policed_flow_of_[i];
    if (i == 0 || policed_flow_of_[i - 1] != number) hop_to.clear();
    const bool tree = (i > 0 && policed_flow_of_[i - 1] == number) ||
                      (i + 1 < network_.flows.size() && policed_flow_of_[i + 1] == number);
    PolicedFlow& flow = file.network.flows[number];
    std::size_t before = 0;
    for (const std::size_t link : network_.flows[i].routes.front().links) {
      const auto [found, is_new] = port_of.try_emplace(link, file.network.ports.size());
      if (is_new) {
        file.network.ports.push_back(ports_[link]);
        file.network.ports.back().name = network_.link_name(link);
      }
      if (!tree) {
        flow.path.push_back(found->second);
        continue;
      }
      const std::size_t node = network_.links[link].to;
      const auto [hop, enters] = hop_to.try_emplace(node, flow.path.size());
      if (node == network_.flows[i].source || (!enters && flow.path[hop->second] != found->second))
        fail(policed_places_[number], "the routes of the flow " + in_quotes(flow.name) + " enter " +
                                          in_quotes(network_.nodes[node].name) +
                                          " in two ways; together they must be a tree: give its \"path\"");
      if (enters && link == network_.flows[i].routes.front().links.front() && !flow.path.empty())
        fail(policed_places_[number], "the routes of the flow " + in_quotes(flow.name) +
                                          " leave its source over two links; write a [[flow]] for each");
      if (enters) {
        flow.path.push_back(found->second);
        flow.before.push_back(before);
      }
      before = hop->second;
    }
    if (tree) flow.destinations.push_back({network_.nodes[network_.flows[i].destination].name, before});
  }
  // Classes without a "max_sdu": their longest packet.
  for (const PolicedFlow& flow : file.network.flows)
    for (const std::size_t port : flow.path)
      if (std::vector<Rational>& sdu = file.network.ports[port].max_sdu; !sdu.empty())
        if (sdu[flow.traffic_class] == 0 || unlisted[port].count(flow.traffic_class) != 0) {
          unlisted[port].insert(flow.traffic_class);
          sdu[flow.traffic_class] = std::max(sdu[flow.traffic_class], flow.longest);
        }
  return file;
}

}  // namespace

PolicedFile read_policed_network(std::string_view toml, const std::string& name) {
  return Reader(toml, name, FileUse::policed, FlowsFrom::file).read_policed();
}

NetworkFile read_network(std::string_view toml, const std::string& name, FileUse use, FlowsFrom flows,
                         std::span<const std::string> without, std::optional<std::uint64_t> route_seed) {
  return Reader(toml, name, use, flows, route_seed).read(without);
}

FabricFile read_fabric(std::string_view toml, const std::string& name, FlowsFrom flows,
                       std::span<const std::string> without) {
  return Reader(toml, name, FileUse::packets, flows).read_fabric(without);
}

}  // namespace tailbound::network
