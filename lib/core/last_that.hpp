#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <utility>

/// Bisection: where a condition changes that changes once.
namespace tailbound {

/// The first of low, low + 1, .., high - 1 from which on a condition holds; high if for none.
/// Evaluates it log2(high - low) times.
/// \param holds  number -> bool
template <std::integral Number, class Holds>
[[nodiscard]] Number first_that(Number low, Number high, const Holds& holds) {
  while (low < high) {
    const Number middle = low + (high - low - 1) / 2;
    if (holds(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

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
  return first_that(good + 1, std::min(good + step, maximum + 1),
                    [&](std::int64_t number) { return !holds(number); }) -
         1;
}

/// The ends of an interval at whose lower one a condition holds and at whose upper one it does not, halved to
/// a width of `relative` times its upper end; 0: to neighbouring numbers.
/// \param holds  number -> bool; not evaluated at the ends
template <std::floating_point Number, class Holds>
[[nodiscard]] std::pair<Number, Number> halved(Number low, Number high, const Holds& holds,
                                               double relative = 0) {
  while (high - low > static_cast<Number>(relative) * high) {
    const Number middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (holds(middle) ? low : high) = middle;
  }
  return {low, high};
}

}  // namespace tailbound
