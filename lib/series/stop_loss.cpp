#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rounding.hpp>
#include <tailbound/series/convolve.hpp>
#include <tailbound/series/stop_loss.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace tailbound::series {
namespace {

using numeric::Rational;
using numeric::Real;

constexpr int bits = std::numeric_limits<long double>::digits;

/// Tails from masses and excesses from tails, downward from the last entry, which is given.
void fill_from_last(StopLoss& it) {
  for (std::size_t n = it.size() - 1; n-- > 0;) {
    it.tail[n] = it.tail[n + 1] + it.mass[n + 1];
    it.excess[n] = it.excess[n + 1] + it.tail[n];
  }
}

}  // namespace

StopLoss nothing(std::size_t size) {
  StopLoss result{.mass = std::vector<long double>(size, 0),
                  .tail = std::vector<long double>(size, 0),
                  .excess = std::vector<long double>(size, 0)};
  result.mass[0] = 1;
  return result;
}

StopLoss successes(const std::vector<Rational>& rates, std::size_t size) {
  // All entries are kept until the suffix sums are computed.
  std::vector<long double> mass{1};
  Rational mean = 0;
  for (const Rational& rate : rates) {
    const long double p = numeric::nearest_long_double(rate), q = numeric::nearest_long_double(1 - rate);
    mass.push_back(0);
    for (std::size_t j = mass.size() - 1; j > 0; --j) mass[j] = mass[j] * q + mass[j - 1] * p;
    mass[0] *= q;
    mean = mean + rate;
  }
  StopLoss result{.mass = std::move(mass), .tail = {}, .excess = {}};
  const std::size_t places = std::max(size, result.mass.size());
  result.mass.resize(places, 0);
  result.tail.resize(places, 0);
  result.excess.resize(places, 0);
  fill_from_last(result);
  result.mass.resize(size);
  result.tail.resize(size);
  result.excess.resize(size);
  result.mean = numeric::nearest_long_double(mean);
  // Per trial a factor p or q (1.01), one product, one addition; then two suffix sums.
  result.units = 6.0 * static_cast<double>(rates.size()) + 4;
  return result;
}

StopLoss sum(const StopLoss& x, const StopLoss& y) {
  if (x.size() != y.size() || x.size() == 0) throw std::logic_error("sum: distributions of different length");
  const std::size_t last = x.size() - 1;
  StopLoss z{.mass = convolve(x.mass, y.mass),
             .tail = std::vector<long double>(x.size()),
             .excess = std::vector<long double>(x.size()),
             .mean = x.mean + y.mean};
  long double tail = x.tail[last], excess = x.excess[last] + x.tail[last] * y.mean;
  for (std::size_t j = 0; j <= last; ++j) {
    tail += x.mass[j] * y.tail[last - j];
    excess += x.mass[j] * y.excess[last - j];
  }
  z.tail[last] = tail;
  z.excess[last] = excess;
  fill_from_last(z);
  // The sums at the last entry and the suffix sums each add at most one error per entry.
  z.units = x.units + y.units + direct_units<long double>(x.size()) + 3 * static_cast<double>(x.size()) + 4;
  return z;
}

StopLoss sum_of_identical(const StopLoss& x, std::int64_t count) {
  if (count == 0) return nothing(x.size());
  int bit = 62;
  while (((count >> bit) & 1) == 0) --bit;
  StopLoss result = x;
  while (bit-- > 0) {
    result = sum(result, result);
    if (((count >> bit) & 1) != 0) result = sum(result, x);
  }
  return result;
}

StopLoss spread(const StopLoss& x, std::size_t block) {
  if (block == 1) return x;
  if (block == 0 || x.size() % block != 0) throw std::logic_error("spread: not whole blocks");
  const std::size_t places = x.size() / block;
  const auto cells = static_cast<long double>(block);
  StopLoss z = nothing(places);
  z.mass[0] = 0;
  for (std::size_t k = 0; k < places; ++k) {
    long double tail = 0;
    for (std::size_t r = 0; r < block; ++r) {
      const long double mass = x.mass[k * block + r], above = static_cast<long double>(r) / cells;
      z.mass[k] += mass * (static_cast<long double>(block - r) / cells);
      if (k + 1 < places) z.mass[k + 1] += mass * above;
      tail += x.tail[k * block + r];
    }
    z.tail[k] = tail / cells;
    z.excess[k] = x.excess[k * block] / cells;
  }
  z.mean = x.mean / cells;
  z.units = x.units + 2 * static_cast<double>(block) + 3;
  return z;
}

Real rounded_up(long double value, double units) {
  const numeric::RelativeError gamma = numeric::relative_error_bound({units}, bits);
  if (!std::isfinite(gamma.units))
    throw LimitExceeded("the sum is too long: its rounding errors exceed half of its value");
  const numeric::PrecisionScope scope(numeric::Precision{bits + 32});
  Real slack(1), lower, upper;
  mpfr_mul_2si(slack.backend().data(), slack.backend().data(), -13'000, MPFR_RNDU);
  numeric::widen(value, gamma, slack, bits, lower, upper);
  return upper;
}

}  // namespace tailbound::series
