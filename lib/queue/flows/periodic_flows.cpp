#include <tailbound/core/error.hpp>
#include <tailbound/numeric/power.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/queue/flows/periodic_flows.hpp>
#include <tailbound/queue/flows/window_law.hpp>
#include <tailbound/queue/slotted/slotted_engine.hpp>
#include <tailbound/queue/target.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

namespace tailbound::queue {
namespace {

using numeric::Integer;
using numeric::Interval;
using numeric::Rational;
using numeric::Real;

constexpr double max_products_of_periods = 2e10, max_long_products_of_periods = 1e7;
constexpr double max_cheap_products = 3e5;
constexpr int max_bits_of_periods = 1 << 15;

/// Flows of one period, grouped by batch.
struct OnePeriod {
  struct Batches {
    std::int64_t count, batch;
  };
  std::vector<Batches> batches;  ///< most flows last
  std::int64_t period = 0, flows = 0, packets = 0;

  explicit OnePeriod(const std::vector<FlowGroup>& groups) {
    check_flows(groups);
    period = groups.front().period;
    for (const FlowGroup& group : groups) {
      if (group.kind != FlowKind::periodic)
        throw InvalidArgument("flows", "not periodic", "periodic: for other flows only bounds are known");
      if (group.period != period)
        throw InvalidArgument(
            "period", std::to_string(group.period),
            std::to_string(period) +
                ", the period of the other flows: with several periods only bounds are known");
      const auto same = std::find_if(batches.begin(), batches.end(),
                                     [&](const Batches& known) { return known.batch == group.batch; });
      if (same == batches.end())
        batches.push_back({group.count, group.batch});
      else
        same->count += group.count;
      flows += group.count;
      packets += group.count * group.batch;
    }
    std::sort(batches.begin(), batches.end(),
              [](const Batches& a, const Batches& b) { return a.count < b.count; });
    if (packets >= period) throw Unstable(numeric::plain(Rational(packets) / Rational(period)));
  }
  [[nodiscard]] bool identical() const { return batches.size() == 1; }
};

void check_level_of_flows(std::int64_t level) {
  if (level < 0)
    throw InvalidArgument("level", std::to_string(level), "a whole number of packets, 0 or more");
}

Interval as_interval(std::int64_t value) {
  return numeric::to_interval(Rational(value));
}

/// log2 of an upper bound of P(Binomial(trials, hits/period) = count), by Chernoff; too small
/// by less than 1.
double log2_binomial_bound(std::int64_t trials, std::int64_t count, std::int64_t hits, std::int64_t period) {
  const double n = static_cast<double>(trials), j = static_cast<double>(count),
               p = static_cast<double>(hits) / static_cast<double>(period),
               not_p = static_cast<double>(period - hits) / static_cast<double>(period);
  double sum = 0;
  if (count > 0) sum += j * std::log2(p * n / j);
  if (count < trials) sum += (n - j) * std::log2(not_p * n / (n - j));
  return sum;
}

/// A sum of P(Binomial(flows, hits/slots) = j) spare/(slots - hits) over windows of hits slots that bring
/// batch j = hits + level packets: (2.2), and the same for a period one slot shorter.
Interval sum_of_windows(std::int64_t flows, std::int64_t batch, std::int64_t slots, std::int64_t level,
                        int bits) {
  const std::int64_t spare = slots - flows * batch + level;
  struct Term {
    std::int64_t j;
    double log2_bound;
  };
  std::vector<Term> terms;
  double largest = -1e300;
  Interval sum(0);
  for (std::int64_t j = level / batch + 1; j <= flows; ++j) {
    const std::int64_t hits = j * batch - level;
    if (hits >= slots) {  // one flow less than slots: the last window brings all packets
      if (hits == slots) sum += Interval(1);
      break;
    }
    if (spare == 0) continue;
    terms.push_back({j, log2_binomial_bound(flows, j, hits, slots)});
    largest = std::max(largest, terms.back().log2_bound);
  }
  // The bounds exceed the masses by a factor below their number.
  const double bar = largest - bits - 2 * std::log2(static_cast<double>(flows) + 2) - 8;
  Interval choose(1);
  std::int64_t chosen = -1;
  double omitted = 0;
  for (const Term& term : terms) {
    if (term.log2_bound < bar) {
      omitted += 1;
      continue;
    }
    const std::int64_t j = term.j, hits = j * batch - level;
    if (chosen < 0) {
      // From the nearer end.
      const std::int64_t steps = std::min(j, flows - j);
      for (std::int64_t i = 1; i <= steps; ++i) {
        choose *= as_interval(flows - steps + i);
        choose /= as_interval(i);
      }
    } else {
      for (std::int64_t i = chosen + 1; i <= j; ++i) {
        choose *= as_interval(flows - i + 1);
        choose /= as_interval(i);
      }
    }
    chosen = j;
    const Interval share = as_interval(hits) / as_interval(slots),
                   rest = as_interval(slots - hits) / as_interval(slots);
    sum += choose * numeric::power(share, j) * numeric::power(rest, flows - j) * as_interval(spare) /
           as_interval(slots - hits);
  }
  if (omitted > 0) {
    // Each term is at most 2^(bar + 1), its last factor at most `slots`.
    const double log2_left = bar + 2 + std::log2(omitted) + std::log2(static_cast<double>(slots + level)) + 1;
    sum += numeric::make_interval(Real(0), ldexp(Real(1), static_cast<int>(std::ceil(log2_left))));
  }
  return sum;
}

/// The tail for different batches, in type T.
template <class T>
std::optional<numeric::Enclosure<unit::Probability>> mixed_tail(const OnePeriod& flows, std::int64_t level,
                                                                int bits, int cut, double& products) {
  const auto& last = flows.batches.back();
  T sum(0), dropped(0);
  double units = 0, terms = 0;
  const std::int64_t windows = std::min(flows.period - 2, flows.packets - level - 1);
  for (std::int64_t m = 0; m <= windows; ++m) {
    const Rational share = Rational(m + 1) / Rational(flows.period);
    std::vector<BinomialPart> parts;
    std::int64_t grain = 0;
    for (std::size_t c = 0; c + 1 < flows.batches.size(); ++c) {
      parts.push_back({flows.batches[c].count, flows.batches[c].batch, share});
      grain = std::gcd(grain, flows.batches[c].batch);
    }
    const WindowLaw<T> some = law_of<T>(parts, grain, cut), others = binomial_law<T>(last.count, share, cut);
    T mass(0);
    for (std::size_t i = 0; i < some.mass.size(); ++i) {
      const std::int64_t left = level + 1 + m - grain * (some.first + static_cast<std::int64_t>(i));
      if (left < 0) break;
      if (left % last.batch != 0) continue;
      const std::int64_t at = left / last.batch - others.first;
      if (at >= 0 && at < static_cast<std::int64_t>(others.mass.size()))
        mass += some.mass[i] * others.mass[static_cast<std::size_t>(at)];
    }
    const T factor =
        T(flows.period - flows.packets + level) / T(flows.period - 1 - m);  // at most 1 where there is mass
    sum += mass * factor;
    dropped += (some.dropped + others.dropped) * (factor + T(1));
    units = std::max(units, some.units + others.units + static_cast<double>(some.mass.size()) + 4);
    terms += 1;
    products += 4 * static_cast<double>(others.mass.size()) +
                2 * static_cast<double>(some.mass.size()) * static_cast<double>(flows.batches.size());
    for (std::size_t c = 1; c + 1 < flows.batches.size(); ++c)
      products += static_cast<double>(some.mass.size()) * static_cast<double>(flows.batches[c].count);
    if (products > max_products_of_periods / (std::is_floating_point_v<T> ? 1 : 20))
      throw LimitExceeded("the tail of periodic flows of " + std::to_string(flows.batches.size()) +
                          " batches would need more than 10^10 products, which is the limit");
  }
  const auto gamma = numeric::relative_error_bound({units + terms + 1}, numeric::significand_bits<T>(bits));
  if (!std::isfinite(gamma.units)) return std::nullopt;
  const numeric::PrecisionScope scope(numeric::Precision{bits + 64});
  Real low, high;
  numeric::widen(sum, gamma, Real(Real(dropped) * Real(2)), bits, low, high);
  return numeric::Enclosure<unit::Probability>(numeric::Theorem::periodic_flows, low, high);
}

/// An enclosure of P(Q > level) with `bits` bits; none if these are too few.
LevelProbability tail_of(const OnePeriod& flows, std::int64_t level, numeric::Digits digits) {
  if (flows.packets <= level)
    return {Packets(level),
            numeric::Exact<unit::Probability>{numeric::Theorem::periodic_flows, 0},
            {Arithmetic::exact, 0}};
  const auto good = [&](const auto& found) {
    return numeric::agree_to(found.lower(), found.upper(), digits);
  };
  double products = 0;
  if (!flows.identical() && digits.count <= 15) {
    for (const int cut : {400, 6000}) {
      const auto found = mixed_tail<long double>(flows, level, 64, cut, products);
      if (found && good(*found)) return {Packets(level), *found, {Arithmetic::extended, 64}};
    }
  }
  for (int bits = (numeric::to_precision(digits).bits + 127) / 64 * 64; bits <= max_bits_of_periods;
       bits *= 2) {
    const numeric::PrecisionScope scope(numeric::Precision{bits});
    if (flows.identical()) {
      const numeric::Enclosure<unit::Probability> found(
          numeric::Theorem::periodic_flows,
          sum_of_windows(flows.flows, flows.batches.front().batch, flows.period, level, bits));
      if (good(found)) return {Packets(level), found, {Arithmetic::interval, bits}};
    } else if (const auto found = mixed_tail<Real>(flows, level, bits, 16 * bits, products);
               found && good(*found)) {
      return {Packets(level), *found, {Arithmetic::multiprecision, bits}};
    }
  }
  throw LimitExceeded(std::to_string(digits.count) + " digits for periodic flows at level " +
                      std::to_string(level) + " need numbers of more than " +
                      std::to_string(max_bits_of_periods) + " bits, which is the limit");
}

Integer to_integer(std::int64_t value) {
  return static_cast<long>(value);
}

/// n over k, k = 0 .. n.
std::vector<Integer> binomials(std::int64_t n) {
  std::vector<Integer> row{1};
  for (std::int64_t k = 0; k < n; ++k)
    row.push_back(numeric::exact_quotient(row.back() * to_integer(n - k), to_integer(k + 1)));
  return row;
}

/// base^0 .. base^last.
std::vector<Integer> powers(std::int64_t base, std::int64_t last) {
  std::vector<Integer> all{1};
  for (std::int64_t i = 0; i < last; ++i) all.push_back(all.back() * to_integer(base));
  return all;
}

/// Approximate number of long products in periodic_ever_exact().
double work_of_ever(const OnePeriod& flows, std::int64_t level) {
  double states = static_cast<double>(level + 1);
  double choices = 1;
  for (const auto& [count, batch] : flows.batches) {
    states *= static_cast<double>(count + 1);
    choices *= static_cast<double>(std::min(count, level / batch)) / 2 + 1;
  }
  return states * choices * static_cast<double>(flows.period) / 2;
}

/// Number of the period^flows arrangements in which no slot has more than `level` packets and the last slot
/// is idle.
Integer quiet_arrangements(const OnePeriod& flows, std::int64_t level) {
  const std::size_t kinds = flows.batches.size(), levels = static_cast<std::size_t>(level) + 1;
  std::vector<std::vector<std::vector<Integer>>> choose(kinds);
  std::vector<std::size_t> stride(kinds);
  std::size_t used_states = 1;
  for (std::size_t c = 0; c < kinds; ++c) {
    stride[c] = used_states;
    used_states *= static_cast<std::size_t>(flows.batches[c].count) + 1;
    for (std::int64_t n = 0; n <= flows.batches[c].count; ++n) choose[c].push_back(binomials(n));
  }
  // Number of arrangements by flows used and packets left after a slot: used * levels + packets.
  std::vector<Integer> combinations(used_states * levels, Integer(0)), next;
  combinations.front() = 1;
  for (std::int64_t slot = 0; slot + 1 < flows.period; ++slot) {
    next.assign(combinations.size(), Integer(0));
    for (std::size_t used = 0; used < used_states; ++used) {
      for (std::size_t left = 0; left < levels; ++left) {
        const Integer& from = combinations[used * levels + left];
        if (from == 0) continue;
        // All choices of flows that send in this slot, kind by kind.
        const auto send = [&](const auto& self, std::size_t kind, std::size_t to, std::int64_t packets,
                              const Integer& weight) -> void {
          if (kind == kinds) {
            const std::size_t after = static_cast<std::size_t>(std::max<std::int64_t>(packets - 1, 0));
            next[to * levels + after] = next[to * levels + after] + weight;
            return;
          }
          const std::size_t known = used / stride[kind] % choose[kind].size();
          const std::size_t unused = choose[kind].size() - 1 - known;
          for (std::size_t a = 0; a <= unused; ++a) {
            const std::int64_t now = packets + static_cast<std::int64_t>(a) * flows.batches[kind].batch;
            if (now > level) break;
            self(self, kind + 1, to + a * stride[kind], now, weight * choose[kind][unused][a]);
          }
        };
        send(send, 0, used, static_cast<std::int64_t>(left), from);
      }
    }
    std::swap(combinations, next);
  }
  return combinations[(used_states - 1) * levels];  // no arrivals in the last slot, and no packet left
}

}  // namespace

LevelProbability periodic_tail(const std::vector<FlowGroup>& flows, std::int64_t level,
                               numeric::Digits digits) {
  check_level_of_flows(level);
  if (digits.count < 1 || digits.count > 1000)
    throw InvalidArgument("digits", std::to_string(digits.count), "a whole number from 1 to 1000");
  return tail_of(OnePeriod(flows), level, digits);
}

numeric::Exact<unit::Probability> periodic_tail_exact(const std::vector<FlowGroup>& groups,
                                                      std::int64_t level) {
  check_level_of_flows(level);
  const OnePeriod flows(groups);
  double work = static_cast<double>(std::min(flows.period, flows.packets));
  for (const auto& [count, batch] : flows.batches) work *= static_cast<double>(count + 1);
  if (flows.identical()) work = static_cast<double>(flows.flows) * static_cast<double>(flows.flows) / 8;
  if (work > max_long_products_of_periods)
    throw LimitExceeded(
        "the tail of " + std::to_string(flows.flows) +
        " periodic flows as a fraction would need more than 10^7 long products, which is the limit");
  Rational sum = 0;
  const std::int64_t windows = std::min(flows.period - 2, flows.packets - level - 1);
  for (std::int64_t m = 0; m <= windows; ++m) {
    const std::int64_t wanted = level + 1 + m;
    if (flows.identical() && wanted % flows.batches.front().batch != 0) continue;
    // Number of arrangements with 0, 1, .. packets.
    std::vector<Integer> combinations{1};
    for (const auto& [count, batch] : flows.batches) {
      const auto choose = binomials(count), in = powers(m + 1, count),
                 out = powers(flows.period - m - 1, count);
      std::vector<Integer> more(static_cast<std::size_t>(wanted) + 1, Integer(0));
      for (std::size_t j = 0; j <= static_cast<std::size_t>(count); ++j) {
        const std::size_t packets = j * static_cast<std::size_t>(batch);
        if (packets >= more.size()) break;
        if (flows.identical() && packets + 1 != more.size()) continue;
        const Integer weight = choose[j] * in[j] * out[static_cast<std::size_t>(count) - j];
        for (std::size_t i = 0; i < combinations.size() && i + packets < more.size(); ++i)
          if (combinations[i] != 0) more[i + packets] = more[i + packets] + combinations[i] * weight;
      }
      combinations = std::move(more);
    }
    sum = sum + Rational(combinations.back()) / to_integer(flows.period - 1 - m);
  }
  const Integer all = numeric::pow(to_integer(flows.period), flows.flows);
  return {numeric::Theorem::periodic_flows, sum * to_integer(flows.period - flows.packets + level) / all};
}

TailBoundary periodic_min_level(const std::vector<FlowGroup>& groups, const Rational& target,
                                numeric::Digits digits) {
  check_target(target);
  const OnePeriod flows(groups);
  const Target requested(target);
  const auto settled = [&](std::int64_t level) {
    for (int more = 0; more <= 240; more = 2 * more + 12) {
      LevelProbability at = tail_of(flows, level, {digits.count + more});
      if (requested.is_met(at.probability) || requested.is_missed(at.probability)) return at;
    }
    return LevelProbability{Packets(level), periodic_tail_exact(groups, level), {Arithmetic::exact, 0}};
  };
  // P(Q > low) > target >= P(Q > high)
  std::int64_t low = -1, high = flows.packets;
  std::optional<LevelProbability> at, before;
  for (std::int64_t step = 16; high - low > 1;) {
    // Upwards first, as levels far above take long.
    const std::int64_t middle = at || low + step >= high ? low + (high - low) / 2 : low + step;
    LevelProbability here = settled(middle);
    if (requested.is_met(here.probability)) {
      high = middle;
      at = std::move(here);
    } else {
      low = middle;
      before = std::move(here);
      step *= 2;
    }
  }
  if (!at) at = settled(high);
  TailBoundary boundary{.level = Packets(high), .at = *at, .before = {}};
  if (before) boundary.before.push_back(*before);
  return boundary;
}

numeric::Exact<unit::Probability> periodic_ever_exact(const std::vector<FlowGroup>& groups,
                                                      std::int64_t level) {
  check_level_of_flows(level);
  const OnePeriod flows(groups);
  if (level >= flows.packets) return {numeric::Theorem::periodic_flows, 0};
  if (work_of_ever(flows, level) > max_long_products_of_periods)
    throw LimitExceeded("the fraction of phases for which " + std::to_string(flows.flows) +
                        " periodic flows ever exceed a level would need more than 10^7 long products, which "
                        "is the limit (the bound has no limit)");
  // Each arrangement has T - K idle slots after which it may begin.
  const Integer all = numeric::pow(to_integer(flows.period), flows.flows);
  return {numeric::Theorem::periodic_flows, 1 - Rational(quiet_arrangements(flows, level)) / all *
                                                    to_integer(flows.period) /
                                                    to_integer(flows.period - flows.packets)};
}

numeric::UpperBound<unit::Probability> periodic_ever_bound(const std::vector<FlowGroup>& groups,
                                                           std::int64_t level) {
  check_level_of_flows(level);
  const OnePeriod flows(groups);
  if (level >= flows.packets) return {numeric::Theorem::periodic_flows, 0};
  const numeric::PrecisionScope scope(numeric::Precision{128});
  const auto tail = numeric::to_enclosure(tail_of(flows, level, {12}).probability);
  Real minimum = numeric::upper(
      Interval(as_interval(flows.period) * numeric::to_interval(tail.upper())));  // at least one slot above
  if (flows.identical() && flows.batches.front().batch == 1) {
    for (int bits = 128; bits <= 1024; bits *= 2) {
      const numeric::PrecisionScope finer(numeric::Precision{bits});
      const auto above = [&](std::int64_t q) {
        return sum_of_windows(flows.flows, 1, flows.period - 1, q, bits);
      };
      const Interval falls = above(level) - above(level + 1);
      const Interval bound =
          falls * as_interval(flows.period) *
          numeric::power(Interval(as_interval(flows.period - 1) / as_interval(flows.period)), flows.flows);
      if (numeric::lower(bound) > 0 &&
          numeric::relative_width(numeric::lower(bound), numeric::upper(bound)) < 1e-10) {
        minimum = std::min(minimum, numeric::upper(bound));
        break;
      }
    }
  }
  return {numeric::Theorem::periodic_flows, minimum < 1 ? minimum : Real(1)};
}

numeric::Claim<unit::Probability> periodic_ever(const std::vector<FlowGroup>& flows, std::int64_t level) {
  check_level_of_flows(level);
  if (work_of_ever(OnePeriod(flows), level) <= max_cheap_products) return periodic_ever_exact(flows, level);
  return periodic_ever_bound(flows, level);
}

EverBoundary periodic_ever_level(const std::vector<FlowGroup>& groups, const Rational& target) {
  check_target(target);
  const OnePeriod flows(groups);
  const auto meets = [&](const numeric::Claim<unit::Probability>& claim) {
    if (const auto* exact = std::get_if<numeric::Exact<unit::Probability>>(&claim))
      return exact->value <= target;
    return numeric::compare(std::get<numeric::UpperBound<unit::Probability>>(claim).value, target) <= 0;
  };
  // The fraction of time is below that of phases: start from its smallest level.
  std::int64_t level = periodic_min_level(groups, target).level.value;
  for (;; ++level) {
    const auto claim = periodic_ever(groups, level);
    if (meets(claim)) return {level, claim};
  }
}

}  // namespace tailbound::queue
