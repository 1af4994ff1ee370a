#include <tailbound/network/file_text.hpp>
#include <tailbound/network/network_file.hpp>
#include <tailbound/network/uniform_traffic.hpp>

#include <toml++/toml.h>

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace tailbound::network {
namespace {

constexpr std::size_t most_nodes = 100'000;
constexpr std::size_t most_links = 1'000'000;
constexpr std::size_t longest_name = 200;

Place begin_of(const toml::source_region& region) {
  return {region.begin.line, region.begin.column};
}
Place begin_of(const toml::node& node) {
  return begin_of(node.source());
}

/// The text of a number as it stands in the file, by its place. Places asked for one after the other lie
/// close to each other, so it walks from the last one, within a line.
class TokenFinder {
 public:
  explicit TokenFinder(std::string_view text) : text_(text) {
    for (std::size_t at = 0; at != std::string_view::npos; at = text.find('\n', at)) {
      if (!lines_.empty()) ++at;
      lines_.push_back(static_cast<std::uint32_t>(at));
    }
  }

  [[nodiscard]] std::string_view at(Place place) {
    if (place.line != place_.line) {
      place_ = {place.line, 1};
      offset_ = lines_[place.line - 1];
    }
    while (place_.column < place.column) step(1);
    while (place_.column > place.column) step(-1);
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n,]}#", offset_), text_.size());
    return text_.substr(offset_, end - offset_);
  }

 private:
  /// One character on or back.
  void step(int direction) {
    const auto inside = [this] {
      return offset_ < text_.size() && (static_cast<unsigned char>(text_[offset_]) & 0xC0) == 0x80;
    };
    const auto move = static_cast<std::size_t>(direction);
    do offset_ += move;
    while (inside());
    place_.column += move;
  }

  std::string_view text_;
  std::vector<std::uint32_t> lines_;  ///< where each begins; a file has at most 64 MB
  Place place_;
  std::size_t offset_ = 0;
};

class Reader {
 public:
  Reader(std::string_view toml, const std::string& name, FileUse use, FlowsFrom flows)
      : file_(toml, name), tokens_(file_.text()), worms_(use == FileUse::worms), flows_(flows) {}

  [[nodiscard]] NetworkFile read();

 private:
  using Keys = std::vector<std::string_view>;

  [[noreturn]] void fail(Place place, const std::string& what) const { file_.fail(place, what); }
  [[nodiscard]] toml::table parse() const;
  void check_keys(const toml::table& table, const std::string& what, const Keys& legal) const;
  [[nodiscard]] const toml::node& need(const toml::table& table, const char* key,
                                       const std::string& what) const;
  [[nodiscard]] std::string text(const toml::node& node, const std::string& what) const;
  [[nodiscard]] std::string name(const toml::node& node, const std::string& what) const;
  [[nodiscard]] bool yes(const toml::table& table, const char* key) const;
  [[nodiscard]] std::string digits(const toml::node& node, const std::string& what);
  [[nodiscard]] Rational number(const toml::node& node, const std::string& what);
  template <class Take>
  void for_each_table(const toml::table& root, const char* key, Take take) const;

  void read_nodes(const toml::table& root, const char* key, bool host);
  [[nodiscard]] std::size_t node(const toml::node& node) const;
  [[nodiscard]] std::vector<std::size_t> nodes(const toml::node& node) const;
  void read_link(const toml::table& table);
  void add_link(const Link& link, Place place);
  [[nodiscard]] int count(const toml::table& table, const char* key, int most, const char* what,
                          const char* unit) const;

  void read_flow(const toml::table& table);
  [[nodiscard]] std::optional<traffic::Burst> read_burst(const toml::table& table, const Rational& rate,
                                                         const std::string& what);
  void read_way(const toml::table& table, Flow& flow, const std::string& what);
  [[nodiscard]] Route read_path(const toml::node& path, const Flow& flow, bool loops);
  void check_path(const std::vector<std::size_t>& stops, const std::vector<Place>& places, bool loops) const;
  [[nodiscard]] std::vector<Route> read_routes(const toml::node& routes, const Flow& flow, bool loops,
                                               const std::string& what);
  void read_classes(const toml::table& table, Route& route, const std::string& what) const;
  void add_uniform_flows(const toml::node& uniform, RouteRule rule);
  void add_uniform_worms(const toml::node& uniform, RouteRule rule);
  [[nodiscard]] RouteRule route_rule(const toml::node& node) const;
  void find_missing_routes();
  [[nodiscard]] std::optional<MatrixReference> read_traffic(const toml::node& node);

