#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

/// Interpolation in tables of simulated switches. Internal to the bounds module.
namespace tailbound::bounds {

/// (x, y), x increasing.
using Places = std::vector<std::pair<double, double>>;

/// Monotone piecewise cubic (PCHIP: Fritsch and Butland's slopes, three-point slopes at the ends).
/// \return none outside the places, or of fewer than two; at a single place its own value
[[nodiscard]] std::optional<double> monotone_cubic(const Places& places, double x);

/// Lagrange's polynomial through the four places nearest to x.
/// \return none outside the places
[[nodiscard]] std::optional<double> through_nearest(const Places& places, double x);

}  // namespace tailbound::bounds
