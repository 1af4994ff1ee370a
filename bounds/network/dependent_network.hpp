#pragma once

#include <tailbound/bounds/path/dependent_delay.hpp>
#include <tailbound/network/network.hpp>
#include <tailbound/network/tree.hpp>

#include <memory>
#include <optional>
#include <vector>

/// The pairs of successive queues in trees and networks.
///
/// MODEL     bounds/path/dependent_delay.hpp; independent source arrivals (network/queue_traffic.hpp)
/// SOURCE    docs/derivations/dependent_hops.md; with bursts docs/derivations/aged_bursts.md
/// TESTS     tests/bounds/path/dependent_delay_test.cpp: a tree in closed form and written out; with bursts
///           tests/bounds/path/per_packet_delay_test.cpp
namespace tailbound::bounds {

struct DependentPaths {
  std::shared_ptr<const DependentHops> hops;
  /// Per flow (in a tree: of all packets), in the order of FlowDelay::routes or TreeDelay::routes; none where
  /// a queue on a route has bursts.
  std::vector<std::vector<Route>> flows;
};

/// In a tree with random-root routing all hops after the root are modelled like the root's.
/// \param burst  of every leaf, with per-packet destinations
/// \throws as network::tree_paths(); with bursts as tree_delay()
[[nodiscard]] DependentPaths dependent_tree(const network::Tree& tree, const numeric::Rational& load,
                                            network::TreeRouting routing,
                                            const std::optional<traffic::Burst>& burst = {});

/// \pre network::has_unit_speeds()
/// \throws as network::require_valid()
[[nodiscard]] DependentPaths dependent_network(const network::Network& network);

}  // namespace tailbound::bounds
