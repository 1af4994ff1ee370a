#include <tailbound/numeric/short_laws.hpp>
#include <tailbound/sim/rare/masses.hpp>
#include <tailbound/sim/rare/rare_event.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::sim {

Masses binomial(std::int32_t count, double probability) {
  if (probability >= 1) return {count, {1}};
  if (probability <= 0 || count == 0) return {0, {1}};
  const double odds = probability / (1 - probability);
  const auto mode = std::min(count, static_cast<std::int32_t>(std::floor((count + 1) * probability)));
  const double log_mass = std::lgamma(count + 1.0) - std::lgamma(mode + 1.0) -
                          std::lgamma(count - mode + 1.0) + mode * std::log(probability) +
                          (count - mode) * std::log1p(-probability);
  const double top = std::exp(log_mass);
  std::vector<double> down, up{top};
  for (std::int32_t j = mode; j > 0; --j) {
    const double mass = (down.empty() ? top : down.back()) * j / ((count - j + 1) * odds);
    if (mass < negligible / 100) break;
    down.push_back(mass);
  }
  for (std::int32_t j = mode; j < count; ++j) {
    const double mass = up.back() * (count - j) / (j + 1) * odds;
    if (mass < negligible / 100) break;
    up.push_back(mass);
  }
  Masses result{mode - static_cast<std::int32_t>(down.size()), {down.rbegin(), down.rend()}};
  result.values.insert(result.values.end(), up.begin(), up.end());
  return result;
}

Masses convolved(const Masses& left, const Masses& right) {
  const Masses sum{left.first + right.first, numeric::convolved(left.values, right.values)};
  double below = 0, above = 0;
  std::size_t from = 0, to = sum.values.size();
  while (from + 1 < to && below + sum.values[from] < negligible) below += sum.values[from++];
  while (to > from + 1 && above + sum.values[to - 1] < negligible) above += sum.values[--to];
  return {sum.first + static_cast<std::int32_t>(from),
          {sum.values.begin() + static_cast<std::ptrdiff_t>(from),
           sum.values.begin() + static_cast<std::ptrdiff_t>(to)}};
}

}  // namespace tailbound::sim
