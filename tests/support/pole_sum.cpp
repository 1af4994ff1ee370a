#include <stdexcept>
#include <tests/support/pole_sum.hpp>

namespace tailbound::test {
namespace {

Complex300 operator+(const Complex300& a, const Complex300& b) {
  return {a.re + b.re, a.im + b.im};
}
Complex300 operator-(const Complex300& a, const Complex300& b) {
  return {a.re - b.re, a.im - b.im};
}
Complex300 operator*(const Complex300& a, const Complex300& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
Float300 norm(const Complex300& a) {
  return a.re * a.re + a.im * a.im;
}
Complex300 operator/(const Complex300& a, const Complex300& b) {
  const Float300 size = norm(b);
  return {(a.re * b.re + a.im * b.im) / size, (a.im * b.re - a.re * b.im) / size};
}

std::vector<Float300> floats(const std::vector<Fraction>& values) {
  std::vector<Float300> result;
  for (const Fraction& value : values) result.emplace_back(Float300(value));
  return result;
}

Complex300 evaluate(const std::vector<Float300>& coefficients, const Complex300& z) {
  Complex300 sum;
  for (std::size_t j = coefficients.size(); j-- > 0;) sum = sum * z + Complex300{coefficients[j], 0};
  return sum;
}

Complex300 power(Complex300 base, std::int64_t exponent) {
  Complex300 result{1, 0};
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result = result * base;
    base = base * base;
  }
  return result;
}

}  // namespace

std::vector<Complex300> polynomial_roots(const std::vector<Fraction>& coefficients) {
  const std::vector<Float300> c = floats(coefficients);
  const std::size_t degree = c.size() - 1;
  // Start on a circle with the geometric mean of the root sizes, off the real axis.
  const Float300 radius = boost::multiprecision::pow(boost::multiprecision::abs(c.front() / c.back()),
                                                     Float300(1) / static_cast<double>(degree));
  std::vector<Complex300> roots;
  const Float300 turn = 2 * boost::multiprecision::acos(Float300(-1));
  for (std::size_t i = 0; i < degree; ++i) {
    const Float300 angle = turn * (static_cast<double>(i) + 0.3) / static_cast<double>(degree);
    roots.push_back({radius * boost::multiprecision::cos(angle), radius * boost::multiprecision::sin(angle)});
  }
  const Float300 small("1e-560");
  for (int iteration = 0; iteration < 1000; ++iteration) {
    bool settled = true;
    for (std::size_t i = 0; i < degree; ++i) {
      Complex300 product{c.back(), 0};
      for (std::size_t j = 0; j < degree; ++j)
        if (j != i) product = product * (roots[i] - roots[j]);
      const Complex300 step = evaluate(c, roots[i]) / product;
      roots[i] = roots[i] - step;
      settled = settled && norm(step) <= small * norm(roots[i]);
    }
    if (settled) return roots;
  }
  throw std::runtime_error("the root iteration did not settle");
}

Float300 pole_sum_tail(const std::vector<Fraction>& arrivals, const std::vector<Complex300>& roots,
                       std::int64_t level) {
  const std::vector<Float300> a = floats(arrivals);
  std::vector<Float300> derivative;
  Fraction mean = 0;
  for (std::size_t j = 1; j < a.size(); ++j) {
    derivative.push_back(a[j] * j);
    mean += arrivals[j] * j;
  }
  const Fraction idle = 1 - mean;
  const Float300 one_minus_load(idle);
  Complex300 sum;
  for (const Complex300& root : roots) {
    const Float300 size = norm(root);
    const Complex300 off = root - Complex300{1, 0};
    if (norm(off) < Float300("1e-400") || size <= 1) continue;  // the root 1 itself
    const Complex300 slope = evaluate(derivative, root) - Complex300{1, 0};
    sum = sum + Complex300{one_minus_load, 0} / (slope * power(root, level));
  }
  return sum.re;
}

Float300 pole_sum_tail(const std::vector<Fraction>& arrivals, std::int64_t level) {
  std::vector<Fraction> coefficients = arrivals;  // A(z) - z
  coefficients[1] -= 1;
  return pole_sum_tail(arrivals, polynomial_roots(coefficients), level);
}

Float300 decay_root(const std::vector<Fraction>& arrivals) {
  const std::vector<Float300> a = floats(arrivals);
  // A(z) - z is convex, zero at 1 and decreasing there: negative up to the root, positive beyond it.
  const auto beyond = [&](const Float300& z) { return evaluate(a, {z, 0}).re > z; };
  Float300 high = Float300(1) + Float300("1e-30");
  while (!beyond(high)) high = 1 + (high - 1) * 2;
  Float300 low = 1 + (high - 1) / 2;
  for (int i = 0; i < 980; ++i) {
    const Float300 middle = (low + high) / 2;
    (beyond(middle) ? high : low) = middle;
  }
  return low;
}

}  // namespace tailbound::test
