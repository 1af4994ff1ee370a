#pragma once

#include <tailbound/network/network.hpp>

#include <array>
#include <cstdint>
#include <span>

/// Routes between the nodes of a network.
///
/// MODEL     The length of a route is its number of links. Hosts do not forward. A Valiant route leads on a shortest way
///           to a group of switches (switch_groups.hpp) that the packet draws, whichever of its switches are nearest, and
///           from where it came into that group on a shortest way to its destination; both legs as `spread`. A minimal
///           route between two groups takes the links of the first group, one link that joins the two, and the links of
///           the second: the shortest of these (minimal_link()), as `spread` where several are equally short.
/// SOURCE    minimal routes: Kim, Dally, Scott and Abts 2008 (local, global, local)
/// EXCLUDES  load-dependent routing.
namespace tailbound::network {

enum class RouteRule {
  shortest,  ///< one shortest route: at each node the first listed link that leads closer
  spread,    ///< all shortest routes: at each node every link that leads closer, in proportion to its weight
  minimal,  ///< of a dragonfly: spread within a group of switches; between two by one link from the first to the second
  valiant,  ///< spread within a group of switches; between groups by way of a third one, each with equal chances
};
/// As files and options call them.
[[nodiscard]] constexpr auto names_of(RouteRule) {
  return std::array{"shortest", "spread", "minimal", "valiant"};
}

/// How the links of a shortest way are chosen, of a whole one or of a leg.
constexpr RouteRule leg_rule(RouteRule rule) {
  return rule == RouteRule::valiant ? RouteRule::spread : rule;
}

/// Do routes of this rule know groups of switches?
constexpr bool knows_groups(RouteRule rule) {
  return rule == RouteRule::minimal || rule == RouteRule::valiant;
}

/// May a minimal route to a node of group `toward` take a link between two nodes of these groups? It stays in a group, or
/// enters the last one.
constexpr bool minimal_link(std::uint32_t from, std::uint32_t to, std::uint32_t toward) {
  return from == to || to == toward;
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
/// to a group that it may draw, or from there on; nor where no link joins the groups of a minimal route's ends. Routes of different groups may be the same links.
///
/// COST  one search of the network for each destination that differs, O(nodes + links), and for each group.
/// \throws LimitExceeded    more than `most_routes` routes or `most_route_steps` links in them; more than
///                          5e9 steps of searching; more than `most_group_distances`
/// \throws InvalidArgument  as switch_groups() and require_in_group(), of minimal and Valiant routes
[[nodiscard]] std::vector<std::vector<Route>> find_routes(const Network& network,
                                                          std::span<const RouteRequest> requests);

}  // namespace tailbound::network
