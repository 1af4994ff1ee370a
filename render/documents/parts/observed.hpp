#pragma once

#include <tailbound/numeric/text/decimal.hpp>
#include <tailbound/render/value.hpp>

#include <limits>

namespace tailbound::render {

/// An estimate without a known interval: its ends are infinite, and null in data formats.
[[nodiscard]] inline Value observed(double value) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return Estimate{value, -infinity, infinity};
}

/// A double as the equivalent input: the shortest decimal that reads as it.
[[nodiscard]] inline Given given(double value) {
  return {numeric::shortest_decimal(value)};
}

}  // namespace tailbound::render
