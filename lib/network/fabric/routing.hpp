#pragma once

#include <tailbound/network/network.hpp>
#include <tailbound/network/route_rule.hpp>

#include <cstdint>
#include <span>

/// Routes between the nodes of a network.
///
/// MODEL     The length of a route is its number of links. Hosts do not forward. A Valiant route follows a
///           shortest path to the nearest switch of a randomly drawn group (switch_groups.hpp), and from
///           there a shortest path to its destination; both legs as `spread`. A minimal route between two
///           groups takes the links of the first group, one link that joins the two, and the links of the
///           second: the shortest of these (minimal_link()), as `spread` where several are equally short.
///           ECMP is that of switches with a hash for each flow (RFC 2992): the hash takes the positions of
///           nodes in the network, so a route is the same on every machine.
/// SOURCE    minimal routes: Kim, Dally, Scott and Abts 2008 (local, global, local)
/// EXCLUDES  load-dependent routing.
namespace tailbound::network {

/// May a minimal route to a node of group `toward` take a link between two nodes of these groups? It stays in
/// a group, or enters the last one.
constexpr bool minimal_link(std::uint32_t from, std::uint32_t to, std::uint32_t toward) {
  return from == to || to == toward;
}

struct RouteRequest {
  std::size_t source = 0, destination = 0;  ///< different positions in Network::nodes
  RouteRule rule = default_route;
};

/// Maximum number of routes.
inline constexpr std::size_t max_routes = 1'000'000;
inline constexpr std::size_t max_route_steps = 20'000'000;
/// Maximum number of distances from nodes to groups, for Valiant routes.
inline constexpr std::size_t max_group_distances = 10'000'000;

/// The routes of each request, in its order. A request has none where the destination cannot be reached; for
/// Valiant routes, where a group that may be drawn cannot be reached, or the destination cannot be reached
/// from it; for minimal routes, where no link joins the groups of the ends. Routes through different groups
/// may have the same links.
///
/// COST  one search of the network for each different destination, O(nodes + links), and for each group.
/// \throws LimitExceeded    more than `max_routes` routes or `max_route_steps` links in them; more than 5e9
///                          search steps; more than `max_group_distances`
/// \throws InvalidArgument  as switch_groups() and require_in_group(), for minimal and Valiant routes
[[nodiscard]] std::vector<std::vector<Route>> find_routes(const Network& network,
                                                          std::span<const RouteRequest> requests);

}  // namespace tailbound::network
