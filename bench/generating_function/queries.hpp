#pragma once

#include <benchmark/benchmark.h>

#include <string_view>

/// The task: Q(z) of k equal inputs at load 1/2 with the root z = 1 divided out, expanded and printed. Every
/// competitor sums the decimal digits of the polynomial in its denominator and is marked as failed if the sum
/// is wrong.
namespace tailbound::bench {

struct GeneratingFunction {
  int inputs;
  /// Of the coefficients, whole numbers without a common divisor, as written: the 1 of "z" is not.
  long digit_sum;
};
inline constexpr GeneratingFunction small{200, 271719}, large{2000, 36290637};

/// \param polynomial  "5*z^3 - 2*z + 1": numbers that follow a `^` are exponents
inline long digit_sum(std::string_view polynomial) {
  long sum = 0;
  bool counts = true;
  for (const char c : polynomial) {
    const bool digit = '0' <= c && c <= '9';
    if (digit && counts) sum += c - '0';
    if (!digit) counts = c != '^';
  }
  return sum;
}

inline void check(benchmark::State& state, const GeneratingFunction& query, std::string_view denominator) {
  if (digit_sum(denominator) != query.digit_sum) state.SkipWithError("wrong answer");
}

}  // namespace tailbound::bench
