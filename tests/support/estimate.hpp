#pragma once

namespace tailbound::test {

/// Confidence of intervals that a test asks for: one in 10 000 misses.
inline constexpr double sure = 0.9999;

/// Whether the interval of an estimate holds the value.
[[nodiscard]] bool holds(const auto& estimate, double value) {
  return estimate.lower <= value && value <= estimate.upper;
}

}  // namespace tailbound::test
