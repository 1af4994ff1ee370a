#include <tailbound/answers/crossbar/crossbar_parts.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/core/last_that.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/queue/crossbar/time_division.hpp>

#include <algorithm>
#include <utility>

namespace tailbound::answers {
namespace {

using numeric::plain;
using numeric::Rational;

/// Calls `scale` with the interval of an enclosure.
template <class Unit, class Scale>
numeric::Enclosure<Unit> transformed(const numeric::Enclosure<Unit>& number, const Scale& scale) {
  const numeric::PrecisionScope scope(numeric::Precision{256});
  return {number.proof(), scale(numeric::make_interval(number.lower(), number.upper()))};
}

/// The upper end of a proved number as a bound; an approximation stays one.
CrossbarNumber<unit::Probability> as_bound(const CrossbarNumber<unit::Probability>& number) {
  using Bound = numeric::UpperBound<unit::Probability>;
  if (const auto* enclosure = std::get_if<numeric::Enclosure<unit::Probability>>(&number))
    return Bound{enclosure->proof(), enclosure->upper()};
  if (const auto* exact = std::get_if<numeric::Exact<unit::Probability>>(&number))
    return Bound{exact->proof(), numeric::enclose(*exact, {128}).upper()};
  return number;
}

void require_no_bursts(const CrossbarQuery& query) {
  if (query.burst)
    throw NoAnswer(std::string(name_of(query.scheduler)) + " with bursts is not modelled; " +
                   simulate_instead(query, " --burst " + plain(*query.burst)));
}

queue::TimeDivision time_division(const CrossbarQuery& query, const Rational& load) {
  require_no_bursts(query);
  return {query.inputs, load};
}

/// Whether a load meets the target of an input buffer, by the proved bound.
bool input_meets(const CrossbarQuery& query, const MaxLoad& requested, const Rational& load) {
  return numeric::compare(time_division(query, load).input_above(requested.capacity.value).value,
                          requested.drop) <= 0;
}

}  // namespace

CrossbarNumber<unit::Probability> scaled(const queue::ProbabilityClaim& claim, const Rational& factor) {
  using Of = unit::Probability;
  return std::visit(
      [&](const auto& number) -> CrossbarNumber<Of> {
        using Number = std::decay_t<decltype(number)>;
        if constexpr (std::is_same_v<Number, numeric::Exact<Of>>) {
          return numeric::Exact<Of>{number.proof(), number.value * factor};
        } else if constexpr (std::is_same_v<Number, numeric::Enclosure<Of>>) {
          return transformed(number, [&](const numeric::Interval& its) -> numeric::Interval {
            return its * numeric::to_interval(factor);
          });
        } else {
          const numeric::PrecisionScope scope(numeric::Precision{128});
          const bool bound = std::is_same_v<Number, numeric::UpperBound<Of>>;
          numeric::Real product =
              numeric::to_real(factor, bound ? numeric::Rounding::up : numeric::Rounding::nearest);
          mpfr_mul(product.backend().data(), product.backend().data(), number.value.backend().data(),
                   bound ? MPFR_RNDU : MPFR_RNDN);
          Number result = number;
          result.value = product;
          return result;
        }
      },
      claim);
}

Traffic output_traffic(const CrossbarQuery& query) {
  const std::optional<Rational> load = query.load();
  if (query.burst)
    return {.source = BurstyInputs{.inputs = query.inputs, .load = load, .burst = {.slots = *query.burst}}};
  return {.source = EqualInputs{.inputs = query.inputs, .load = load}};
}

CrossbarNumber<unit::Slot> output_queued_mean(bounds::OutputQueue& queue, const Rational& load) {
  // Little: E[Q] = load (1 + E[D]).
  return std::visit(
      [&](const auto& number) -> CrossbarNumber<unit::Slot> {
        using Number = std::decay_t<decltype(number)>;
        if constexpr (std::is_same_v<Number, numeric::Exact<unit::Packet>>) {
          return numeric::Exact<unit::Slot>{number.proof(), number.value / load - 1};
        } else if constexpr (std::is_same_v<Number, numeric::Enclosure<unit::Packet>>) {
          const auto its = transformed(number, [&](const numeric::Interval& mean) -> numeric::Interval {
            return mean / numeric::to_interval(load) - 1;
          });
          return numeric::Enclosure<unit::Slot>(its.proof(), std::max(its.lower(), numeric::Real(0)),
                                                its.upper());
        } else {
          const numeric::PrecisionScope scope(numeric::Precision{128});
          const numeric::Real mean = number.value / numeric::to_real(load, numeric::Rounding::nearest) - 1;
          if constexpr (std::is_same_v<Number, numeric::UpperBound<unit::Packet>>)
            return numeric::Approximation<unit::Slot>{mean, 0};
          else
            return numeric::Approximation<unit::Slot>{mean, number.agreed_digits};
        }
      },
      queue.mean_occupancy());
}

// --- tdm and load-balanced

void add_time_division(CrossbarAnswer& answer, const CrossbarQuery& query) {
  queue::TimeDivision switched = time_division(query, *query.load());
  answer.mean = switched.mean_wait();
  for (const Slots level : query.levels)
    answer.above.push_back({.slots = level, .probability = switched.wait_above(level.value)});
  for (const Rational& p : query.percentiles)
    answer.percentiles.push_back({.probability = p, .slots = Slots(switched.min_wait(1 - p))});
  if (!query.drop) return;
  const Packets queue(switched.min_queue(*query.drop));
  answer.queue = {.cells = queue, .at = switched.queue_above(queue.value)};
  const queue::ProvedMemory input = switched.min_input(*query.drop);
  answer.input = {.cells = input.memory, .at = input.at};
}

// --- ccf

void add_emulation(CrossbarAnswer& answer, const CrossbarQuery& query) {
  answer.mean = answer.output_queued;
  const Rational load = *query.load();
  const auto queue = output_queue(output_traffic(query), query.accuracy);
  // A cell that waits w slots is counted once at each of the positions w, .., 0: P(D > t) = P(Q > t +
  // 1)/load.
  for (const Slots level : query.levels) {
    const Packets above(level.value + 1);
    answer.above.push_back(
        {.slots = level,
         .probability = scaled(queue->tails(std::span(&above, 1)).front().probability, 1 / load)});
  }
  for (const Rational& p : query.percentiles) {
    const Rational target = (1 - p) * load;
    const std::int64_t cells = queue->min_buffer_size({target}).buffer.value;
    answer.percentiles.push_back({.probability = p, .slots = Slots(std::max<std::int64_t>(cells - 1, 0))});
  }
  if (!query.drop) return;
  const bounds::MinBufferSize output = queue->min_buffer_size({*query.drop});
  answer.output = {.cells = output.buffer, .at = scaled(output.at.probability, 1)};
  if (query.phases() < 2)
    throw NoAnswer("the input buffers of ccf are bounded from speedup 2, not at " + plain(query.phases()) +
                   "; give --speedup 2, or remove --drop");
  const Rational ports(query.inputs);
  const bounds::MinBufferSize input = queue->min_buffer_size({*query.drop / ports});
  const CrossbarNumber<unit::Probability> sum = scaled(input.at.probability, ports);
  answer.input = {.cells = input.buffer, .at = as_bound(sum), .sum = sum};
}

// --- the load for an input buffer

CrossbarAnswer with_max_load(const CrossbarQuery& query) {
  const auto& requested = std::get<MaxLoad>(query.requested);
  constexpr std::int64_t steps = 10'000;
  const auto at = [&](std::int64_t step) {
    CrossbarQuery its = query;
    its.requested = AtLoad{Rational(step) / steps};
    its.drop = requested.drop;
    return its;
  };
  const bool turns = query.scheduler == traffic::CrossbarScheduler::tdm ||
                     query.scheduler == traffic::CrossbarScheduler::load_balanced;
  const auto meets = [&](std::int64_t step) {
    if (turns) return input_meets(query, requested, Rational(step) / steps);
    const CrossbarAnswer found = answer(at(step));
    return found.input && found.input->cells <= requested.capacity;
  };
  // Loads that are not carried, or beyond those simulated, end the search; others below them begin it.
  const auto answered = [&](std::int64_t step) -> std::optional<bool> {
    try {
      return meets(step);
    } catch (const NoAnswer&) {
      return std::nullopt;
    }
  };
  const std::string buffer = "an input buffer of " + std::to_string(requested.capacity.value) + " cells";
  std::int64_t first = 1;
  while (first < steps && !answered(first)) first = std::min(2 * first, steps);
  if (first >= steps) static_cast<void>(meets(steps / 2));  // its error says why no load has an answer
  if (first > 1)
    first = first_that(first / 2, first, [&](std::int64_t step) { return answered(step).has_value(); });
  if (!answered(first).value_or(false))
    throw NoAnswer(buffer + " already misses the target of " + plain(requested.drop) + " at load " +
                   plain(Rational(first) / steps) + "; give a larger --capacity or --drop, or " +
                   simulate_instead(query));
  const std::int64_t last =
      last_that(first, steps - 1, [&](std::int64_t step) { return answered(step).value_or(false); });
  if (!answered(last + 1))
    throw NoAnswer(buffer + " meets the target of " + plain(requested.drop) +
                   " at every load with an answer, up to " + plain(Rational(last) / steps) + "; " +
                   simulate_instead(query));
  CrossbarAnswer found = answer(at(last));
  if (turns || query.scheduler == traffic::CrossbarScheduler::ccf) {
    const Rational met = Rational(last) / steps, missed = Rational(last + 1) / steps;
    found.load = numeric::Enclosure<unit::Load>(numeric::Theorem::bracketed,
                                                numeric::to_real(met, numeric::Rounding::down),
                                                numeric::to_real(missed, numeric::Rounding::up));
  } else {
    found.load = numeric::Model<unit::Load>{static_cast<double>(last) / static_cast<double>(steps)};
  }
  return found;
}

}  // namespace tailbound::answers
