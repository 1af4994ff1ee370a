#include <tailbound/queue/finite/finite_queue.hpp>
#include <tailbound/queue/slotted/slotted_engine.hpp>
#include <tailbound/series/arrival_tails.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::queue {
namespace {

using numeric::Enclosure;
using numeric::Exact;
using numeric::Interval;
using numeric::Precision;
using numeric::PrecisionScope;
using numeric::Rational;
using numeric::Real;

/// C = 1, from an enclosure of the tail t: (1 - rho)/rho t/(1 - t), increasing in t.
Enclosure<unit::Probability> loss_from_tail(const SlottedQueue& queue,
                                            const Enclosure<unit::Probability>& tail) {
  const Interval idle = queue.arrivals.load() ? numeric::to_interval(1 - *queue.arrivals.load())
                                              : Interval(Interval(1) - queue.arrivals.load_interval());
  const Interval odds = idle / queue.arrivals.load_interval();
  const auto loss = [&](const Real& t) -> Interval {
    return odds * Interval(t) / (Interval(1) - Interval(t));
  };
  const Real lower = numeric::lower(loss(tail.lower()));
  Real upper = tail.upper() < 1 ? numeric::upper(loss(tail.upper())) : Real(1);
  if (!(upper < 1)) upper = 1;
  return {tail.proof(), lower < upper ? lower : upper, upper};
}

/// Fraction of packets lost, by censoring the states from the top down. Any C.
Interval loss_by_elimination(const SlottedQueue& queue, std::int64_t capacity, long negligible) {
  const auto limit = static_cast<std::size_t>(capacity);
  const auto servers = static_cast<std::size_t>(queue.packets_per_slot);
  // Batches up to the buffer size count individually, larger ones together: no mass is cut off.
  series::ArrivalTails<Interval> tails = series::enclosed_arrival_tails(queue.arrivals, negligible);
  while (!tails.complete && tails.size() <= limit)
    tails = series::enclosed_arrival_tails(queue.arrivals, negligible *= 2);
  std::size_t min_batch = 0;
  while (min_batch < tails.pmf.size() && numeric::upper(tails.pmf[min_batch]) == 0) ++min_batch;
  // Never fewer than are served: the buffer stays full.
  if (min_batch >= servers)
    return (tails.load - Interval(static_cast<double>(std::min(servers, limit)))) / tails.load;
  const std::size_t reach = std::min(limit, servers + tails.size());
  if (static_cast<double>(limit) * static_cast<double>(reach) > 4e6)
    throw LimitExceeded(
        "the loss of a buffer of " + std::to_string(capacity) + " packets with " + std::to_string(servers) +
        " served per slot would need more than 4e6 states times batch sizes, which is the limit");
  const auto after_service = [&](std::size_t state) { return state > servers ? state - servers : 0; };
  const auto entry_at = [](const std::vector<Interval>& values, std::size_t j) {
    return j < values.size() ? values[j] : Interval(0);
  };
  const auto one_slot = [&](std::size_t from, std::size_t to) {
    const std::size_t base = after_service(from);
    if (to < base) return Interval(0);
    if (to < limit) return entry_at(tails.pmf, to - base);
    return to == base ? Interval(1) : entry_at(tails.above, to - base - 1);
  };
  // column[to][from - first_of(to)]: the probability of going from `from` to `to`, with states above the one
  // being eliminated removed from the path. A slot leads down by at most C and up by at most `reach`.
  const auto first_of = [&](std::size_t to) { return to > reach ? to - reach : 0; };
  std::vector<std::vector<Interval>> column(limit + 1);
  for (std::size_t to = 0; to <= limit; ++to)
    for (std::size_t from = first_of(to); from <= std::min(limit, to + servers); ++from)
      column[to].push_back(one_slot(from, to));
  const auto at = [&](std::size_t from, std::size_t to) -> Interval& {
    return column[to][from - first_of(to)];
  };

  // States below the smallest batch are transient.
  const std::size_t minimum = std::min(limit, min_batch);
  std::vector<Interval> leaving(limit + 1, Interval(1));  // probability of going down from a state
  for (std::size_t state = limit; state > minimum; --state) {
    const std::size_t lowest = after_service(state);
    leaving[state] = Interval(0);
    for (std::size_t to = lowest; to < state; ++to) leaving[state] += at(state, to);
    for (std::size_t from = first_of(state); from < state; ++from) {
      const Interval share = at(from, state) / leaving[state];
      for (std::size_t to = lowest; to < state; ++to) at(from, to) += share * at(state, to);
    }
  }
  std::vector<Interval> weight(limit + 1, Interval(0));  // stationary, up to a factor
  weight[minimum] = Interval(1);
  Interval total(1), lost(0);
  for (std::size_t state = minimum + 1; state <= limit; ++state) {
    for (std::size_t from = std::max(minimum, first_of(state)); from < state; ++from)
      weight[state] += weight[from] * at(from, state);
    weight[state] /= leaving[state];
    total += weight[state];
  }
  for (std::size_t state = minimum; state <= limit; ++state) {
    const std::size_t spare = limit - after_service(state);  // packets lost: max(A - spare, 0)
    lost += weight[state] * (spare == 0 ? tails.load : entry_at(tails.beyond, spare - 1));
  }
  return lost / (total * tails.load);
}

}  // namespace

