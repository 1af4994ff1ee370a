#pragma once

#include <tailbound/answers/network/topology.hpp>
#include <tailbound/render/document.hpp>

#include <string>
#include <vector>

/// How a tree or a network is shown among the inputs, the same for all that is asked about one.
/// Internal to the render module.
namespace tailbound::render {

/// " without a, b", or nothing.
[[nodiscard]] std::string failures_in_words(const std::vector<std::string>& without);
/// "without", where something fails.
[[nodiscard]] Cells failure_cells(const std::vector<std::string>& without);

/// "radix", "levels", "load", "routing", "traffic", "burst", "on_rate" of a tree, "network", "matrix", "without",
/// "uniform" and "load_scale" of a network.
[[nodiscard]] std::vector<Column> topology_columns();
[[nodiscard]] Cells topology_cells(const answers::Topology& topology);

/// What latency counts besides queueing: that a packet's first link is not among the slots.
[[nodiscard]] std::string latency_slots_in_words();
/// How many ports a switch of a tree has, a sentence; empty of other networks, whose files say it.
[[nodiscard]] std::string switch_in_words(const answers::Topology& topology);

/// "16-ary 3-tree at load 0.8, random-root routing, bursts of 8 slots", or the network's name, " under
/// uniform traffic of 0.5 packets a slot", " with its rates times 2".
/// \param all  of several points: what differs between them is left out
[[nodiscard]] std::string in_words(const answers::Topology& topology,
                                   const std::vector<const answers::Topology*>& all = {});

}  // namespace tailbound::render
