#include <tailbound/core/error.hpp>
#include <tailbound/numeric/power.hpp>
#include <tailbound/numeric/short_laws.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/queue/delay/small_sources.hpp>
#include <tailbound/queue/slotted/tail_engine.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tailbound::queue {
namespace {

using numeric::Rational;
using series::ArrivalTails;
using series::Distribution;

constexpr int long_double_bits = std::numeric_limits<long double>::digits;
constexpr std::size_t max_small_sources_delay = std::size_t{1} << 26;

/// Smallest length L > 4 load + 8 with P(A >= L) <= exp(L - load) (load / L)^L below 2^floor / 8. From there
/// on the bound halves with each entry.
std::size_t sufficient_length(double load, double floor) {
  for (std::size_t length = static_cast<std::size_t>(4 * load) + 9;; length += 1 + length / 16) {
    const auto l = static_cast<double>(length);
    if ((l - load + l * std::log(load / l)) / std::log(2.0) < floor - 3) return length;
  }
}

/// Adds a source: pmf <- pmf (1 - r + r z), up to `length` entries.
void add_source(std::vector<long double>& pmf, long double sends, long double silent, std::size_t length) {
  if (pmf.size() < length) pmf.push_back(0);
  for (std::size_t j = pmf.size() - 1; j > 0; --j) pmf[j] = pmf[j] * silent + pmf[j - 1] * sends;
  pmf[0] *= silent;
}

/// `Adds `count` identical sources by their binomial distribution.
void add_many(std::vector<long double>& pmf, const SmallSource& source, std::size_t length) {
  std::vector<long double> binomial{numeric::power(1 - source.rate, source.count)};
  const long double odds = source.rate / (1 - source.rate);
  while (binomial.size() < length && static_cast<std::int64_t>(binomial.size()) <= source.count) {
    const auto j = static_cast<std::int64_t>(binomial.size());
    binomial.push_back(binomial.back() * odds * static_cast<long double>(source.count - j + 1) /
                       static_cast<long double>(j));
  }
  pmf = numeric::convolved(pmf, binomial, std::min(length, pmf.size() + binomial.size() - 1));
}

/// 2^-16000 covers products below the smallest normal number.
constexpr long double underflow = 0x1p-16000L;

Ladder<long double> ladder_of(const SmallSources& small_sources, double log2_min) {
  const Rational& load = *small_sources.load;
  if (load >= 1) throw Unstable(numeric::plain(load));
  const Rational idle = 1 - load;
  const double log2_idle = static_cast<double>(numeric::bit_length(numeric::numerator(idle))) -
                           static_cast<double>(numeric::bit_length(numeric::denominator(idle))) - 1;
  const long negligible = negligible_excess(std::max(log2_min, -3000.0), long_double_bits, log2_idle);
  const double floor = static_cast<double>(negligible) - long_double_bits - 32;
  const std::size_t length = sufficient_length(numeric::nearest_double(load) * (1 + 1e-9) + 1e-12, floor);

  ArrivalTails<long double> tails;
  tails.pmf = {1};
  double units = 8;
  std::int64_t sources = 0;
  for (const SmallSource& source : small_sources.sources) {
    sources += source.count;
    // Per source a factor r or 1 - r, a product and a sum. r has the rate's error units, and so has 1 - r,
    // except for the factor r / (1 - r).
    const auto odds = static_cast<double>(source.rate / (1 - source.rate));
    units += static_cast<double>(source.count) * (4 + small_sources.rate_units * std::max(1.0, 1.01 * odds));
    if (source.count > 64) {
      add_many(tails.pmf, source, length);
      // The odds carry twice the units per entry; plus a quotient, two products, and the sum of the
      // convolution.
      units += static_cast<double>(length) * (8 + 2 * small_sources.rate_units * (1 + 1.01 * odds));
    } else {
      for (std::int64_t i = 0; i < source.count; ++i)
        add_source(tails.pmf, source.rate, 1 - source.rate, length);
    }
  }
  tails.complete = sources < static_cast<std::int64_t>(length);
  const long double cut = tails.complete ? 0 : std::exp2(std::ceil(static_cast<long double>(floor)));
  const std::size_t last = tails.pmf.size() - 1;
  tails.above.assign(last, 0);
  tails.beyond.assign(last, 0);
  long double above = cut, excess = cut;
  for (std::size_t j = last; j-- > 0;) {
    above += tails.pmf[j + 1];
    tails.above[j] = above;
    tails.beyond[j] = excess;
    excess += above;
  }
  // Negligible entries only lengthen the recurrence.
  const long double minimum = std::exp2(static_cast<long double>(negligible));
  std::size_t size = last;
  while (size > 1 && tails.beyond[size - 2] <= minimum) --size;
  if (size < last && tails.beyond[size - 1] > 0) tails.complete = false;
  tails.above.resize(size);
  tails.beyond.resize(size);
  tails.pmf.resize(size + 1);
  tails.load = numeric::nearest_long_double(load);
  tails.error_units = units + 2.0 * static_cast<double>(last) + 8;

  Ladder<long double> ladder;
  ladder.pivot = tails.pmf.front();
  ladder.idle = numeric::nearest_long_double(idle);
  if (size > 0) ladder.kernel.assign(tails.above.begin() + 1, tails.above.end());
  ladder.behind = tails.beyond;
  ladder.error_units = tails.error_units;
  ladder.forcing_units = tails.error_units + 5.02;  // 1 - rho and rho with 1.01 each, a product, a quotient,
                                                    // a sum
  if (!tails.complete && size > 0) {
    const long double factor = 1 + 1e-6L;
    ladder.cut = 2 * tails.beyond.back() / ladder.idle * factor;
    ladder.ahead_cut = ladder.cut + tails.beyond.back() / tails.load * factor;
  }
  ladder.offers = std::move(tails);
  return ladder;
}

}  // namespace

