#pragma once

#include <tailbound/network/network.hpp>

#include <span>

/// Shortest routes between the nodes of a network.
///
/// MODEL     The length of a route is its number of links. Hosts do not forward.
/// EXCLUDES  load-dependent routing.
namespace tailbound::network {

enum class RouteRule {
  shortest,  ///< one shortest route: at each node the first listed link that leads closer
  spread,    ///< all shortest routes: at each node every link that leads closer, in proportion to its weight
};

struct RouteRequest {
  std::size_t source = 0, destination = 0;  ///< different positions in Network::nodes
  RouteRule rule = RouteRule::shortest;
};

/// What routes may add up to.
inline constexpr std::size_t most_routes = 1'000'000;
inline constexpr std::size_t most_route_steps = 20'000'000;

/// The routes of each request, in its order; none where no way leads to the destination.
///
/// COST  one search of the network for each destination that differs, O(nodes + links).
/// \throws LimitExceeded  more than `most_routes` routes or `most_route_steps` links in them; more than
///                        5e9 steps of searching
[[nodiscard]] std::vector<std::vector<Route>> find_routes(const Network& network,
                                                          std::span<const RouteRequest> requests);

}  // namespace tailbound::network
