#pragma once

#include <tailbound/answers/agreed_digits.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

/// Why a list does not agree, as far as its own errors show it.
///
/// METHOD    each cause is a pattern that all errors of the list have, tried from the most specific one on
/// TESTS     tests/answers/compare/diagnosis_test.cpp
namespace tailbound::answers {

/// The most likely cause of a disagreement.
enum class DisagreementCause {
  other_reading,     ///< the list is right, but holds something else (OtherReading)
  omitted,           ///< the series omits this power, which means 0
  last_digits,       ///< rounding in the program's last places
  sign,              ///< a wrong sign, the other values agree
  swapped,           ///< two values exchanged, the other values agree
  decimal_point,     ///< a power of ten, the other values agree
  single_values,     ///< a few wrong values between right ones
  missing_value,     ///< one value is missing: from there on each is that of the next n
  extra_value,       ///< one value too many: from there on each is that of the previous n
  constant_factor,   ///< from the first on, all are the same multiple of the true values
  single_precision,  ///< all values are right to 24 bits
  fewer_digits,      ///< all values are right to about the same, smaller number of digits
  fewer_decimals,    ///< all values are right to the same, smaller number of decimals
  cancellation,      ///< an absolute error of the size of a rounding error near 1, in which the tail is lost
  constant_error,    ///< the same, of another size
  growing_error,     ///< an error that grows from value to value
  not_rounding,      ///< none of these: other traffic, or another quantity
};

/// The errors of a list.
struct ListErrors {
  const std::vector<series::Coefficient>& list;
  std::vector<TrueValue> values;          ///< the true ones, in the unit of the list
  std::vector<TrueValue> next, previous;  ///< of the next and of the previous n; empty if not computed
  std::vector<bool> agrees;
  std::vector<int> agreed_digits;
  int printed_digits = 0;
  std::size_t first = 0;  ///< that does not agree
};

struct Diagnosis {
  DisagreementCause cause = DisagreementCause::not_rounding;
  /// Places in the list: of the wrong values, for single values.
  std::vector<std::size_t> places{};
  /// decimal_point: the power of ten; fewer_digits: the digits; fewer_decimals: the
  /// decimals; constant_error, cancellation: the decimal
  /// exponents of the smallest and the largest error, rounded down.
  std::vector<std::int64_t> numbers{};
  double factor = 1;  ///< constant_factor: of the list to the truth; growing_error: from value to value
};

[[nodiscard]] Diagnosis diagnose(const ListErrors& errors);

}  // namespace tailbound::answers
