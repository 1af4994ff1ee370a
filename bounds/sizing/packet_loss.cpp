#include <tailbound/bounds/sizing/packet_loss.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/queue/finite/finite_queue.hpp>
#include <tailbound/symbolic/pgf.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace tailbound::bounds {
namespace {

using numeric::Enclosure;
using numeric::Interval;
using numeric::Precision;
using numeric::PrecisionScope;
using numeric::Rational;
using numeric::Real;

/// Above this number of probabilities for the cells of a slot, their formula is used.
constexpr std::int64_t max_entries = 131'072;

/// x, of each input
Rational chance(const WholePackets& packets) {
  return packets.load / (Rational(packets.inputs) * packets.cells.mean);
}

/// c_i = P(N > i) / E[N], i = 0, 1, .., and an upper bound of the sum of all further ones; N ~ Binomial(k,
/// x).
struct Ahead {
  std::vector<Interval> chance;  ///< P(i packets are ahead)
  Real rest;
};

Ahead packets_ahead(const WholePackets& packets, int bits) {
  const Rational x = chance(packets);
  const Interval odds = numeric::to_interval(x / (1 - x));
  const Interval mean = numeric::to_interval(x * Rational(packets.inputs));
  Interval none(1);
  Interval base = numeric::to_interval(1 - x);
  for (std::int64_t exponent = packets.inputs; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) none *= base;
    base *= base;
  }
  std::vector<Interval> mass{none};
  const Real negligible = ldexp(Real(1), -bits);
  while (static_cast<std::int64_t>(mass.size()) <= packets.inputs) {
    const auto n = static_cast<std::int64_t>(mass.size());
    const Interval ratio = odds * Interval(Real(packets.inputs - n + 1)) / Interval(Real(n));
    mass.push_back(mass.back() * ratio);
    // From here on each is at most half of the previous one.
    if (2 * numeric::upper(ratio) < 1 && numeric::upper(mass.back()) < negligible) break;
  }
  const bool all = static_cast<std::int64_t>(mass.size()) == packets.inputs + 1;
  const Real last = all ? Real(0) : numeric::upper(mass.back());
  Ahead ahead{{}, numeric::upper(numeric::to_interval(last) * Interval(4) / mean)};
  Interval above = numeric::make_interval(Real(0), last);
  for (std::size_t n = mass.size(); n-- > 1;) {
    above += mass[n];
    ahead.chance.push_back(above / mean);
  }
  std::reverse(ahead.chance.begin(), ahead.chance.end());
  return ahead;
}

/// P(J > n), n = 0 .. room - 1.
std::vector<Interval> cells_ahead(const WholePackets& packets, std::size_t capacity, const Ahead& ahead) {
  // J(z) = c_0 + L(z) (c_1 + L(z) (c_2 + ..)), by tails: P(> n) of a measure times L is a sum of its tails.
  std::vector<Interval> shares;
  for (const traffic::CellClass& one : packets.cells.classes)
    shares.push_back(numeric::to_interval(one.share));
  std::vector<Interval> tail(capacity, Interval(0)), next(capacity, Interval(0));
  Interval mass(0);
  for (std::size_t i = ahead.chance.size(); i-- > 0;) {
    for (std::size_t n = 0; n < capacity; ++n) {
      Interval sum(0);
      for (std::size_t c = 0; c < shares.size(); ++c) {
        const auto cells = static_cast<std::size_t>(packets.cells.classes[c].cells);
        sum += shares[c] * (cells <= n ? tail[n - cells] : mass);
      }
      next[n] = sum;
    }
    std::swap(tail, next);
    mass += ahead.chance[i];
  }
  const Interval rest = numeric::make_interval(Real(0), ahead.rest);
  for (Interval& value : tail) value += rest;
  return tail;
}

std::optional<PacketLoss> attempt(const WholePackets& packets, std::size_t capacity,
                                  const std::vector<Interval>& law, int bits, numeric::Digits digits) {
  const std::vector<Interval> ahead = cells_ahead(packets, capacity, packets_ahead(packets, bits));
  // Packets left over before the arrivals of a slot, up to a factor: nothing after levels 0 and 1.
  std::vector<Interval> left(capacity, Interval(0)), above(capacity, Interval(0));
  left[0] = law[0];
  for (std::size_t n = 1; n <= capacity; ++n) left[n - 1] += law[n];
  Interval total(0);
  for (std::size_t n = capacity; n-- > 0;) {
    above[n] = total;
    total += left[n];
  }
  std::vector<Enclosure<unit::Probability>> of_class;
  Interval all(0);
  for (const traffic::CellClass& one : packets.cells.classes) {
    Interval hurt(1);
    if (const auto cells = static_cast<std::size_t>(one.cells); cells <= capacity) {
      const std::size_t spare = capacity - cells;
      hurt = above[spare];
      for (std::size_t j = 0; j <= spare; ++j) hurt += left[j] * ahead[spare - j];
      hurt /= total;
    }
    all += numeric::to_interval(one.share) * hurt;
    of_class.emplace_back(numeric::Theorem::packets_of_cells, numeric::lower(hurt),
                          std::min(numeric::upper(hurt), Real(1)));
  }
  PacketLoss loss{Enclosure<unit::Probability>(numeric::Theorem::packets_of_cells, numeric::lower(all),
                                               std::min(numeric::upper(all), Real(1))),
                  std::move(of_class)};
  const bool narrow = std::all_of(loss.of_class.begin(), loss.of_class.end(), [&](const auto& one) {
    return numeric::agree_to(one.lower(), one.upper(), digits);
  });
  if (!narrow || !numeric::agree_to(loss.all.lower(), loss.all.upper(), digits)) return std::nullopt;
  return loss;
}

}  // namespace

