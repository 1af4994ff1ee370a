#pragma once

#include <tailbound/network/tree.hpp>
#include <tailbound/traffic/on_off.hpp>

#include <array>
#include <vector>

/// How far simulated delays of bursts through trees are from the models: the numbers behind rows of accuracy.hpp.
///
/// SOURCE    `tailbound simulate tree` with seeds 1000 to 1033, 2e8 to 5e8 packets each, run on 2026-11-27;
///           docs/derivations/aged_bursts.md
namespace tailbound::answers {

/// Of P(D > t).
inline constexpr std::array<double, 7> measured_tails{0.5, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6};

struct BurstTree {
  int radix = 0, levels = 0;
  int load = 0;   ///< of a leaf [%]
  int burst = 0;  ///< mean length [slots]
  network::TreeRouting routing = network::TreeRouting::random_root;
  traffic::Destination destination = traffic::Destination::per_burst;
  int on_rate = 100;  ///< [%]
};

struct BurstMeasurement {
  BurstTree tree;
  /// Simulated P(D > t) over the computed one, where the simulated one is nearest to each of measured_tails that was
  /// seen, each with half its 95 % interval; both 0 where too few packets were seen. Of Hops::chain, and of Hops::safe
  /// where bursts keep their path.
  std::vector<double> chain{}, safe{};
};

[[nodiscard]] const std::vector<BurstMeasurement>& burst_measurements();

}  // namespace tailbound::answers
