#pragma once

namespace tailbound::test {

/// Whether the interval of an estimate holds the value.
[[nodiscard]] bool holds(const auto& estimate, double value) {
  return estimate.lower <= value && value <= estimate.upper;
}

}  // namespace tailbound::test
