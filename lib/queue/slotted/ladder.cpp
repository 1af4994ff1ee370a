#include <tailbound/queue/slotted/inner_roots.hpp>
#include <tailbound/queue/slotted/ladder.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tailbound::queue {
namespace {

using numeric::ComplexInterval;
using numeric::Interval;
using numeric::Rational;
using numeric::Real;

/// Truncation error for X: P(Y > n) is E[max(A - n - 1, 0)] / rho.
template <class L>
L ahead_cut(const L& cut, const series::ArrivalTails<L>& tails) {
  return tails.complete || tails.size() == 0 ? L(0) : L(cut + tails.beyond.back() / tails.load);
}

/// C = 1: kernel[j] = P(A > j).
template <class L>
Ladder<L> single_server(series::ArrivalTails<L> tails, L idle) {
  Ladder<L> ladder;
  const std::size_t size = tails.size();
  ladder.pivot = tails.pmf.front();
  ladder.idle = idle;
  if (size > 0) ladder.kernel.assign(tails.above.begin() + 1, tails.above.end());
  ladder.behind = tails.beyond;
  // Truncating the kernel and the forcing changes each step by at most 2 beyond[K-1]. The weights of the
  // steps, the coefficients of 1/K(z), sum to 1/K(1).
  ladder.cut = tails.complete || size == 0 ? L(0) : L((tails.beyond.back() + tails.beyond.back()) / idle);
  ladder.ahead_cut = ahead_cut(ladder.cut, tails);
  ladder.offers = std::move(tails);
  return ladder;
}

/// A disc in the complex plane. Its turns keep its size, where rectangles grow by |cos| + |sin| with each.
struct Disc {
  ComplexInterval center{Interval(0), Interval(0)};  ///< both of no width
  Interval radius{0};

  /// Around a rectangle.
  static Disc around(const ComplexInterval& box) {
    const ComplexInterval center{numeric::midpoint(box.real), numeric::midpoint(box.imaginary)};
    return {center, magnitude(box - center)};
  }
};

/// The coefficients u[i] of 1 / prod_{i=0..C-1} (1 - y_i x), y_0 = 1: all >= 0.
std::vector<Interval> descending_renewals(const std::vector<ComplexInterval>& roots, std::size_t count) {
  std::vector<Disc> series(count);
  series[0].center.real = Interval(1);
  // One first-order filter per root; |y| < 1 keeps the radii small, unlike the expanded product.
  for (const ComplexInterval& root : roots) {
    const Disc turn = Disc::around(root);
    const Interval size = magnitude(root);
    for (std::size_t i = 1; i < count; ++i) {
      const Disc& before = series[i - 1];
      const Interval radius =
          series[i].radius + size * before.radius + turn.radius * magnitude(before.center);
      series[i] = Disc::around(series[i].center + turn.center * before.center);
      series[i].radius += radius;
    }
  }
  std::vector<Interval> sums;
  Interval sum(0);
  for (const Disc& term : series) {
    const Real radius = numeric::upper(term.radius);
    sum += term.center.real + numeric::make_interval(-radius, radius);
    // A renewal measure is non-negative: negative values are rounding errors.
    sums.push_back(numeric::lower(sum) < 0 ? numeric::make_interval(Real(0), numeric::upper(sum)) : sum);
  }
  return sums;
}

Ladder<Interval> several_servers(series::ArrivalTails<Interval> tails,
                                 const Interval& second_factorial_moment, int packets_per_slot) {
  const auto servers = static_cast<std::size_t>(packets_per_slot);
  Ladder<Interval> ladder;
  const std::size_t size = tails.size();
  if (tails.complete && size <= servers) {
    // All waiting packets are served: Q = A for any roots, and K(1) = 1 - P(A = C), the leading coefficient.
    ladder.idle = size == servers ? Interval(1) - tails.pmf[servers] : Interval(1);
    ladder.pivot = ladder.idle;
    ladder.behind.assign(size, Interval(0));
    ladder.cut = Interval(0);
    ladder.ahead_cut = ahead_cut(ladder.cut, tails);
    ladder.offers = std::move(tails);
    return ladder;
  }
  const std::vector<ComplexInterval> roots = inner_roots(tails, second_factorial_moment, packets_per_slot);
  // K(1) = (C - rho) / prod (1 - y_i)
  ComplexInterval product{Interval(1), Interval(0)};
  for (const ComplexInterval& root : roots)
    product = product * ComplexInterval{Interval(1) - root.real, -root.imaginary};
  ladder.idle = (Interval(packets_per_slot) - tails.load) / product.real;
  // Truncation error: at most `lost` in any kernel entry that is kept, and as much in the sum of those that
  // are not; |u[i]| <= prod 1 / (1 - |y_i|).
  Interval lost(0);
  if (!tails.complete) {
    Interval growth(1);
    for (const ComplexInterval& root : roots)
      growth /= Interval(1) - sqrt(root.real * root.real + root.imaginary * root.imaginary);
    lost = growth * (tails.beyond.back() + tails.above.back());
  }
  const Interval up_to_lost = numeric::make_interval(Real(0), numeric::upper(lost));
  // kernel[j] = sum_i u[i] P(A = j + C + i)
  if (size > servers) {
    const std::vector<Interval> renewals = descending_renewals(roots, size - servers + 1);
    for (std::size_t j = 1; j + servers <= size; ++j) {
      Interval sum = up_to_lost;
      for (std::size_t i = 0; j + servers + i <= size; ++i) sum += renewals[i] * tails.pmf[j + servers + i];
      ladder.kernel.push_back(sum);
    }
  }
  Interval behind = up_to_lost;
  ladder.behind.assign(size, behind);
  for (std::size_t n = ladder.kernel.size(); n-- > 0;) {
    behind += ladder.kernel[n];
    ladder.behind[n] = behind;
  }
  ladder.pivot = ladder.idle + behind;
  ladder.cut = tails.complete ? Interval(0) : Interval(Interval(2) * lost / ladder.idle + tails.above.back());
  ladder.ahead_cut = ahead_cut(ladder.cut, tails);
  ladder.offers = std::move(tails);
  return ladder;
}

/// 1 - rho to 1.01 units; empty where a load that is not rational is too near 1 for 160 bits.
std::optional<long double> rounded_idle_share(const SlottedQueue& queue) {
  if (const auto& load = queue.arrivals.load()) return numeric::nearest_long_double(1 - *load);
  const numeric::PrecisionScope scope(numeric::Precision{160});
  const Interval idle = Interval(1) - queue.arrivals.load_interval();
  const Real low = numeric::lower(idle), high = numeric::upper(idle);
  if (!(low > 0) || !(high - low <= ldexp(low, -76))) return std::nullopt;
  return mpfr_get_ld(low.backend().data(), MPFR_RNDN);
}

}  // namespace

