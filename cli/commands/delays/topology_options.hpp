#pragma once

#include <fmt/format.h>
#include <cli/options/options.hpp>
#include <cli/options/traffic_options.hpp>
#include <tailbound/answers/network/network_input.hpp>
#include <tailbound/answers/units.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

/// The options for the topology: a tree under uniform traffic, or any network from a file. Used by analysis
/// and simulation.
namespace tailbound::cli {

/// Packets per slot.
[[nodiscard]] inline Accepted<Rationals> packet_rates() {
  return shares().must_be("above 0 and at most 1 packet per slot").slider(0.01, 0.99, 0.01);
}

/// Of --route-seed: not below 0.
[[nodiscard]] inline Accepted<std::vector<std::int64_t>> route_seeds() {
  return integers(0, std::numeric_limits<std::int64_t>::max());
}

inline constexpr const char* speed_unit_help =
    "unit of speeds without one in files of other programs.\n{names}; default Gbit/s, and at most 3.2 Tbit/s";

/// --network --matrix --route --route-seed
struct NetworkFileOptions {
  OptionTable& rows;
  OptionGroup group{rows, "Network"};
  Text network{
      group, "--network", "FILE",
      fmt::format("network file: TOML, GraphML, edge list and others.\nTOML defines hosts, switches, "
                  "links and flows. Without flows: {}",
                  network::foreign_formats)};
  Text matrix{group, "--matrix", "FILE",
              "traffic matrix: CSV with the packets per slot.\nAs spreadsheets, pandas and others write it"};
  One<network::RouteRule> route{group, "--route", "NAME", one_name<network::RouteRule>(),
                                "routes: spread, ecmp, shortest, minimal or valiant.\nDefault that of the "
                                "file, or spread, over all shortest paths (wormhole networks: shortest, one "
                                "path); ecmp: each flow on one of them, by a hash; of a dragonfly minimal "
                                "(one link between two groups of switches) or valiant (through a third "
                                "group)"};
  Integers route_seed{group, "--route-seed", "LIST", route_seeds(),
                      "seeds of the hash of ecmp routes (default 1).\nOne result per seed: 1:20"};
};

struct TopologyOptions {
  OptionTable rows{};
  OptionGroup tree{rows, "Tree with uniform traffic"}, network{rows, "Network"};
  Integers radix{tree, "--radix", "K",
                 integers(network::Tree::min_radix, network::Tree::max_radix).slider(2, 64, 1),
                 "ports down and ports up: 16 for a 32-port switch.\n16 ports down, 16 up; network fat-tree "
                 "--radix counts all ports"};
  List<int> levels{tree, "--levels", "N", integers<int>(1, network::Tree::max_levels).slider(1, 6, 1),
                   "levels of switches; the tree has K^N hosts"};
  Numbers load{tree, "--load", "R", packet_rates(), "packets per slot of each host: 0.8 or 80%"};
  List<network::TreeRouting> routing{tree, "--routing", "NAME",
                                     names<network::TreeRouting>().first_by_default(),
                                     "{names}.\nDefault {}: every packet goes up to a random switch of the "
                                     "top level, also between two hosts of one switch. nearest-ancestor: up "
                                     "only to the first level from which the destination can be reached"};
  NetworkFileOptions file{rows};
  Numbers uniform{
      network, "--uniform", "LIST", packet_rates(),
      "packets per slot of each host, to all other hosts.\nEqually to each host that it can reach"};
  Numbers load_scale{network, "--load-scale", "LIST", shares().must_be("above 0").slider(0.05, 2, 0.05),
                     "factors of all rates"};
  Text without{network, "--without", "LIST",
               "failures: switches, links \"a -> b\", \"3 random\".\nWith a seed: \"3 random 7\""};
  One<network::SpeedUnit> speed_unit{network, "--speed-unit", "UNIT", one_name<network::SpeedUnit>(),
                                     speed_unit_help};
};

/// \throws InvalidArgument  options of a tree together with --network, those of a network without it, or a
///                          tree without one of its three
void require_one_topology(const TopologyOptions& options);
/// The tree for each combination of the entries of --radix, --levels, --routing, --burst, --on-rate and
/// --load, the last varying fastest.  \throws InvalidArgument  as read_tree()
[[nodiscard]] std::vector<answers::TreeTopology> read_trees(const TopologyOptions& options,
                                                            const BurstOptions& bursts = {});

/// Reads --network, and the matrix of --matrix or of the file itself.
/// One for each entry of --route-seed.
/// \throws InvalidArgument, ParseError, LimitExceeded
[[nodiscard]] std::vector<answers::NetworkTopology> read_seeded_networks(
    const NetworkFileOptions& options, network::FileUse use = network::FileUse::packets,
    const std::vector<std::string>& without = {}, std::optional<network::SpeedUnit> speed_unit = {});

/// --without; --uniform and --load-scale.  \throws InvalidArgument
[[nodiscard]] std::vector<std::string> read_failures(const TopologyOptions& options);
[[nodiscard]] answers::Loads read_loads(const TopologyOptions& options);

/// If the network's links have speeds, --packet-bytes alone determines the slot time.
/// \throws InvalidArgument  --link-gbps differs from the speed of one packet per slot
void take_speed(answers::Units& units, const network::Network& network);

/// The network for each combination of the entries of --route-seed, --uniform and --load-scale, the last
/// varying fastest. Without them a single network, not compared with its link capacities.
/// \throws InvalidArgument, ParseError, LimitExceeded  naming the option whose entry is too large, with the
/// legal range
[[nodiscard]] std::vector<answers::NetworkTopology> read_networks(
    const TopologyOptions& options, answers::Overload overload = answers::Overload::rejected);

}  // namespace tailbound::cli
