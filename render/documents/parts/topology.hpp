#pragma once

#include <tailbound/answers/network/topology.hpp>
#include <tailbound/network/fabric/fabric.hpp>
#include <tailbound/render/fields.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Presentation of a tree or a network among the inputs, common to all commands.
/// Internal to the render module.
namespace tailbound::render {

/// " without a, b", or empty.
[[nodiscard]] std::string failures_in_words(const std::vector<std::string>& without);
/// "a,b", if something fails.
[[nodiscard]] std::optional<std::string> requested_failures(const std::vector<std::string>& without);

/// How the routes of a network were found: its rules, or none for given routes.
using RouteRules = std::vector<std::optional<network::RouteRule>>;
/// "spread", "shortest, given"; nothing of a network without flows.
[[nodiscard]] std::optional<std::string> route_names(const RouteRules& rules);
/// "spread over all shortest paths"
[[nodiscard]] std::string routes_in_words(const RouteRules& rules, const std::optional<std::uint64_t>& seed);
/// "route" and "route_seed"
[[nodiscard]] Column route_column();
[[nodiscard]] Column route_seed_column();
/// The rules of the traffic of a listed network, or of a fabric.
template <class Network>
[[nodiscard]] RouteRules rules_of_traffic(const Network& of) {
  if constexpr (requires { of.rules(); })
    return of.rules();
  else
    return network::rules_of(*of.fabric);
}

/// Of a listed network, or of a fabric.  \param named  its file, or its name
template <class Network, class Named>
[[nodiscard]] Fields<Network> network_fields(Named named) {
  return {{{"network", "network", "", Shape::text, "network file"}, named},
          {{"matrix", "matrix", "", Shape::text, "file of the traffic matrix, if given separately"},
           &Network::matrix,
           if_present},
          {route_column(), [](const Network& of) { return route_names(rules_of_traffic(of)); }, if_present},
          {route_seed_column(),
           [](const Network& of) {
             if constexpr (requires { of.route_seed; })
               return of.route_seed;
             else
               return std::optional<std::uint64_t>();
           },
           if_present},
          {{"without", "without", "", Shape::text, "failures: nodes, links, or a number of random links"},
           [](const Network& of) { return requested_failures(of.without); },
           if_present},
          {{"uniform", "uniform", "", Shape::given,
            "packets per slot of each host, sent uniformly to all others; above 0, at most 1"},
           &Network::uniform,
           if_present},
          {{"load_scale", "load scale", "", Shape::given, "all rates of the network times this, above 0"},
           &Network::load_scale,
           if_present}};
}

/// Of a tree or a listed network.
[[nodiscard]] const Fields<answers::Topology>& topology_fields();

/// What latency includes besides queueing: a packet's first link is not among the slots.
[[nodiscard]] std::string latency_slots_in_words(const answers::Topology& topology);
[[nodiscard]] std::string latency_slots_in_words(const network::Network& network);
/// A sentence with the number of ports of a tree switch; empty for other networks, whose files specify it.
[[nodiscard]] std::string switch_in_words(const answers::Topology& topology);

/// "Routes: spread over all shortest paths."; if the seeds of several networks differ, a single note.
void add_routes(std::vector<std::string>& notes, const RouteRules& rules,
                const std::optional<std::uint64_t>& seed = {});
/// How network files were interpreted where they are ambiguous; each remark once.
void add_remarks(std::vector<std::string>& notes, const network::Network& network);
/// What a slot is, if its links differ in speed or a slot of its file is another.
void add_clocks(std::vector<std::string>& notes, const network::Network& network);
/// Both, with the routes.
void add_remarks(std::vector<std::string>& notes, const answers::Topology& topology);

/// "16-ary 3-tree at load 0.8, random-root routing, bursts of 8 slots", or the network's name, with its
/// uniform traffic or the factor of its rates.
/// \param all  the points; varying parameters are omitted
[[nodiscard]] std::string in_words(const answers::Topology& topology,
                                   const std::vector<const answers::Topology*>& all = {});

}  // namespace tailbound::render