template <class L>
std::vector<L> Ladder<L>::forcing(Quantity quantity) const {
  const std::size_t size = offers.size();
  std::vector<L> result;
  result.reserve(size + 1);
  switch (quantity) {
    case Quantity::tail:
      for (std::size_t n = 0; n < size; ++n) result.push_back(behind[n] + idle * offers.above[n]);
      break;
    case Quantity::mass:
      for (const L& mass : offers.pmf) result.push_back(idle * mass);
      break;
    case Quantity::ahead_tail:
      if (!own_mass.empty()) {
        for (std::size_t n = 0; n < std::max(behind.size(), own_above.size()); ++n)
          result.push_back((n < behind.size() ? behind[n] : L(0)) +
                           (n < own_above.size() ? L(idle * own_above[n]) : L(0)));
        break;
      }
      for (std::size_t n = 0; n < size; ++n)
        result.push_back(behind[n] + idle * offers.beyond[n] / offers.load);
      break;
    case Quantity::ahead_mass:
      if (!own_mass.empty()) {
        for (const L& mass : own_mass) result.push_back(idle * mass);
        break;
      }
      for (std::size_t n = 0; n < size; ++n) result.push_back(idle * offers.above[n] / offers.load);
      break;
  }
  return result;
}

template struct Ladder<Interval>;
template struct Ladder<Rational>;
template struct Ladder<long double>;

double log2_of_idle_share(const SlottedQueue& queue) {
  if (const auto& load = queue.arrivals.load()) {
    const Rational idle = Rational(queue.packets_per_slot) - *load;
    return static_cast<double>(numeric::bit_length(numeric::numerator(idle))) -
           static_cast<double>(numeric::bit_length(numeric::denominator(idle))) - 1;
  }
  const numeric::PrecisionScope scope(numeric::Precision{128});
  return numeric::log2_magnitude(
      numeric::lower(Interval(queue.packets_per_slot) - queue.arrivals.load_interval()));
}

long negligible_excess(double log2_value, int bits, double log2_idle) {
  return static_cast<long>(std::floor(log2_value - bits - 24 + std::min(0.0, log2_idle)));
}

Ladder<Interval> enclosed_ladder(const SlottedQueue& queue, long negligible) {
  if (queue.packets_per_slot > 1) {
    // Finding many close roots needs more precision than using them.
    const auto wanted = static_cast<int>(mpfr_get_prec(Real(0).backend().data()));
    for (int bits = wanted;; bits *= 2) {
      const numeric::PrecisionScope scope(numeric::Precision{bits});
      try {
        return several_servers(series::enclosed_arrival_tails(queue.arrivals, negligible - (bits - wanted)),
                               queue.arrivals.second_factorial_moment_interval(), queue.packets_per_slot);
      } catch (const UnresolvedRoots&) {
        if (bits > 4096) throw;
      }
    }
  }
  const Interval idle = queue.arrivals.load() ? numeric::to_interval(1 - *queue.arrivals.load())
                                              : Interval(Interval(1) - queue.arrivals.load_interval());
  return single_server(series::enclosed_arrival_tails(queue.arrivals, negligible), idle);
}

std::optional<Ladder<long double>> fast_ladder(const SlottedQueue& queue, long negligible) {
  if (queue.packets_per_slot > 1) return std::nullopt;
  const auto idle = rounded_idle_share(queue);
  auto tails = idle ? series::fast_arrival_tails(queue.arrivals, negligible) : std::nullopt;
  if (!tails) return std::nullopt;
  const double units = tails->error_units;
  Ladder<long double> ladder = single_server(std::move(*tails), *idle);
  ladder.error_units = units;
  // 1 - rho and rho carry 1.01 each; a product, a quotient and a sum.
  ladder.forcing_units = units + 5.02;
  ladder.cut *= 1.0L + 1e-6L;
  ladder.ahead_cut *= 1.0L + 1e-6L;
  return ladder;
}

Ladder<Rational> exact_ladder(const SlottedQueue& queue, std::size_t count) {
  if (queue.packets_per_slot > 1)
    throw LimitExceeded(
        "exact arithmetic supports only one packet served per slot: with more, the solution has irrational "
        "roots; use interval or multiprecision");
  series::ArrivalTails<Rational> tails = series::exact_arrival_tails(queue.arrivals, count);
  const Rational idle = 1 - tails.load;
  return single_server(std::move(tails), idle);
}

}  // namespace tailbound::queue
