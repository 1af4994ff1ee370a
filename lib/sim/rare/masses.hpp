#pragma once

#include <cstdint>
#include <vector>

/// Distributions of numbers of packets and sources for the simulations of rare events, without their
/// negligible ends. Internal to the sim module.
namespace tailbound::sim {

/// Probabilities of first, first + 1, ...
struct Masses {
  std::int32_t first = 0;
  std::vector<double> values;
};

/// From the most likely value outwards, until the masses are negligible. \pre 0 <= count
[[nodiscard]] Masses binomial(std::int32_t count, double probability);

/// Of the sum of two independent numbers.
[[nodiscard]] Masses convolved(const Masses& left, const Masses& right);

}  // namespace tailbound::sim