  static std::uint64_t pair(std::size_t from, std::size_t to) {
    return (static_cast<std::uint64_t>(from) << 32) | to;
  }

  FileText file_;
  TokenFinder tokens_;
  bool worms_;
  FlowsFrom flows_;
  Network network_;
  std::unordered_map<std::string, std::size_t> node_of_;
  std::unordered_map<std::uint64_t, std::size_t> link_of_;
  std::unordered_set<std::string> flow_names_;
  std::unordered_set<std::uint64_t> flow_pairs_;
  std::optional<RateReader> rates_;  ///< once the nodes are known
  std::size_t route_count_ = 0;

  /// Flows whose routes are still to be found.
  struct Wanted {
    std::size_t flow;
    Place place;
  };
  std::vector<Wanted> wanted_;
  std::vector<RouteRequest> requests_;
};

// --- Values --------------------------------------------------------------------------------------------

toml::table Reader::parse() const {
  check_toml_shape(file_);
  try {
    return toml::parse(file_.text());
  } catch (const toml::parse_error& error) {
    std::string what(error.description().substr(0, 300));
    while (!what.empty() && static_cast<unsigned char>(what.back()) >= 0x80) what.pop_back();
    fail(begin_of(error.source()), what);
  }
}

void Reader::check_keys(const toml::table& table, const std::string& what, const Keys& legal) const {
  for (const auto& [key, value] : table) {
    if (std::find(legal.begin(), legal.end(), key.str()) != legal.end()) continue;
    std::string list;
    for (const std::string_view known : legal) list += (list.empty() ? "" : ", ") + std::string(known);
    fail(begin_of(key.source()), what + " has no key " + quoted(key.str()) + "; its keys are " + list);
  }
}

const toml::node& Reader::need(const toml::table& table, const char* key, const std::string& what) const {
  const toml::node* node = table.get(key);
  if (node == nullptr) fail(begin_of(table), what + " needs the key " + quoted(key));
  return *node;
}

std::string Reader::text(const toml::node& node, const std::string& what) const {
  const auto* string = node.as_string();
  if (string == nullptr) fail(begin_of(node), what + " must be text in double quotes");
  return string->get();
}

