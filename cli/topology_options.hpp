#pragma once

#include <CLI/App.hpp>
#include <cli/burst_options.hpp>
#include <cli/formats.hpp>
#include <tailbound/answers/topology.hpp>
#include <tailbound/network/network_file.hpp>

#include <optional>
#include <string>
#include <vector>

/// The options that say where packets go: a tree under uniform traffic, or any network from a file. The same
/// for the analysis and for the simulation.
namespace tailbound::cli {

/// As typed; an option that was not given is empty.
struct TopologyOptions {
  std::optional<std::string> radix, levels, load, routing, network, matrix, route;
};

/// --radix --levels --load --routing, --network --matrix --route. `options` must outlive the parse.
void add_topology_options(CLI::App& command, TopologyOptions& options);

/// --network --matrix --route alone.
void add_network_options(CLI::App& command, TopologyOptions& options);

/// \throws InvalidArgument  options of a tree together with --network, those of a network without it, or a
///                          tree that lacks one of its three
void require_one_topology(const TopologyOptions& options);

/// Reads --radix, --levels, --load and --routing, and the bursts of the leaves; without bursts --load is not
/// compared with what the links take.  \throws InvalidArgument
[[nodiscard]] answers::TreeTopology read_tree(const TopologyOptions& options,
                                              const BurstOptions& bursts = {});

/// The tree for each combination of the entries of --radix, --levels, --routing, --burst, --on-rate and --load,
/// the last changing fastest.  \throws InvalidArgument  as read_tree()
[[nodiscard]] std::vector<answers::TreeTopology> read_trees(const TopologyOptions& options,
                                                            const BurstOptions& bursts = {});

/// Reads --network, and the matrix of --matrix or of the file itself.
/// \throws InvalidArgument, ParseError, LimitExceeded
[[nodiscard]] answers::NetworkTopology read_network(const TopologyOptions& options,
                                                    network::FileUse use = network::FileUse::packets);

/// "16-ary 3-tree at load 0.8, random-root routing, bursts of 8 slots", or the network's name.
[[nodiscard]] std::string in_words(const answers::TreeTopology& tree);
[[nodiscard]] std::string in_words(const answers::Topology& topology);

/// Adds the topology as understood to the "inputs" of a JSON document; without the bursts.
void describe_topology(Json& inputs, const answers::Topology& topology);

}  // namespace tailbound::cli
