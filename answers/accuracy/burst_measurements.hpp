#pragma once

#include <tailbound/network/tree.hpp>
#include <tailbound/traffic/on_off.hpp>

#include <array>
#include <vector>

/// Simulated and computed delays of bursts through trees: the measurements behind rows of accuracy.hpp.
///
/// SOURCE    `tailbound simulate tree` with seeds 1000 to 1033, 2e8 to 5e8 packets each, run on 2026-11-27;
///           docs/derivations/aged_bursts.md
namespace tailbound::answers {

/// Values of P(D > t).
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
  /// Ratio simulated / computed P(D > t), at the observed probability nearest to each of measured_tails, each
  /// with half its 95 % interval; both 0 if too few packets were observed. For Hops::chain, and for
  /// Hops::safe if bursts keep their path.
  std::vector<double> chain{}, safe{};
};

[[nodiscard]] const std::vector<BurstMeasurement>& burst_measurements();

}  // namespace tailbound::answers