std::string Reader::name(const toml::node& node, const std::string& what) const {
  std::string result = text(node, what);
  const bool printable = std::none_of(
      result.begin(), result.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
  if (result.empty() || result.size() > longest_name || !printable)
    fail(begin_of(node),
         what + " is " + quoted(result) + "; it must be 1 to 200 bytes without control characters");
  return result;
}

bool Reader::yes(const toml::table& table, const char* key) const {
  const toml::node* node = table.get(key);
  if (node == nullptr) return false;
  if (!node->is_boolean()) fail(begin_of(*node), quoted(key) + " must be true or false");
  return node->as_boolean()->get();
}

/// A number as it is written.
std::string Reader::digits(const toml::node& node, const std::string& what) {
  if (node.is_string()) return node.as_string()->get();
  if (!node.is_number()) fail(begin_of(node), what + " must be a number such as 0.3 or \"3/10\"");
  std::string text(tokens_.at(begin_of(node)));
  text.erase(std::remove(text.begin(), text.end(), '_'), text.end());
  return text;
}

Rational Reader::number(const toml::node& node, const std::string& what) {
  Rational value = rates_->read(digits(node, what), begin_of(node), what);
  if (cln::zerop(value)) fail(begin_of(node), what + " is 0; it must be above 0 and at most 1");
  return value;
}

template <class Take>
void Reader::for_each_table(const toml::table& root, const char* key, Take take) const {
  const toml::node* list = root.get(key);
  if (list == nullptr) return;
  const std::string how =
      quoted(key) + " must be a list of tables, each begun by [[" + std::string(key) + "]]";
  if (!list->is_array()) fail(begin_of(*list), how);
  for (const toml::node& entry : *list->as_array()) {
    if (!entry.is_table()) fail(begin_of(entry), how);
    take(*entry.as_table());
  }
}

// --- Nodes and links -----------------------------------------------------------------------------------

void Reader::read_nodes(const toml::table& root, const char* key, bool host) {
  const toml::node* list = root.get(key);
  if (list == nullptr) return;
  if (!list->is_array())
    fail(begin_of(*list), quoted(key) + " must be a list of names such as [\"a\", \"b\"]");
  for (const toml::node& entry : *list->as_array()) {
    const std::string label = name(entry, "the name of a node");
    if (!node_of_.emplace(label, network_.nodes.size()).second)
      fail(begin_of(entry), "the node " + quoted(label) + " is listed twice");
    if (network_.nodes.size() == most_nodes) fail(begin_of(entry), "more than 100000 nodes");
    network_.nodes.push_back({label, host});
  }
}

std::size_t Reader::node(const toml::node& node) const {
  const std::string label = text(node, "a node");
  const auto found = node_of_.find(label);
  if (found == node_of_.end())
    fail(begin_of(node), "the node " + quoted(label) + " is not among the hosts and switches");
  return found->second;
}

std::vector<std::size_t> Reader::nodes(const toml::node& names) const {
  if (!names.is_array()) return {node(names)};
  std::vector<std::size_t> result;
  for (const toml::node& entry : *names.as_array()) result.push_back(node(entry));
  return result;
}

/// 1 if the key is left out.
int Reader::count(const toml::table& table, const char* key, int most, const char* what,
                  const char* unit) const {
  const toml::node* value = table.get(key);
  if (value == nullptr) return 1;
  const auto* whole = value->as_integer();
  if (whole == nullptr || whole->get() < 1 || whole->get() > most)
    fail(begin_of(*value),
         std::string(what) + " must be a whole number from 1 to " + std::to_string(most) + unit);
  return static_cast<int>(whole->get());
}

void Reader::add_link(const Link& link, Place place) {
  const std::string label =
      quoted(network_.nodes[link.from].name) + " to " + quoted(network_.nodes[link.to].name);
  if (link.from == link.to) fail(place, "a link from " + label + "; its ends must differ");
  if (network_.links.size() == most_links) fail(place, "more than 1000000 links");
  if (!link_of_.emplace(pair(link.from, link.to), network_.links.size()).second)
    fail(place, "the link from " + label + " is listed twice");
  network_.links.push_back(link);
}

void Reader::read_link(const toml::table& table) {
  const std::string what = "a [[link]]";
  Keys keys{"from", "to", "rate", "both"};
  if (worms_) keys.insert(keys.end(), {"virtual_channels", "classes"});
  check_keys(table, what, keys);
  const auto from = nodes(need(table, "from", what)), to = nodes(need(table, "to", what));
  Link link;
  link.packets_per_slot =
      count(table, "rate", 32, "the rate of a link", worms_ ? " (wires side by side)" : " (packets a slot)");
  link.virtual_channels = count(table, "virtual_channels", 16, "the virtual channels of a link", "");
  link.classes = count(table, "classes", 16, "the classes of virtual channels of a link", "");
  const bool both = yes(table, "both");
  for (const std::size_t lower : from)
    for (const std::size_t upper : to) {
      link.from = lower;
      link.to = upper;
      add_link(link, begin_of(table));
      if (!both) continue;
      std::swap(link.from, link.to);
      add_link(link, begin_of(table));
    }
}

// --- Flows and routes ----------------------------------------------------------------------------------

void Reader::read_flow(const toml::table& table) {
  Keys keys{"name", "from", "to", "rate", "path", "routes", "loops"};
  if (worms_)
    keys.emplace_back("classes");
  else
    keys.insert(keys.end(), {"burst", "on_rate"});
  check_keys(table, "a [[flow]]", keys);
  Flow flow;
  flow.source = node(need(table, "from", "a [[flow]]"));
  flow.destination = node(need(table, "to", "a [[flow]]"));
  flow.name = network_.nodes[flow.source].name + " -> " + network_.nodes[flow.destination].name;
  if (const toml::node* given = table.get("name")) flow.name = name(*given, "the name of a flow");
  const std::string what = "the flow " + quoted(flow.name);
  if (!flow_names_.insert(flow.name).second)
    fail(begin_of(table), "two flows are called " + quoted(flow.name) + "; give one another \"name\"");
  if (worms_ && !flow_pairs_.insert(pair(flow.source, flow.destination)).second)
    fail(begin_of(table), "a second flow from " + quoted(network_.nodes[flow.source].name) + " to " +
                              quoted(network_.nodes[flow.destination].name) +
                              "; give one of their rates' sum");
  const toml::node& rate = need(table, "rate", what);
  flow.rate = number(rate, "the rate of " + what);
  flow.burst = read_burst(table, flow.rate, what);
  rates_->send(flow, begin_of(rate), network_.nodes[flow.source].name);
  read_way(table, flow, what);
  network_.flows.push_back(std::move(flow));
}

std::optional<traffic::Burst> Reader::read_burst(const toml::table& table, const Rational& rate,
                                                 const std::string& what) {
  const toml::node* slots = table.get("burst");
  const toml::node* on_rate = table.get("on_rate");
  if (slots == nullptr && on_rate != nullptr)
    fail(begin_of(*on_rate), what + " has \"on_rate\" but no \"burst\"");
  if (slots == nullptr) return {};
  traffic::Burst burst;
  burst.slots =
      rates_->read_burst(digits(*slots, "the burst of " + what), begin_of(*slots), "the burst of " + what);
  if (on_rate != nullptr) burst.on_rate = number(*on_rate, "the on-rate of " + what);
  try {
    (void)traffic::on_off(rate, burst);
  } catch (const InvalidArgument& error) {
    fail(begin_of(*slots), "the " + error.argument() + " of " + what + " is " + error.value() +
                               "; it must be " + error.legal());
  }
  return burst;
}

void Reader::read_way(const toml::table& table, Flow& flow, const std::string& what) {
  const bool loops = yes(table, "loops");
  const toml::node* path = table.get("path");
  const toml::node* routes = table.get("routes");
  if (flow.source == flow.destination && worms_)
    fail(begin_of(table), what + " leads from a node to itself; worms do not");
  if (flow.source == flow.destination && !loops)
    fail(begin_of(table), what + " leads from a node to itself; with loops = true and a path it may");
  if (path != nullptr && routes != nullptr)
    fail(begin_of(*routes), what + " has both \"path\" and \"routes\"; it may have one");
  if (loops && routes == nullptr && (path == nullptr || !path->is_array()))
    fail(begin_of(table), what + " has loops = true; its path must be written out");
  const toml::node* classes = table.get("classes");
  if (classes != nullptr && (path == nullptr || !path->is_array()))
    fail(begin_of(*classes), what + " has \"classes\" but no path that is written out");
  if (routes != nullptr) {
    flow.routes = read_routes(*routes, flow, loops, what);
  } else if (path != nullptr && path->is_array()) {
    flow.routes.push_back(read_path(*path, flow, loops));
    read_classes(table, flow.routes.back(), what);
  } else {
    requests_.push_back(
        {flow.source, flow.destination, path == nullptr ? RouteRule::shortest : route_rule(*path)});
    wanted_.push_back({network_.flows.size(), begin_of(table)});
  }
}

/// One class for each link of the route, or none.
void Reader::read_classes(const toml::table& table, Route& route, const std::string& what) const {
  const toml::node* classes = table.get("classes");
  if (classes == nullptr) return;
  const std::string links = std::to_string(route.links.size());
  if (!classes->is_array() || classes->as_array()->size() != route.links.size())
    fail(begin_of(*classes), "the classes of " + what + " must be a list with one number for each of its " +
                                 links + (route.links.size() == 1 ? " link" : " links"));
  for (const toml::node& entry : *classes->as_array()) {
    const std::size_t link = route.links[route.classes.size()];
    const auto* whole = entry.as_integer();
    const int legal = network_.links[link].classes;
    if (whole == nullptr || whole->get() < 0 || whole->get() >= legal)
      fail(begin_of(entry), "the class on the link " + quoted(network_.link_name(link)) +
                                " must be a whole number from 0 to " + std::to_string(legal - 1) +
                                ", as the link has " + std::to_string(legal));
    route.classes.push_back(static_cast<int>(whole->get()));
  }
}

RouteRule Reader::route_rule(const toml::node& node) const {
  const auto* rule = node.as_string();
  if (rule != nullptr && rule->get() == "shortest") return RouteRule::shortest;
  if (rule != nullptr && rule->get() == "spread") return RouteRule::spread;
  fail(begin_of(node), "the way must be \"shortest\", \"spread\" or, of a flow, a list of nodes");
}

Route Reader::read_path(const toml::node& path, const Flow& flow, bool loops) {
  if (!path.is_array()) fail(begin_of(path), "a path must be a list of nodes");
  std::vector<std::size_t> stops;
  std::vector<Place> places;
  for (const toml::node& entry : *path.as_array()) {
    stops.push_back(node(entry));
    places.push_back(begin_of(entry));
  }
  // The ends may be written or left out.
  if (stops.empty() || stops.front() != flow.source) {
    stops.insert(stops.begin(), flow.source);
    places.insert(places.begin(), begin_of(path));
  }
  if (stops.size() == 1 || stops.back() != flow.destination) {
    stops.push_back(flow.destination);
    places.push_back(begin_of(path));
  }
  check_path(stops, places, loops);
  if (++route_count_ > most_routes) fail(begin_of(path), "more than 1000000 routes");
  Route route;
  for (std::size_t i = 0; i + 1 < stops.size(); ++i)
    route.links.push_back(link_of_.at(pair(stops[i], stops[i + 1])));
  return route;
}

void Reader::check_path(const std::vector<std::size_t>& stops, const std::vector<Place>& places,
                        bool loops) const {
  const auto label = [this](std::size_t stop) { return quoted(network_.nodes[stop].name); };
  std::unordered_set<std::size_t> nodes_met;
  std::unordered_set<std::uint64_t> links_met;
  for (std::size_t i = 0; i < stops.size(); ++i) {
    if (!nodes_met.insert(stops[i]).second && !loops)
      fail(places[i], "the path passes " + label(stops[i]) + " twice");
    if (i == 0) continue;
    if (link_of_.count(pair(stops[i - 1], stops[i])) == 0)
      fail(places[i], "the path needs a link from " + label(stops[i - 1]) + " to " + label(stops[i]) +
                          ", and there is none");
    if (!links_met.insert(pair(stops[i - 1], stops[i])).second)
      fail(places[i],
           "the path takes the link from " + label(stops[i - 1]) + " to " + label(stops[i]) + " twice");
    if (i + 1 < stops.size() && network_.nodes[stops[i]].host)
      fail(places[i], "the path leads through " + label(stops[i]) + ", a host; hosts do not forward");
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
    fail(begin_of(routes), "the shares of " + what + " sum to " + numeric::to_fraction(sum) + ", not to 1");
  return result;
}

void Reader::find_missing_routes() {
  auto found = find_routes(network_, requests_);
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    Flow& flow = network_.flows[wanted_[i].flow];
    if (found[i].empty())
      fail(wanted_[i].place, "no way leads from " + quoted(network_.nodes[flow.source].name) + " to " +
                                 quoted(network_.nodes[flow.destination].name));
    flow.routes = std::move(found[i]);
  }
}

// --- The file ------------------------------------------------------------------------------------------

void Reader::add_uniform_flows(const toml::node& uniform, RouteRule rule) {
  if (!network_.flows.empty())
    fail(begin_of(uniform), "uniform traffic, and flows beside it; one or the other");
  const std::size_t ends = ends_of(network_).size();
  if (ends < 2) fail(begin_of(uniform), "uniform traffic of fewer than two nodes");
  if (ends > most_uniform_ends) fail(begin_of(uniform), "uniform traffic of more than 1000 nodes");
  if (worms_) {
    if (flows_ == FlowsFrom::file) add_uniform_worms(uniform, rule);
    return;
  }
  const Rational rate = number(uniform, "the rate of uniform traffic");
  if (flows_ == FlowsFrom::elsewhere) return;
  try {
    add_uniform_traffic(network_, rate, rule);
  } catch (const InvalidArgument&) {
    fail(begin_of(uniform), "uniform traffic, and no way leads from one node to another");
  }
}

/// From each node that sends to each other, all with the same rate.
void Reader::add_uniform_worms(const toml::node& uniform, RouteRule rule) {
  const std::vector<std::size_t> ends = ends_of(network_);
  const Rational rate = Rational(1) / static_cast<unsigned long>(ends.size() - 1);
  for (const std::size_t source : ends)
    for (const std::size_t destination : ends) {
      if (source == destination) continue;
      Flow flow;
      flow.name = network_.nodes[source].name + " -> " + network_.nodes[destination].name;
      flow.source = source;
      flow.destination = destination;
      flow.rate = rate;
      requests_.push_back({source, destination, rule});
      wanted_.push_back({network_.flows.size(), begin_of(uniform)});
      network_.flows.push_back(std::move(flow));
    }
}

std::optional<MatrixReference> Reader::read_traffic(const toml::node& node) {
  if (!node.is_table()) fail(begin_of(node), "\"traffic\" must be a table, begun by [traffic]");
  const toml::table& table = *node.as_table();
  check_keys(table, "[traffic]", {"matrix", "uniform", "route"});
  const toml::node* given = table.get("route");
  const RouteRule rule = given != nullptr ? route_rule(*given) : RouteRule::shortest;
  // true of worms, a rate of packets.
  if (const toml::node* uniform = table.get("uniform");
      uniform != nullptr && (!worms_ || yes(table, "uniform"))) {
    if (const toml::node* matrix = table.get("matrix"))
      fail(begin_of(*matrix), "a matrix beside uniform traffic; one or the other");
    add_uniform_flows(*uniform, rule);
    return std::nullopt;
  }
  const toml::node& file = need(table, "matrix", "[traffic]");
  MatrixReference matrix{text(file, "\"matrix\""), rule};
  if (matrix.file.empty() || matrix.file.find('\0') != std::string::npos)
    fail(begin_of(file), "\"matrix\" must be the name of a CSV file");
  return matrix;
}

NetworkFile Reader::read() {
  const toml::table root = parse();
  if (root.empty()) fail({1, 1}, "the file is empty; it must list hosts, switches, links and flows");
  check_keys(root, "a network file", {"name", "hosts", "switches", "link", "flow", "traffic"});
  if (const toml::node* given = root.get("name")) network_.name = name(*given, "the name of the network");
  read_nodes(root, "hosts", true);
  read_nodes(root, "switches", false);
  if (network_.nodes.empty()) fail({1, 1}, "the network has no nodes: list \"hosts\" and \"switches\"");
  rates_.emplace(file_, network_.nodes.size());
  for_each_table(root, "link", [this](const toml::table& table) { read_link(table); });
  for_each_table(root, "flow", [this](const toml::table& table) { read_flow(table); });
  NetworkFile result{{}, {}};
  if (const toml::node* traffic = root.get("traffic")) result.matrix = read_traffic(*traffic);
  find_missing_routes();
  if (network_.flows.empty() && !result.matrix && flows_ == FlowsFrom::file)
    fail({1, 1}, "the network has no flows: add a [[flow]], or a matrix or uniform traffic under [traffic]");
  result.network = std::move(network_);
  return result;
}

}  // namespace

NetworkFile read_network(std::string_view toml, const std::string& name, FileUse use, FlowsFrom flows) {
  return Reader(toml, name, use, flows).read();
}

}  // namespace tailbound::network