LevelProbability loss_probability(const SlottedQueue& queue, Packets capacity, const Accuracy& accuracy) {
  if (capacity.value < 0)
    throw InvalidArgument("capacity", std::to_string(capacity.value), "a whole number of packets, 0 or more");
  const Method exact_method{Arithmetic::exact, 0};
  if (queue.arrivals.largest_batch() == 0)
    return {capacity, Exact<unit::Probability>{proof_of(queue), 0}, exact_method};
  if (capacity.value == 0) return {capacity, Exact<unit::Probability>{proof_of(queue), 1}, exact_method};
  if (queue.packets_per_slot == 1 && is_stable(queue)) {
    // Dividing by 1 - t widens by 1/(1 - t) <= 1/(1 - rho): increase the digits where needed.
    for (int extra = 1; extra <= 64; extra = 2 * extra + 2) {
      Accuracy finer = accuracy;
      finer.digits.count += extra;
      const LevelProbability tail = occupancy_tail(queue, capacity, finer);
      if (const auto* t = std::get_if<Exact<unit::Probability>>(&tail.probability)) {
        if (cln::zerop(t->value)) return {capacity, *t, tail.method};
        const Rational& load = *queue.arrivals.load();
        return {capacity,
                Exact<unit::Probability>{proof_of(queue), (1 - load) / load * t->value / (1 - t->value)},
                tail.method};
      }
      const PrecisionScope scope(Precision{numeric::to_precision(finer.digits).bits + 64});
      Enclosure<unit::Probability> loss =
          loss_from_tail(queue, std::get<Enclosure<unit::Probability>>(tail.probability));
      if (numeric::agree_to(loss.lower(), loss.upper(), accuracy.digits))
        return {capacity, std::move(loss), tail.method};
    }
  } else {
    if (accuracy.arithmetic == Arithmetic::exact || accuracy.arithmetic == Arithmetic::double_precision)
      throw LimitExceeded(std::string("the loss with several packets served per slot, or in overload, is "
                                      "computed in intervals, not in ") +
                          name(accuracy.arithmetic) + " arithmetic");
    double magnitude = -64;
    for (int bits = numeric::to_precision(accuracy.digits).bits + 64; bits <= 8192; bits += bits / 2) {
      const PrecisionScope scope(Precision{bits + 32});
      const Interval loss = loss_by_elimination(queue, capacity.value, static_cast<long>(magnitude) - bits);
      if (numeric::lower(loss) > 0) {
        Enclosure<unit::Probability> result(proof_of(queue), loss);
        if (numeric::agree_to(result.lower(), result.upper(), accuracy.digits))
          return {capacity, std::move(result), {Arithmetic::interval, bits}};
        magnitude = std::min(magnitude, numeric::log2_magnitude(numeric::lower(loss)) - 16);
      } else if (numeric::upper(loss) == 0) {
        return {capacity, Exact<unit::Probability>{proof_of(queue), 0}, exact_method};
      } else {
        magnitude *= 2;
      }
    }
  }
  throw LimitExceeded("the loss at capacity " + std::to_string(capacity.value) + " cannot be enclosed to " +
                      std::to_string(accuracy.digits.count) + " digits");
}

}  // namespace tailbound::queue
