#pragma once

#include <array>
#include <cstdint>

/// The rules by which routes are found: fabric/routing.hpp finds them, network files and options name them.
namespace tailbound::network {

enum class RouteRule {
  shortest,  ///< one shortest route: at each node the first listed link that leads closer
  spread,    ///< all shortest routes: at each node every link that leads closer, in proportion to its weight
  /// dragonfly: spread within a group of switches; between two groups by one link from the first to the
  /// second
  minimal,
  /// spread within a group of switches; between groups through a third one, each with equal probability
  valiant,
  /// one shortest route: at each node one of the links that lead closer, chosen in proportion to its weight
  /// by a hash of the ends of the flow, the node and the seed Network::route_seed
  ecmp,
};
/// Names in files and options.
[[nodiscard]] constexpr auto names_of(RouteRule) {
  return std::array{"shortest", "spread", "minimal", "valiant", "ecmp"};
}

/// The rule of flows, matrices and uniform traffic that name none. A network in which a single shortest route
/// joins each pair has the same routes by `shortest`.
inline constexpr RouteRule default_route = RouteRule::spread;

/// How the links of a shortest route, or of a leg, are chosen.
constexpr RouteRule leg_rule(RouteRule rule) {
  return rule == RouteRule::valiant ? RouteRule::spread : rule;
}

/// Do routes of this rule use groups of switches?
constexpr bool knows_groups(RouteRule rule) {
  return rule == RouteRule::minimal || rule == RouteRule::valiant;
}

/// Does a flow have a single route by this rule?
constexpr bool has_one_route(RouteRule rule) {
  return rule == RouteRule::shortest || rule == RouteRule::ecmp;
}

}  // namespace tailbound::network
