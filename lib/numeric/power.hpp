#pragma once

#include <cstdint>

namespace tailbound::numeric {

/// base^exponent by squaring, in numbers of any kind.
/// \param exponent  1 for 0 and below
template <class T>
[[nodiscard]] T power(T base, std::int64_t exponent) {
  T result(1);
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result *= base;
    base *= base;
  }
  return result;
}

}  // namespace tailbound::numeric
