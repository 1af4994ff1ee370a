#include <tailbound/core/trimmed.hpp>
#include <tailbound/numeric/real.hpp>
#include <tailbound/numeric/text/decimal.hpp>
#include <tailbound/series/files/normalise.hpp>

#include <algorithm>

namespace tailbound::series {
namespace {

using numeric::Rational;

constexpr int digits_that_doubles_keep = 15, digits_that_floats_keep = 6, longest_float = 9;

std::string shown_exactly(const Rational& value) {
  const std::string fraction = numeric::bit_size(value) <= 200 ? numeric::to_fraction(value) : "";
  const std::string decimal = numeric::to_decimal(value, 17, numeric::Rounding::nearest);
  return fraction.empty() || fraction == decimal ? decimal : decimal + " (exactly " + fraction + ")";
}

/// 2^-bits.
Rational bit(unsigned bits) {
  return 1 / Rational(numeric::Integer(1) << bits);
}

}  // namespace

void WrittenKind::add(const Rational& value, int digits) {
  longer_ = longer_ || digits > longest_float;
  if (digits <= digits_that_floats_keep + 1) return;
  ++long_ones_;
  if (digits <= longest_float && numeric::float_print(value, digits).is_shortest) ++floats_;
}

void WrittenSum::add(const Rational& value, const Rational& unit, int digits) {
  sum_ = sum_ + value;
  units_ = units_ + unit;
  ++all_;
  if (digits >= digits_that_doubles_keep) ++doubles_;
}

void WrittenSum::add(const Rational& value, std::string_view text) {
  text = trimmed(text);
  const std::size_t mantissa = std::min(text.find_first_of("eE"), text.size()), point = text.find('.');
  const bool decimal = text.find_first_of("/^*") == std::string_view::npos &&
                       (point != std::string_view::npos || mantissa != text.size());
  if (!decimal) return add(value, 0, 0);
  // Its last place: the decimals after the point, moved by the exponent.
  std::string unit = "1e-" + std::to_string(point >= mantissa ? 0 : mantissa - point - 1);
  Rational place = numeric::parse_rational(unit, "last place");
  if (mantissa != text.size())
    place = place * numeric::parse_rational("1" + std::string(text.substr(mantissa)), "last place");
  add(value, place, numeric::written_digits(text));
}

bool WrittenSum::accepted(Normalise normalise, bool floats) const {
  if (sum_ == 1 || normalise == Normalise::yes) return true;
  if (normalise == Normalise::no) return false;
  static const Rational of_doubles = numeric::parse_rational("1e-9", "most"),
                        of_floats = numeric::parse_rational("1e-6", "most"), double_addition = bit(52),
                        float_addition = bit(23);
  const Rational rounding = floats ? std::min(of_floats, Rational(units_ + all_ * float_addition))
                                   : std::min(of_doubles, Rational(units_ + doubles_ * double_addition));
  return numeric::abs(1 - sum_) <= rounding;
}

std::string WrittenSum::complaint(Normalise normalise) const {
  return "the probabilities sum to " + shown_exactly(sum_) + ", which is " +
         shown_exactly(numeric::abs(1 - sum_)) + (sum_ < 1 ? " below 1" : " above 1") +
         (normalise == Normalise::no
              ? "; they must sum to exactly 1 (fractions such as 1/3 are exact)"
              : "; they must sum to 1 up to rounding (fractions such as 1/3 are exact)");
}

}  // namespace tailbound::series
