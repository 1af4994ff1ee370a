#pragma once

namespace tailbound::test {

/// Confidence of intervals in tests: one in 10 000 misses.
inline constexpr double sure = 0.9999;

/// Does the interval of an estimate contain the value?
[[nodiscard]] bool holds(const auto& estimate, double value) {
  return estimate.lower <= value && value <= estimate.upper;
}

}  // namespace tailbound::test
