#include <tailbound/core/error.hpp>
#include <tailbound/numeric/real.hpp>
#include <tailbound/series/files/coefficient_list.hpp>
#include <tailbound/series/files/pmf_file.hpp>

#include <string>

namespace tailbound::series {
namespace {

using numeric::Rational;

constexpr std::int64_t largest_value = 1'048'575;
constexpr std::size_t max_bits_of_sum = 131'072;

[[noreturn]] void fail_at(const Coefficient& place, std::string_view source, const std::string& what) {
  throw ParseError(std::string(source), place.line, place.column, what);
}

std::string shown_exactly(const Rational& value) {
  const std::string fraction = numeric::bit_size(value) <= 200 ? numeric::to_fraction(value) : "";
  const std::string decimal = numeric::to_decimal(value, 17, numeric::Rounding::nearest);
  return fraction.empty() || fraction == decimal ? decimal : decimal + " (exactly " + fraction + ")";
}

Rational checked_sum(const CoefficientList& list, std::string_view source) {
  Rational sum = 0;
  for (const Coefficient& entry : list.coefficients) {
    if (cln::minusp(entry.value))
      fail_at(entry, source, "the probability of " + std::to_string(entry.index) + " is negative");
    if (entry.index > largest_value && !cln::zerop(entry.value))
      fail_at(entry, source,
              "the value is " + std::to_string(entry.index) + "; it must be at most " +
                  std::to_string(largest_value));
    sum = sum + entry.value;
    if (numeric::bit_size(sum) > max_bits_of_sum)
      fail_at(entry, source, "the sum up to here is a fraction of more than 131072 bits");
  }
  return sum;
}

/// One unit in the last place of each decimal, plus 2^-52 (the rounding of an addition) for those with the
/// digits of doubles; at most 1e-9.
Rational rounding_of(const CoefficientList& list) {
  static const Rational maximum = numeric::parse_rational("1e-9", "most");
  static const Rational of_an_addition = numeric::parse_rational("2^-52", "rounding");
  constexpr int digits_that_doubles_keep = 15;
  Rational sum = 0;
  for (const Coefficient& entry : list.coefficients) {
    sum = sum + unit_in_last_place(entry);
    if (shown_digits(entry) >= digits_that_doubles_keep) sum = sum + of_an_addition;
    if (sum > maximum) return maximum;
  }
  return sum;
}

}  // namespace

Pmf read_pmf(std::string_view text, std::string_view source, Normalise normalise) {
  const CoefficientList list = parse_coefficient_list(text, source);
  if (list.lone_numbers > 0)
    throw ParseError(std::string(source), 0, 0, "there are numbers outside the list of probabilities");

  const Rational sum = checked_sum(list, source);
  if (cln::zerop(sum)) throw ParseError(std::string(source), 0, 0, "every probability is 0");
  const bool rounded = normalise == Normalise::rounding && cln::abs(1 - sum) <= rounding_of(list);
  if (sum != 1 && normalise != Normalise::yes && !rounded)
    throw ParseError(std::string(source), 0, 0,
                     "the probabilities sum to " + shown_exactly(sum) + ", which is " +
                         shown_exactly(cln::abs(1 - sum)) + (sum < 1 ? " below 1" : " above 1") +
                         (normalise == Normalise::no
                              ? "; they must sum to exactly 1 (fractions such as 1/3 are exact)"
                              : "; they must sum to 1 up to rounding (fractions such as 1/3 are exact)"));

  Pmf pmf{.probabilities = {}, .sum = sum, .format = list.format};
  std::vector<Rational>& probabilities = pmf.probabilities;
  for (const Coefficient& entry : list.coefficients) {
    if (cln::zerop(entry.value)) continue;
    probabilities.resize(static_cast<std::size_t>(entry.index) + 1, Rational(0));
    probabilities.back() = sum == 1 ? entry.value : entry.value / sum;
  }
  return pmf;
}

std::vector<Rational> parse_pmf(std::string_view text, std::string_view source, Normalise normalise) {
  return read_pmf(text, source, normalise).probabilities;
}

}  // namespace tailbound::series
