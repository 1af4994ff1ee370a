#include <tailbound/queue/hops/wait_score.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::queue {
namespace {

/// The score is minus this power of the tail.
constexpr double exponent = 0.2;
/// Smaller atoms have no accurate difference of tails.
constexpr double min_atom = 1e-14;

}  // namespace

std::vector<double> wait_score(std::span<const double> mass) {
  std::vector<double> score(mass.size());
  double above = 0;
  for (std::size_t w = mass.size(); w-- > 0;) {
    const double from = above + mass[w];
    score[w] = mass[w] < min_atom ? -std::pow(above, exponent)
                                  : -(std::pow(from, 1 + exponent) - std::pow(above, 1 + exponent)) /
                                        ((1 + exponent) * mass[w]);
    above = from;
  }
  double mean = 0, square = 0;
  for (std::size_t w = 0; w < mass.size(); ++w) mean += mass[w] * score[w];
  for (std::size_t w = 0; w < mass.size(); ++w) square += mass[w] * (score[w] - mean) * (score[w] - mean);
  const double scale = square > 0 ? 1 / std::sqrt(square) : 0;
  for (double& value : score) value = (value - mean) * scale;
  return score;
}

double dependence_within(double wanted, std::span<const double> x, std::span<const double> y) {
  const auto [x_min, x_max] = std::minmax_element(x.begin(), x.end());
  const auto [y_min, y_max] = std::minmax_element(y.begin(), y.end());
  const double lowest = std::min(*x_min * *y_max, *x_max * *y_min);
  return lowest < 0 ? std::min(wanted, -1 / lowest) : wanted;
}

}  // namespace tailbound::queue
