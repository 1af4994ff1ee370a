#pragma once

#include <tailbound/network/network.hpp>

#include <array>
#include <span>

/// Routes between the nodes of a network.
///
/// MODEL     The length of a route is its number of links. Hosts do not forward. A Valiant route leads on a shortest way
///           to a group of switches (switch_groups.hpp) that the packet draws, whichever of its switches are nearest, and
///           from where it came into that group on a shortest way to its destination; both legs as `spread`.
/// EXCLUDES  load-dependent routing.
namespace tailbound::network {

enum class RouteRule {
  shortest,  ///< one shortest route: at each node the first listed link that leads closer
  spread,    ///< all shortest routes: at each node every link that leads closer, in proportion to its weight
  valiant,  ///< spread within a group of switches; between groups by way of a third one, each with equal chances
};

/// As files and options call them, by rule.
inline constexpr std::array<const char*, 3> route_names{"shortest", "spread", "valiant"};

/// How the links of a shortest way are chosen, of a whole one or of a leg.
constexpr RouteRule leg_rule(RouteRule rule) {
  return rule == RouteRule::shortest ? RouteRule::shortest : RouteRule::spread;
}

struct RouteRequest {
  std::size_t source = 0, destination = 0;  ///< different positions in Network::nodes
  RouteRule rule = RouteRule::shortest;
};

/// What routes may add up to.
inline constexpr std::size_t most_routes = 1'000'000;
inline constexpr std::size_t most_route_steps = 20'000'000;
/// Of Valiant routes, which keep the distances of nodes to groups: pairs of both.
inline constexpr std::size_t most_group_distances = 10'000'000;

/// The routes of each request, in its order; none where no way leads to the destination, or none of a Valiant route's
/// to a group that it may draw, or from there on. Routes of different groups may be the same links.
///
/// COST  one search of the network for each destination that differs, O(nodes + links), and for each group.
/// \throws LimitExceeded    more than `most_routes` routes or `most_route_steps` links in them; more than
///                          5e9 steps of searching; more than `most_group_distances`
/// \throws InvalidArgument  as switch_groups() and require_in_group(), of Valiant routes
[[nodiscard]] std::vector<std::vector<Route>> find_routes(const Network& network,
                                                          std::span<const RouteRequest> requests);

}  // namespace tailbound::network
