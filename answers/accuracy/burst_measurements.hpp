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

/// Simulated P(D > t) over the computed one, where the simulated one is nearest to one of measured_tails, and half its
/// 95 % interval; 0 where too few packets were seen.
struct BurstRatio {
  double ratio = 0, half_width = 0;
};
inline constexpr std::array<double, 7> measured_tails{0.5, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6};

struct BurstMeasurement {
  int radix = 0, levels = 0;
  int load = 0;   ///< of a leaf [%]
  int burst = 0;  ///< mean length [slots]
  network::TreeRouting routing = network::TreeRouting::random_root;
  traffic::Destination destination = traffic::Destination::per_burst;
  int on_rate = 100;                ///< [%]
  std::vector<BurstRatio> chain{};  ///< in the order of measured_tails, as many as were seen
  std::vector<BurstRatio> safe{};   ///< of Hops::safe; empty where that is none
};

[[nodiscard]] const std::vector<BurstMeasurement>& burst_measurements();

}  // namespace tailbound::answers
