#pragma once

#include <cstdint>
#include <vector>

/// Default levels at which tails are shown.
namespace tailbound::answers {

/// 0, 1, 2, 5, 10, 20, 50, ... up to the first above `maximum`.
[[nodiscard]] inline std::vector<std::int64_t> spread_levels(std::int64_t maximum) {
  std::vector<std::int64_t> levels{0};
  for (std::int64_t power = 1; levels.back() <= maximum; power *= 10)
    for (const std::int64_t digit : {1, 2, 5})
      if (levels.back() <= maximum) levels.push_back(digit * power);
  return levels;
}

/// About 60 levels or fewer from 0 to `maximum`, for a plot.
[[nodiscard]] inline std::vector<std::int64_t> thinned_levels(std::int64_t maximum) {
  const std::int64_t step = maximum / 60 + 1;
  std::vector<std::int64_t> levels;
  for (std::int64_t level = 0; level <= maximum; level += step) levels.push_back(level);
  return levels;
}

}  // namespace tailbound::answers