Distribution<long double> small_sources_delay(const SmallSources& small_sources, HopDelay delay,
                                              std::size_t size, double log2_min) {
  if (size == 0 || size > max_small_sources_delay)
    throw LimitExceeded("delays to " + std::to_string(size) + " slots are beyond the limit of " +
                        std::to_string(max_small_sources_delay) + " slots");
  const Ladder<long double> ladder = ladder_of(small_sources, log2_min);
  const bool wait = delay == HopDelay::wait;
  TailEngine<long double> mass(ladder, wait ? Quantity::ahead_mass : Quantity::mass);
  TailEngine<long double> tail(ladder, wait ? Quantity::ahead_tail : Quantity::tail);
  Distribution<long double> result;
  result.mass = mass.walk(size);
  result.tail = tail.walk(size);
  result.bits = mass.bits();
  const auto last = static_cast<std::int64_t>(size) - 1;
  result.mass_units = mass.units_to(last) + 1;
  result.tail_units = tail.units_to(last);
  result.mass_error = mpfr_get_ld(mass.cut().backend().data(), MPFR_RNDU) + underflow;
  result.tail_error = mpfr_get_ld(tail.cut().backend().data(), MPFR_RNDU) + underflow;
  return result;
}

MeanBounds mean_small_sources_wait(const SmallSources& small_sources) {
  const Rational& load = *small_sources.load;
  if (load >= 1) throw Unstable(numeric::plain(load));
  const long double rho = numeric::nearest_long_double(load), idle = numeric::nearest_long_double(1 - load);
  long double squares = 0;
  for (const SmallSource& source : small_sources.sources)
    squares += static_cast<long double>(source.count) * source.rate * source.rate;
  // E[W] = A''(1) / (2 rho (1 - rho)), A''(1) = rho^2 - sum of the rates' squares; both terms are at most
  // rho^2.
  const long double unit = std::exp2(static_cast<long double>(-long_double_bits));
  const long double slack = unit *
                            static_cast<long double>(2 * small_sources.rate_units + 16 +
                                                     static_cast<double>(small_sources.sources.size())) *
                            rho / (2 * idle) * 1.01L;
  const long double mean = (rho * rho - squares) / (2 * rho * idle);
  return {std::max(0.0L, mean - 8 * unit * mean - slack), std::max(0.0L, mean) * (1 + 8 * unit) + slack};
}

}  // namespace tailbound::queue
