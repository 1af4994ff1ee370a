#pragma once

#include <tailbound/series/arrivals.hpp>

#include <cstdint>
#include <string>
#include <tests/support/fraction.hpp>
#include <vector>

/// The tests' own description of the packets that arrive in a slot.
namespace tailbound::test {

struct Traffic {
  enum class Kind { equal, unequal, poisson, pmf };

  Kind kind = Kind::equal;
  std::int64_t inputs = 0;       ///< equal
  Fraction load;                 ///< equal, poisson
  std::vector<Fraction> values;  ///< rates (unequal) or probabilities (pmf)

  [[nodiscard]] static Traffic equal(std::int64_t inputs, const Fraction& load);
  [[nodiscard]] static Traffic unequal(std::vector<Fraction> rates);
  [[nodiscard]] static Traffic poisson(const Fraction& load);
  [[nodiscard]] static Traffic pmf(std::vector<Fraction> probabilities);

  /// The same for the library.
  [[nodiscard]] series::Arrivals arrivals() const;

  /// E[A].
  [[nodiscard]] Fraction mean() const;

  /// A compact description for failure messages, enough to rebuild the model by hand.
  [[nodiscard]] std::string text() const;
};

/// P(A = j) = numerators[j] / denominator.
struct IntegerPmf {
  std::vector<Whole> numerators;
  Whole denominator;
};

/// Exact; not for Poisson.
[[nodiscard]] IntegerPmf integer_pmf(const Traffic& traffic);

/// The same as fractions.
[[nodiscard]] std::vector<Fraction> fraction_pmf(const Traffic& traffic);

/// floor(2^bits P(A = j)) or one more or less, j = 0 .. last (fewer if the support ends or the rest is below
/// 2^-bits).
[[nodiscard]] std::vector<Whole> fixed_point_pmf(const Traffic& traffic, std::int64_t last, unsigned bits);

/// The root > 1 of z^served = A(z) to about 12 digits, for estimates only; infinity if there is none.
[[nodiscard]] double rough_decay_root(const Traffic& traffic, int served = 1);

}  // namespace tailbound::test
