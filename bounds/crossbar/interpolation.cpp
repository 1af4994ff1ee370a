#include <tailbound/bounds/crossbar/interpolation.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::bounds {
namespace {

/// Slope at an end with steps h and slopes d of the first two intervals.
double slope_at_end(double h0, double h1, double d0, double d1) {
  const double slope = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
  if (slope * d0 <= 0) return 0;
  return d0 * d1 <= 0 && std::abs(slope) > 3 * std::abs(d0) ? 3 * d0 : slope;
}

}  // namespace

std::optional<double> monotone_cubic(const Places& places, double x) {
  for (const auto& [at, y] : places)
    if (at == x) return y;
  const std::size_t count = places.size();
  if (count < 2 || x < places.front().first || x > places.back().first) return std::nullopt;
  const auto h = [&](std::size_t i) { return places[i + 1].first - places[i].first; };
  const auto d = [&](std::size_t i) { return (places[i + 1].second - places[i].second) / h(i); };
  const auto slope = [&](std::size_t i) {
    if (count == 2) return d(0);
    if (i == 0) return slope_at_end(h(0), h(1), d(0), d(1));
    if (i == count - 1) return slope_at_end(h(i - 1), h(i - 2), d(i - 1), d(i - 2));
    if (d(i - 1) * d(i) <= 0) return 0.0;
    const double first = 2 * h(i) + h(i - 1), second = h(i) + 2 * h(i - 1);
    return (first + second) / (first / d(i - 1) + second / d(i));
  };
  std::size_t i = 0;
  while (x > places[i + 1].first) ++i;
  const double step = h(i), s = (x - places[i].first) / step;
  return (1 + 2 * s) * (1 - s) * (1 - s) * places[i].second + s * (1 - s) * (1 - s) * step * slope(i) +
         s * s * (3 - 2 * s) * places[i + 1].second - s * s * (1 - s) * step * slope(i + 1);
}

std::optional<double> through_nearest(const Places& places, double x) {
  for (const auto& [at, y] : places)
    if (at == x) return y;
  if (places.size() < 2 || x < places.front().first || x > places.back().first) return std::nullopt;
  Places nearest = places;
  std::sort(nearest.begin(), nearest.end(),
            [x](const auto& a, const auto& b) { return std::abs(a.first - x) < std::abs(b.first - x); });
  nearest.resize(std::min<std::size_t>(nearest.size(), 4));
  double sum = 0;
  for (const auto& [at, y] : nearest) {
    double factor = y;
    for (const auto& [other, unused] : nearest)
      if (other != at) factor *= (x - other) / (at - other);
    sum += factor;
  }
  return sum;
}

}  // namespace tailbound::bounds
