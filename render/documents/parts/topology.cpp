#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/network/clocks/link_clocks.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/parts/topology.hpp>
#include <tailbound/render/documents/parts/traffic.hpp>

#include <algorithm>
#include <optional>

namespace tailbound::render {
namespace {

using answers::NetworkTopology;
using answers::Topology;
using answers::TreeTopology;
using numeric::plain;

/// The parts of a description; a list of points may share some of them.
struct TopologyWords {
  std::string shape, load, routing, burst;
};

std::string burst_in_words(const TreeTopology& tree) {
  if (!tree.burst) return "";
  const traffic::Burst& burst = *tree.burst;
  return fmt::format(", bursts of {} slot{}{} ({})", plain(burst.slots), burst.slots == 1 ? "" : "s",
                     burst.on_rate == 1 ? "" : fmt::format(" at rate {}", plain(burst.on_rate)),
                     in_words(tree.destination));
}

std::string network_load_in_words(const NetworkTopology& network) {
  std::string words = failures_in_words(network.without);
  if (network.uniform)
    words += fmt::format(", uniform traffic of {} packets per slot", plain(*network.uniform));
  if (network.load_scale) words += fmt::format(", rates times {}", plain(*network.load_scale));
  return words;
}

TopologyWords words_of(const Topology& topology) {
  if (const auto* network = std::get_if<NetworkTopology>(&topology))
    return {network->name(), network_load_in_words(*network), {}, {}};
  const auto& tree = std::get<TreeTopology>(topology);
  if (!tree.classes.empty())
    return {fmt::format("an output of a switch with {} ports, {} classes by strict priority", tree.tree.radix,
                        tree.classes.size()),
            fmt::format(", class {} at load {}", tree.priority, plain(tree.load)),
            {},
            {}};
  return {fmt::format("{}-ary {}-tree", tree.tree.radix, tree.tree.levels), " at load " + plain(tree.load),
          fmt::format(", {} routing", name_of(tree.routing)), burst_in_words(tree)};
}

const char* route_in_words(const std::optional<network::RouteRule>& rule) {
  if (!rule) return "as given in the file";
  switch (*rule) {
    case network::RouteRule::shortest:
      return "shortest, one path per flow";
    case network::RouteRule::spread:
      return "spread over all shortest paths";
    case network::RouteRule::minimal:
      return "minimal, at most one link between two groups of switches";
    case network::RouteRule::valiant:
      return "Valiant, through a random third group of switches";
    case network::RouteRule::ecmp:
      break;
  }
  return "ECMP, one of the shortest paths per flow by a hash";
}

}  // namespace

std::optional<std::string> route_names(const RouteRules& rules) {
  if (rules.empty()) return std::nullopt;
  std::vector<std::string> names;
  for (const auto& rule : rules) names.emplace_back(rule ? name_of(*rule) : "given");
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string routes_in_words(const RouteRules& rules, const std::optional<std::uint64_t>& seed) {
  std::vector<std::string> words;
  for (const auto& rule : rules) words.emplace_back(route_in_words(rule));
  return fmt::format("{}{}", fmt::join(words, "; "), seed ? fmt::format(", seed {}", *seed) : "");
}

Column route_column() {
  return {"route", "routes", "", Shape::text,
          "rule of the routes: spread, shortest, ecmp, minimal or valiant; given: by the file; a list if "
          "flows differ"};
}

Column route_seed_column() {
  return {"route_seed", "route seed", "", Shape::whole, "seed of the hash of ecmp routes"};
}

void add_routes(std::vector<std::string>& notes, const RouteRules& rules,
                const std::optional<std::uint64_t>& seed) {
  if (rules.empty()) return;
  const std::string routes = "Routes: " + routes_in_words(rules, {});
  const std::string note = "Routes: " + routes_in_words(rules, seed) + ".";
  const std::string many = routes + ", seeds as listed.";
  const auto same = std::find_if(notes.begin(), notes.end(), [&](const std::string& other) {
    return other == note || other == many || (seed && other.starts_with(routes + ", seed "));
  });
  if (same == notes.end())
    notes.push_back(note);
  else if (*same != note)
    *same = many;
}

std::string failures_in_words(const std::vector<std::string>& without) {
  return without.empty() ? "" : fmt::format(" without {}", fmt::join(without, ", "));
}

std::optional<std::string> requested_failures(const std::vector<std::string>& without) {
  if (without.empty()) return std::nullopt;
  return fmt::format("{}", fmt::join(without, ","));
}

const Fields<Topology>& topology_fields() {
  static const Fields<TreeTopology> tree{
      {{"radix", "radix", "", Shape::whole, "k: a tree switch has k down and k up ports, 2 to 1024"},
       [](const TreeTopology& of) { return of.tree.radix; }},
      {{"levels", "levels", "", Shape::whole, "switch levels of a tree; radix^levels leaves"},
       [](const TreeTopology& of) { return of.tree.levels; }},
      {{"load", "load", "packets/slot", Shape::given, "sent by each leaf of the tree, 0 to 1"},
       &TreeTopology::load},
      {{"routing", "routing", "", Shape::text,
        "random-root: always to the top level; or nearest-ancestor: to the nearest common ancestor"},
       &TreeTopology::routing},
      {{"traffic", "traffic", "", Shape::text, "traffic of the leaves: bernoulli or onoff", Style::hidden},
       [](const TreeTopology& of) { return of.burst ? "onoff" : "bernoulli"; }},
      {{"class_loads", "loads of the classes", "packets/slot", Shape::givens, "of all classes, class 1 first",
        Style::hidden},
       &TreeTopology::classes,
       [](const TreeTopology& of) { return !of.classes.empty(); }},
      {burst_fields("a leaf"), &TreeTopology::burst},
      {destination_column(), &TreeTopology::destination,
       [](const TreeTopology& of) { return of.burst.has_value(); }}};
  static const Fields<Topology> fields{
      {tree, one_of<TreeTopology>},
      {network_fields<NetworkTopology>(&NetworkTopology::file), one_of<NetworkTopology>}};
  return fields;
}

std::string latency_slots_in_words(const Topology& topology) {
  const auto* its = std::get_if<NetworkTopology>(&topology);
  return latency_slots_in_words(its != nullptr ? its->network : network::Network());
}

std::string latency_slots_in_words(const network::Network& network) {
  return std::string(!network::has_unit_speeds(network) ? "the time of a packet on the link of each queue"
                                                        : "one slot per queue") +
         " (none for the sender's link)";
}

std::string switch_in_words(const Topology& topology) {
  const auto* tree = std::get_if<TreeTopology>(&topology);
  return tree != nullptr && tree->classes.empty() ? "A switch of a k-ary tree has k ports down and k up."
                                                  : "";
}

std::string in_words(const Topology& topology, const std::vector<const Topology*>& all) {
  TopologyWords words = words_of(topology);
  for (const Topology* other : all) {
    const TopologyWords its = words_of(*other);
    if (its.shape != words.shape)
      words.shape = std::holds_alternative<TreeTopology>(topology) ? "trees of each size" : "each network";
    if (its.load != words.load) words.load.clear();
    if (its.routing != words.routing) words.routing.clear();
    if (its.burst != words.burst) words.burst.clear();
  }
  return words.shape + words.load + words.routing + words.burst;
}

namespace {

/// Once.
void add_note(std::vector<std::string>& notes, const std::string& note) {
  if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
}

}  // namespace

void add_remarks(std::vector<std::string>& notes, const network::Network& network) {
  for (const std::string& remark : network.remarks)
    add_note(notes, "Input: " + remark + (remark.ends_with('.') ? "" : "."));
}

void add_remarks(std::vector<std::string>& notes, const answers::Topology& topology) {
  const auto* network = std::get_if<NetworkTopology>(&topology);
  if (network == nullptr) return;
  add_routes(notes, network->rules(), network->route_seed);
  add_remarks(notes, network->network);
  add_clocks(notes, network->network);
}

void add_clocks(std::vector<std::string>& notes, const network::Network& network) {
  const std::string speed = network.gbps ? " (" + plain(*network.gbps) + " Gbit/s)" : "";
  if (!network::has_unit_speeds(network))
    add_note(
        notes,
        "Links differ in speed: each by its own clock. A slot is the time of a packet on the slowest one "
        "with flows" +
            speed + "; latency has that of each queue's link.");
  else if (network.file_slots != 1)
    add_note(notes, "A slot is the time of a packet on the links with flows" + speed + ": " +
                        plain(network.file_slots) + " in one slot of the file.");
}

}  // namespace tailbound::render
