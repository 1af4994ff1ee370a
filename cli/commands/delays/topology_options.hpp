#pragma once

#include <cli/options/options.hpp>
#include <cli/options/traffic_options.hpp>
#include <tailbound/answers/network/network_input.hpp>
#include <tailbound/answers/units.hpp>

#include <optional>
#include <string>
#include <vector>

/// The options that say where packets go: a tree under uniform traffic, or any network from a file. The same
/// for the analysis and for the simulation.
namespace tailbound::cli {

/// As typed; an option that was not given is empty.
struct TopologyOptions {
  std::optional<std::string> radix, levels, load, routing, network, matrix, route, uniform, load_scale,
      without;
};

/// --radix --levels --load --routing, --network --matrix --uniform --route --load-scale --without. `options` must outlive the
/// parse.
void add_topology_options(OptionTable& table, TopologyOptions& options);

/// --network --matrix --route alone.
void add_network_options(OptionTable& table, TopologyOptions& options);

/// \throws InvalidArgument  options of a tree together with --network, those of a network without it, or a
///                          tree that lacks one of its three
void require_one_topology(const TopologyOptions& options);
/// The tree for each combination of the entries of --radix, --levels, --routing, --burst, --on-rate and --load,
/// the last changing fastest.  \throws InvalidArgument  as read_tree()
[[nodiscard]] std::vector<answers::TreeTopology> read_trees(const TopologyOptions& options,
                                                            const BurstOptions& bursts = {});

/// Reads --network, and the matrix of --matrix or of the file itself. --uniform and --load-scale are not looked at.
/// \throws InvalidArgument, ParseError, LimitExceeded
[[nodiscard]] answers::NetworkTopology read_network(const TopologyOptions& options,
                                                    network::FileUse use = network::FileUse::packets);

/// --route, --without, --uniform and --load-scale.  \throws InvalidArgument
[[nodiscard]] network::RouteRule read_route(const TopologyOptions& options);
/// \throws InvalidArgument  no such way
[[nodiscard]] network::RouteRule parse_route(const std::string& name);
[[nodiscard]] std::vector<std::string> read_failures(const TopologyOptions& options);
[[nodiscard]] answers::Loads read_loads(const TopologyOptions& options);

/// Where the network's links have speeds, --packet-bytes alone says how long a slot is.
/// \throws InvalidArgument  --link-gbps is another speed than that of a packet a slot
void take_speed(answers::Units& units, const network::Network& network);

/// The network for each combination of the entries of --uniform and --load-scale, the last changing fastest; a single
/// one without them, which is not compared with what its links take.
/// \throws InvalidArgument, ParseError, LimitExceeded  naming the option whose entry is too great, with what is legal
[[nodiscard]] std::vector<answers::NetworkTopology> read_networks(
    const TopologyOptions& options, answers::Overload overload = answers::Overload::refused);

}  // namespace tailbound::cli
