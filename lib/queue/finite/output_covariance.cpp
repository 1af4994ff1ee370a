#include <tailbound/core/last_that.hpp>
#include <tailbound/queue/finite/output_covariance.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <map>
#include <numbers>
#include <utility>

namespace tailbound::queue {
namespace {

using numeric::Rational;
using Number = long double;
using Complex = std::complex<Number>;

constexpr Number pi = std::numbers::pi_v<Number>;

/// The inputs' rates, equal ones grouped, and derived numbers.
struct Rates {
  std::vector<std::pair<Number, Number>> identical;  ///< h_j, and the number of inputs that have it
  Number load = 0, idle = 1;
  Number pairs = 0, triples = 0;  ///< elementary symmetric functions of the h_j
};

Rates read(const std::vector<Rational>& rates) {
  Rates result;
  std::map<Rational, std::size_t> counts;
  for (const Rational& rate : rates) ++counts[rate];
  Rational sums[4] = {0, 0, 0, 0};
  for (const auto& [rate, count] : counts) {
    const Rational many = static_cast<long>(count);
    sums[1] = sums[1] + many * rate;
    sums[2] = sums[2] + many * rate * rate;
    sums[3] = sums[3] + many * rate * rate * rate;
    result.identical.emplace_back(numeric::nearest_long_double(rate), static_cast<Number>(count));
  }
  result.load = numeric::nearest_long_double(sums[1]);
  result.idle = numeric::nearest_long_double(1 - sums[1]);
  result.pairs = numeric::nearest_long_double((sums[1] * sums[1] - sums[2]) / 2);
  result.triples =
      numeric::nearest_long_double((sums[1] * sums[1] * sums[1] - 3 * sums[1] * sums[2] + 2 * sums[3]) / 6);
  return result;
}

/// The curve |y|^2 = A(y, conj y) at an angle: y, and its first two derivatives by the angle.
struct CurvePoint {
  Complex y, first, second;
};

CurvePoint curve_at(const Rates& rates, Number angle) {
  const Number cosine = std::cos(angle), sine = std::sin(angle);
  // log A, and minus its first two derivatives by the real part.
  const auto arrivals = [&](Number real, Number& first, Number& second) {
    Number sum = first = second = 0;
    for (const auto& [rate, count] : rates.identical) {
      const Number share = 2 * rate / (1 + 2 * rate * (real - 1));
      sum += count * std::log1p(2 * rate * (real - 1));
      first += count * share;
      second += count * share * share;
    }
    return sum;
  };
  Number first = 0, second = 0;
  // 2 log r - log A increases in r up to the root. Bisection, since other methods are unreliable near r = 1
  // at loads near 1.
  const auto [below, above] = halved(
      Number{0}, Number{1}, [&](Number r) { return 2 * std::log(r) < arrivals(r * cosine, first, second); });
  const Number r = angle == 0 ? 1 : (below + above) / 2;
  arrivals(r * cosine, first, second);
  const Number by_r = 2 / r - first * cosine, by_angle = first * r * sine;
  const Number slope = -by_angle / by_r;
  const Number by_r_r = -2 / (r * r) + second * cosine * cosine;
  const Number by_r_angle = first * sine - second * cosine * r * sine;
  const Number by_angle_angle = first * r * cosine + second * r * sine * r * sine;
  const Number bend = -(by_angle_angle + 2 * by_r_angle * slope + by_r_r * slope * slope) / by_r;
  const Complex direction(cosine, sine);
  return {r * direction, Complex(slope, r) * direction, Complex(bend - r, 2 * slope) * direction};
}

/// Gaussian elimination with pivots; `Overwrites `matrix` and `right`.
std::vector<Number> solve(std::vector<std::vector<Number>> matrix, std::vector<Number> right) {
  const std::size_t size = right.size();
  for (std::size_t c = 0; c < size; ++c) {
    std::size_t pivot = c;
    for (std::size_t row = c + 1; row < size; ++row)
      if (std::abs(matrix[row][c]) > std::abs(matrix[pivot][c])) pivot = row;
    std::swap(matrix[c], matrix[pivot]);
    std::swap(right[c], right[pivot]);
    for (std::size_t row = c + 1; row < size; ++row) {
      const Number factor = matrix[row][c] / matrix[c][c];
      for (std::size_t i = c; i < size; ++i) matrix[row][i] -= factor * matrix[c][i];
      right[row] -= factor * right[c];
    }
  }
  for (std::size_t row = size; row-- > 0;) {
    for (std::size_t i = row + 1; i < size; ++i) right[row] -= matrix[row][i] * right[i];
    right[row] /= matrix[row][row];
  }
  return right;
}

/// f of the header, with an even number of `points` on the curve.
Number boundary_derivative(const Rates& rates, std::size_t points) {
  const std::size_t half = points / 2;
  const auto count = static_cast<Number>(points);
  std::vector<Number> at(points);
  for (std::size_t i = 0; i < points; ++i) at[i] = 2 * pi * static_cast<Number>(i) / count;
  const auto cosines = [&](const std::vector<Number>& values) {
    std::vector<Number> coefficients(half, 0);
    for (std::size_t m = 0; m < half; ++m)
      for (std::size_t i = 0; i < points; ++i)
        coefficients[m] += values[i] * std::cos(static_cast<Number>(m) * at[i]) / count;
    return coefficients;
  };
  // Points are as dense near y = 1 as the curvature there requires (radius 1 - rho): angle' is proportional
  // to exp(-grade cos tau).
  const Number grade = (1 - std::log(rates.idle)) / 2;
  std::vector<Number> density(points);
  for (std::size_t i = 0; i < points; ++i) density[i] = std::exp(-grade * std::cos(at[i]));
  std::vector<Number> waves = cosines(density);
  for (std::size_t m = half; m-- > 0;) waves[m] /= waves[0];

  std::vector<Complex> y(points), first(points), second(points);
  std::vector<Number> real_part(points);
  for (std::size_t i = 0; i <= half; ++i) {
    Number angle = at[i], speed = 1, change = 0;
    for (std::size_t m = 1; m < half; ++m) {
      const auto order = static_cast<Number>(m);
      angle += 2 * waves[m] / order * std::sin(order * at[i]);
      speed += 2 * waves[m] * std::cos(order * at[i]);
      change -= 2 * waves[m] * order * std::sin(order * at[i]);
    }
    const CurvePoint point = curve_at(rates, i == 0 ? 0 : angle);
    y[i] = point.y;
    first[i] = point.first * speed;
    second[i] = point.second * speed * speed + point.first * change;
    real_part[i] = i == 0 ? Number(0.5) : -rates.idle * (Number(1) / (y[i] - Number(1))).real();
  }
  // Below the real axis by symmetry, so only the upper half is unknown.
  for (std::size_t i = half + 1; i < points; ++i) {
    y[i] = std::conj(y[points - i]);
    first[i] = -std::conj(first[points - i]);
    second[i] = std::conj(second[points - i]);
  }
  std::vector<std::vector<Number>> matrix(half + 1, std::vector<Number>(half + 1, 0));
  for (std::size_t i = 0; i <= half; ++i) {
    for (std::size_t j = 0; j < points; ++j) {
      const Number kernel = i == j ? (second[i] / first[i]).imag() / 2 : (first[j] / (y[j] - y[i])).imag();
      matrix[i][std::min(j, points - j)] += kernel / count;
    }
    matrix[i][i] += Number(0.5);
  }
  real_part.resize(half + 1);
  std::vector<Number> layer = solve(std::move(matrix), std::move(real_part));
  for (std::size_t i = half + 1; i < points; ++i) layer.push_back(layer[points - i]);
  // h'(1) = 1/(2 pi i) times the integral of d layer / (y - 1); where y = 1 the quotient of derivatives.
  const std::vector<Number> terms = cosines(layer);
  Complex total = 0;
  for (std::size_t i = 0; i < points; ++i) {
    Number derivative = 0;
    for (std::size_t m = 1; m < half; ++m) {
      const auto order = static_cast<Number>(m);
      derivative -= 2 * order * terms[m] * (i == 0 ? order : std::sin(order * at[i]));
    }
    total += derivative / (i == 0 ? first[0] : y[i] - Number(1));
  }
  return (total / Complex(0, count)).real();
}

/// For one queue: c = E[V] of the work V left by earlier slots, E[Q], Var Q.
struct RateMoments {
  Number left_over, mean, variance;
};

RateMoments moments(const Rates& rates) {
  const Number left_over = rates.pairs / rates.idle;
  const Number second = left_over * left_over + rates.triples / rates.idle;  // E[V (V-1)] / 2
  const Number mean = rates.load + left_over;
  return {left_over, mean, 2 * (second + rates.load * left_over + rates.pairs) + mean - mean * mean};
}

}  // namespace

OutputCovariance output_variance(const std::vector<Rational>& given) {
  const Rates rates = read(given);
  return {.variance = static_cast<double>(moments(rates).variance), .covariance = 0, .agreed_digits = 10};
}

OutputCovariance output_covariance(const std::vector<Rational>& given) {
  const Rates rates = read(given);
  if (rates.load == 0) return {.variance = 0, .covariance = 0, .agreed_digits = 10};
  const RateMoments own = moments(rates);
  const auto covariance = [&](std::size_t points) {
    return own.variance - own.mean + (boundary_derivative(rates, points) - own.left_over) / rates.idle;
  };
  const Number coarse = covariance(64), fine = covariance(96);
  const Number off = std::abs(fine - coarse) / std::abs(fine);
  return {.variance = static_cast<double>(own.variance),
          .covariance = static_cast<double>(fine),
          .agreed_digits = off > 0 ? std::clamp(static_cast<int>(-std::log10(off)), 0, 10) : 10};
}

}  // namespace tailbound::queue
