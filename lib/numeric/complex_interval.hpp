#pragma once

#include <tailbound/numeric/real.hpp>

/// Complex numbers enclosed by rectangles, and the middle of an interval.
namespace tailbound::numeric {

/// Of no width, within the interval.
[[nodiscard]] inline Interval midpoint(const Interval& interval) {
  Real middle;
  mpfi_mid(middle.backend().data(), interval.backend().data());
  return make_interval(middle, middle);
}

struct ComplexInterval {
  Interval real, imaginary;
};

[[nodiscard]] inline ComplexInterval operator*(const ComplexInterval& a, const ComplexInterval& b) {
  return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
}
[[nodiscard]] inline ComplexInterval operator+(const ComplexInterval& a, const ComplexInterval& b) {
  return {a.real + b.real, a.imaginary + b.imaginary};
}
[[nodiscard]] inline ComplexInterval operator-(const ComplexInterval& a, const ComplexInterval& b) {
  return {a.real - b.real, a.imaginary - b.imaginary};
}
[[nodiscard]] inline Interval magnitude(const ComplexInterval& a) {
  return sqrt(a.real * a.real + a.imaginary * a.imaginary);
}

}  // namespace tailbound::numeric
