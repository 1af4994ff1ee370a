#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/parts/topology.hpp>
#include <tailbound/render/documents/parts/traffic.hpp>

#include <optional>

namespace tailbound::render {
namespace {

using answers::NetworkTopology;
using answers::Topology;
using answers::TreeTopology;
using numeric::plain;

/// The parts of a description, of which a list of points may share some and not others.
struct TopologyWords {
  std::string shape, load, routing, burst;
};

std::string burst_in_words(const TreeTopology& tree) {
  if (!tree.burst) return "";
  const traffic::Burst& burst = *tree.burst;
  return fmt::format(", bursts of {} slot{}{} ({})", plain(burst.slots), burst.slots == 1 ? "" : "s",
                     burst.on_rate == 1 ? "" : fmt::format(" at rate {}", plain(burst.on_rate)),
                     in_words(tree.destination, "destination"));
}

std::string network_load_in_words(const NetworkTopology& network) {
  std::string words = failures_in_words(network.without);
  if (network.uniform)
    words += fmt::format(" under uniform traffic of {} packets a slot", plain(*network.uniform));
  if (network.load_scale) words += fmt::format(" with its rates times {}", plain(*network.load_scale));
  return words;
}

TopologyWords words_of(const Topology& topology) {
  if (const auto* network = std::get_if<NetworkTopology>(&topology))
    return {network->name(), network_load_in_words(*network), {}, {}};
  const auto& tree = std::get<TreeTopology>(topology);
  return {fmt::format("{}-ary {}-tree", tree.tree.radix, tree.tree.levels), " at load " + plain(tree.load),
          fmt::format(", {} routing", name_of(tree.routing)), burst_in_words(tree)};
}

}  // namespace

std::string failures_in_words(const std::vector<std::string>& without) {
  return without.empty() ? "" : fmt::format(" without {}", fmt::join(without, ", "));
}

Cells failure_cells(const std::vector<std::string>& without) {
  if (without.empty()) return {};
  return {{"without", Text{fmt::format("{}", fmt::join(without, ","))}}};
}

std::vector<Column> topology_columns() {
  return {
      {"radix", "radix", "", Shape::whole,
       "ports of a tree's switch on each side: as many down as up, 2 to 1024"},
      {"levels", "levels", "", Shape::whole, "levels of a tree's switches: radix^levels leaves"},
      {"load", "load", "", Shape::given, "packets a slot that each leaf of the tree sends, 0 to 1"},
      {"routing", "routing", "", Shape::text,
       "random-root: always up to the top; or nearest-ancestor: no further than needed"},
      {"traffic", "traffic", "", Shape::text, "of a tree's leaves: bernoulli or onoff", Style::hidden},
      {"burst", "burst", "slots", Shape::given, "mean length of a leaf's bursts, at least 1"},
      {"on_rate", "on-rate", "", Shape::given, "packets a slot of a leaf within a burst, above 0, at most 1"},
      destination_column(),
      {"network", "network", "", Shape::text, "file of hosts, switches, links and flows"},
      {"matrix", "matrix", "", Shape::text, "file of the traffic matrix that was asked for beside it"},
      {"without", "without", "", Shape::text, "what was asked to fail: nodes, links, so many at random"},
      {"uniform", "uniform", "", Shape::given,
       "packets a slot that each host of the network sends, the same to each other; above 0, at most 1"},
      {"load_scale", "load scale", "", Shape::given, "all rates of the network times this, above 0"},
  };
}

Cells topology_cells(const Topology& topology) {
  Cells cells;
  if (const auto* network = std::get_if<NetworkTopology>(&topology)) {
    cells.push_back({"network", Text{network->file}});
    if (network->matrix) cells.push_back({"matrix", Text{*network->matrix}});
    cells = joined(std::move(cells), failure_cells(network->without));
    if (network->uniform) cells.push_back({"uniform", Given{*network->uniform}});
    if (network->load_scale) cells.push_back({"load_scale", Given{*network->load_scale}});
    return cells;
  }
  const auto& tree = std::get<TreeTopology>(topology);
  cells = {{"radix", Whole{tree.tree.radix}},
           {"levels", Whole{tree.tree.levels}},
           {"load", Given{tree.load}},
           {"routing", Text{name_of(tree.routing)}},
           {"traffic", Text{tree.burst ? "onoff" : "bernoulli"}}};
  if (tree.burst) {
    cells.push_back({"burst", Given{tree.burst->slots}});
    cells.push_back({"on_rate", Given{tree.burst->on_rate}});
    cells.push_back({"burst_destination", Text{name_of(tree.destination)}});
  }
  return cells;
}

std::string latency_slots_in_words() {
  return "a slot for each queue passed (none for the sender's own link)";
}

std::string switch_in_words(const Topology& topology) {
  return std::holds_alternative<TreeTopology>(topology)
             ? "A switch of a k-ary tree has k ports down and k up."
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

}  // namespace tailbound::render
