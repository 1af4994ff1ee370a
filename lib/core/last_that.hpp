#pragma once

#include <algorithm>
#include <cstdint>

namespace tailbound {

/// The last of low, low + 1, .., most for which a condition holds that holds up to some number and not
/// beyond; low - 1 if for none. Evaluates it some 2 log2(distance from `low`) times.
/// \param holds  number -> bool
template <class Holds>
[[nodiscard]] std::int64_t last_that(std::int64_t low, std::int64_t maximum, const Holds& holds) {
  std::int64_t good = low - 1, step = 1;
  while (good < maximum && holds(std::min(good + step, maximum))) {
    good = std::min(good + step, maximum);
    step *= 2;
  }
  std::int64_t bad = std::min(good + step, maximum + 1);
  while (bad - good > 1) {
    const std::int64_t middle = good + (bad - good) / 2;
    (holds(middle) ? good : bad) = middle;
  }
  return good;
}

}  // namespace tailbound
