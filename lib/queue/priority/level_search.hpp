#pragma once

#include <tailbound/core/error.hpp>
#include <tailbound/numeric/real.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// The level at which a falling probability reaches a target. Internal to the queue module.
namespace tailbound::queue {

inline constexpr std::size_t max_class_levels = 16384;

/// Twice as many levels.  \throws LimitExceeded  beyond max_class_levels
[[nodiscard]] inline std::size_t next_levels(std::size_t size) {
  if (size >= max_class_levels)
    throw LimitExceeded("the lower class is analysed up to " + std::to_string(max_class_levels) +
                        " packets or slots, which is the limit");
  return std::min(2 * size, max_class_levels);
}
/// 64, 128, .. levels, at least `wanted`.
[[nodiscard]] inline std::size_t levels_for(std::size_t wanted) {
  std::size_t size = 64;
  while (size < wanted) size = next_levels(size);
  return size;
}

/// The level and its probability, and that of the level before; none at level 0.
template <class Value>
struct LevelBoundary {
  std::int64_t level = 0;
  Value at;
  std::optional<Value> before;
};

/// \param target   above 0, below 1
/// \param near     computed, not proved: vector of the first `size` levels
/// \param at       (level, digits) -> value
/// \param bounds   value -> its lower and upper end
/// \throws LimitExceeded  the level is beyond the limit, or the target too close to a probability
template <class Near, class At, class Bounds>
[[nodiscard]] auto level_boundary(const numeric::Rational& target, numeric::Digits digits, const Near& near,
                                  const At& at, const Bounds& bounds) {
  using Value = decltype(at(std::int64_t{}, digits));
  if (target <= 0 || target >= 1)
    throw InvalidArgument("target", numeric::to_fraction(target), "above 0 and below 1");
  const numeric::PrecisionScope scope(numeric::Precision{128});
  const long double wanted =
      mpfr_get_ld(numeric::to_real(target, numeric::Rounding::nearest).backend().data(), MPFR_RNDN);
  std::size_t size = 64;
  while (near(size)[size - 1] > wanted * 0.999L) size = next_levels(size);
  const std::vector<long double>& values = near(size);
  const auto place =
      std::partition_point(values.begin(), values.end(), [&](long double v) { return v > wanted; });
  const std::int64_t level = place - values.begin();
  // The computed level may be off by one next to a boundary that it cannot decide.
  for (; digits.count < 1200; digits.count *= 4)
    for (const std::int64_t candidate : {level, level + 1, level - 1}) {
      if (candidate < 0) continue;
      Value found = at(candidate, digits);
      if (numeric::compare(bounds(found).second, target) > 0) continue;
      if (candidate == 0) return LevelBoundary<Value>{candidate, std::move(found), std::nullopt};
      Value before = at(candidate - 1, digits);
      if (numeric::compare(bounds(before).first, target) > 0)
        return LevelBoundary<Value>{candidate, std::move(found), std::move(before)};
    }
  throw LimitExceeded("the target " + numeric::to_fraction(target) +
                      " is too close to the probability of a level");
}

}  // namespace tailbound::queue