namespace {

/// (q_0 + sum q_l z^l)^k in whole numbers over a common denominator: with a_n of the power,
/// n q_0 a_n = sum over l of ((k + 1) l - n) q_l a_(n-l), exactly.
std::vector<Rational> cells_of_a_slot(const WholePackets& packets) {
  const Rational x = chance(packets);
  numeric::Integer denominator = numeric::denominator(x);
  for (const traffic::CellClass& one : packets.cells.classes)
    denominator = numeric::lcm(denominator, numeric::denominator(x * one.share));
  const auto over = [&](const Rational& value) { return numeric::numerator(value * denominator); };
  const numeric::Integer none = over(1 - x);
  std::vector<std::pair<std::int64_t, numeric::Integer>> sizes;
  for (const traffic::CellClass& one : packets.cells.classes)
    sizes.emplace_back(one.cells, over(x * one.share));
  const std::int64_t maximum = packets.inputs * packets.cells.largest();
  std::vector<numeric::Integer> power{numeric::pow(none, packets.inputs)};
  for (std::int64_t n = 1; n <= maximum; ++n) {
    numeric::Integer sum = 0;
    for (const auto& [cells, weight] : sizes)
      if (cells <= n)
        sum = sum + static_cast<long>((packets.inputs + 1) * cells - n) * weight *
                        power[static_cast<std::size_t>(n - cells)];
    power.push_back(numeric::exact_quotient(sum, static_cast<long>(n) * none));
  }
  const numeric::Integer all = numeric::pow(denominator, packets.inputs);
  std::vector<Rational> result;
  for (const numeric::Integer& value : power) result.emplace_back(value, all);
  return result;
}

}  // namespace

queue::SlottedQueue cell_queue(const WholePackets& packets) {
  if (packets.inputs < 1 || packets.inputs > (std::int64_t{1} << 20))
    throw InvalidArgument("inputs", std::to_string(packets.inputs), "from 1 to 2^20 = 1048576");
  if (packets.load <= 0)
    throw InvalidArgument("load", numeric::to_fraction(packets.load), "above 0 and below 1");
  if (const Rational most = Rational(packets.inputs) * packets.cells.mean; packets.load >= most)
    throw InvalidArgument("load", numeric::plain(packets.load),
                          "below " + numeric::plain(most) + ": a packet per slot from each input");
  if (packets.cells.largest() > 4096)
    throw LimitExceeded("packets of " + std::to_string(packets.cells.largest()) +
                        " cells; the limit is 4096");
  if (packets.inputs * packets.cells.largest() <= max_entries)
    return {.arrivals = series::Arrivals::from_pmf(cells_of_a_slot(packets))};
  const Rational x = chance(packets);
  std::string formula = "(" + numeric::to_fraction(1 - x);
  for (const traffic::CellClass& one : packets.cells.classes)
    formula += "+" + numeric::to_fraction(x * one.share) + "*z^" + std::to_string(one.cells);
  formula += ")^" + std::to_string(packets.inputs);
  return {.arrivals = series::Arrivals::from_pgf(symbolic::parse_pgf(formula, "the cells of a slot"))};
}

std::optional<PacketLoss> packet_loss(const WholePackets& packets, Packets capacity,
                                      const queue::Accuracy& accuracy) {
  if (capacity.value < 0)
    throw InvalidArgument("capacity", std::to_string(capacity.value), "a whole number of cells, 0 or more");
  const double steps =
      static_cast<double>(capacity.value) * static_cast<double>(packets.cells.classes.size());
  if (steps > 4e5) return std::nullopt;
  const queue::SlottedQueue queue = cell_queue(packets);
  if (capacity.value == 0) {
    const Enclosure<unit::Probability> one{numeric::Theorem::packets_of_cells, Real(1), Real(1)};
    return PacketLoss{one, std::vector<Enclosure<unit::Probability>>(packets.cells.classes.size(), one)};
  }
  queue::Accuracy finer = accuracy;
  finer.digits.count += 2;
  std::vector<queue::LevelProbability> infinite;
  const bool stable = queue::is_stable(queue);
  try {
    if (stable) infinite = queue::occupancy_probabilities(queue, capacity, finer);
    for (int bits = numeric::to_precision(finer.digits).bits + 128; bits <= 65'536; bits *= 2) {
      const PrecisionScope scope(Precision{bits});
      // P(Q = n) of the finite buffer up to a factor.
      std::vector<Interval> law;
      for (const queue::LevelProbability& one : infinite) {
        const auto bounds = numeric::to_enclosure(one.probability, Precision{bits});
        law.push_back(numeric::make_interval(bounds.lower(), bounds.upper()));
      }
      if (!stable) law = queue::finite_law(queue, capacity);
      if (auto loss = attempt(packets, static_cast<std::size_t>(capacity.value), law, bits, accuracy.digits))
        return loss;
    }
  } catch (const LimitExceeded&) {
    return std::nullopt;
  }
  throw LimitExceeded("the packet loss of a buffer of " + std::to_string(capacity.value) +
                      " cells cannot be enclosed to " + std::to_string(accuracy.digits.count) + " digits");
}

}  // namespace tailbound::bounds
