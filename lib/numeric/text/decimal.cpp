#include <tailbound/numeric/text/decimal.hpp>
#include <tailbound/numeric/text/plain.hpp>

// The standard library rounds to decimals only as text. Nowhere else is a number read back from its printed
// form.
namespace tailbound::numeric {

Rational shortest_decimal(double value) {
  return parse_rational(plain(value), "value");
}

Rational rounded_decimal(double value, int digits) {
  return parse_rational(plain(value, digits), "value");
}

}  // namespace tailbound::numeric
