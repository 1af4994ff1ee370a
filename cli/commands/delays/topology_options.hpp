#pragma once

#include <cli/options/options.hpp>
#include <cli/options/traffic_options.hpp>
#include <tailbound/answers/network/network_input.hpp>
#include <tailbound/answers/units.hpp>

#include <optional>
#include <string>
#include <vector>

/// The options for the topology: a tree under uniform traffic, or any network from a file. Used by analysis
/// and simulation.
namespace tailbound::cli {

/// As typed; empty if not given.
struct TopologyOptions {
  std::optional<std::string> radix, levels, load, routing, network, matrix, route, uniform, load_scale,
      without;
};

/// --radix --levels --load --routing, --network --matrix --uniform --route --load-scale --without. `options`
/// must outlive the parse.
void add_topology_options(OptionTable& table, TopologyOptions& options);

/// Only --network --matrix --route.
void add_network_options(OptionTable& table, TopologyOptions& options);

/// \throws InvalidArgument  options of a tree together with --network, those of a network without it, or a
///                          tree without one of its three
void require_one_topology(const TopologyOptions& options);
/// The tree for each combination of the entries of --radix, --levels, --routing, --burst, --on-rate and
/// --load, the last varying fastest.  \throws InvalidArgument  as read_tree()
[[nodiscard]] std::vector<answers::TreeTopology> read_trees(const TopologyOptions& options,
                                                            const BurstOptions& bursts = {});

/// Reads --network, and the matrix of --matrix or of the file itself. --uniform and --load-scale are ignored.
/// \throws InvalidArgument, ParseError, LimitExceeded
[[nodiscard]] answers::NetworkTopology read_network(const TopologyOptions& options,
                                                    network::FileUse use = network::FileUse::packets);

/// --route (none: that of the file), --without, --uniform and --load-scale.  \throws InvalidArgument
[[nodiscard]] std::optional<network::RouteRule> read_route(const TopologyOptions& options);
/// \throws InvalidArgument  unknown route rule
[[nodiscard]] network::RouteRule parse_route(const std::string& name);
[[nodiscard]] std::vector<std::string> read_failures(const TopologyOptions& options);
[[nodiscard]] answers::Loads read_loads(const TopologyOptions& options);

/// If the network's links have speeds, --packet-bytes alone determines the slot time.
/// \throws InvalidArgument  --link-gbps differs from the speed of one packet per slot
void take_speed(answers::Units& units, const network::Network& network);

/// The network for each combination of the entries of --uniform and --load-scale, the last varying fastest.
/// Without them a single network, not compared with its link capacities.
/// \throws InvalidArgument, ParseError, LimitExceeded  naming the option whose entry is too large, with the
/// legal range
[[nodiscard]] std::vector<answers::NetworkTopology> read_networks(
    const TopologyOptions& options, answers::Overload overload = answers::Overload::rejected);

}  // namespace tailbound::cli
