#pragma once

#include <tailbound/network/clocks/link_clocks.hpp>
#include <tailbound/network/network.hpp>
#include <tailbound/network/tree.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// Where packets go: a tree under uniform traffic, or any network with its own flows. Used by analysis and
/// simulation.
namespace tailbound::answers {

struct TreeTopology {
  network::Tree tree;
  numeric::Rational load;  ///< of each leaf [packets/slot]
  network::TreeRouting routing = network::TreeRouting::random_root;
  std::optional<traffic::Burst> burst{};  ///< burstiness of each leaf; none: independent slots
  traffic::Destination destination = traffic::Destination::per_burst;  ///< of the packets of a burst
  /// Of a single level: loads of all classes, the one served first in front; `load` is then that of the
  /// selected class.
  std::vector<numeric::Rational> classes{};
  int priority = 1;  ///< the selected class

  /// Do its packets wait for those of other classes?
  [[nodiscard]] bool waits_for_others() const { return priority > 1; }
  /// Do the packets of a burst all take the same path?
  [[nodiscard]] bool bursts_keep_path() const {
    return burst.has_value() && destination == traffic::Destination::per_burst;
  }
};

struct NetworkTopology {
  network::Network network;             ///< valid by network::require_valid()
  std::string file{};                   ///< the file it was read from; empty if none
  std::optional<std::string> matrix{};  ///< separate file of flows
  std::optional<numeric::Rational>
      uniform{};  ///< rate of each host [packets/slot], if uniform traffic was requested
  std::optional<numeric::Rational> load_scale{};  ///< factor applied to its rates

  std::vector<std::string> without{};         ///< failures in addition to those of the file
  std::optional<std::uint64_t> route_seed{};  ///< of its ECMP routes; none if it has no such routes
  /// Of a network whose flows are not listed (network::Fabric): network::rules_of() its demands.
  std::vector<std::optional<network::RouteRule>> fabric_rules{};
  bool fabric_mixed_speeds = false;  ///< the same: do used links differ in speed?

  /// The name in the network file, otherwise the file name.
  [[nodiscard]] const std::string& name() const { return network.name.empty() ? file : network.name; }
  /// By which the routes were found, or none for given routes, as network::rules_of().
  [[nodiscard]] std::vector<std::optional<network::RouteRule>> rules() const {
    return fabric_rules.empty() ? network::rules_of(network) : fabric_rules;
  }
  [[nodiscard]] bool has_mixed_speeds() const {
    return fabric_mixed_speeds || network::has_mixed_speeds(network);
  }
};

using Topology = std::variant<TreeTopology, NetworkTopology>;

}  // namespace tailbound::answers
