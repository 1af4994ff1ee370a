#include <tailbound/answers/buffer/buffer.hpp>
#include <tailbound/bounds/sizing/largest_parameter.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/queue/tail_bounds/burst_bound.hpp>

namespace tailbound::answers {

UnstableOverflow::UnstableOverflow(const Unstable& error)
    : Unstable(""),
      text_(std::string(error.what()) +
            ", as P(Q > n) is of an infinite buffer; a finite buffer has a loss at any load: use --criterion "
            "loss") {}

namespace {

using bounds::Criterion;
using bounds::DropTarget;

queue::Timing timing_of(const Traffic& traffic) {
  return std::holds_alternative<PoissonAtAnyTime>(traffic.source) ? queue::Timing::continuous
                                                                  : queue::Timing::slotted;
}

/// Additional results for a queue at a known load.
void add_context(BufferAnswer& answer, bounds::OutputQueue& queue, Criterion criterion) {
  try {
    answer.mean_occupancy = queue.mean_occupancy();
  } catch (const Unstable&) {
    if (criterion == Criterion::overflow) throw;
    answer.overloaded = true;
    return;
  }
  answer.decay_rate = queue.found_decay_rate();
  if (criterion == Criterion::overflow) {
    try {
      answer.loss = queue.loss_above(answer.at, answer.buffer);
    } catch (const LimitExceeded&) {
      answer.loss_unknown = true;  // only additional: the answer is still given
    }
  }
  if (queue::SourceBound* bound = queue.bound())
    answer.bound = criterion == Criterion::overflow ? bound->tail(answer.buffer.value)
                                                    : bound->loss(answer.buffer.value);
}

/// The traffic with the buffers of the classes before the selected one.
/// \param buffer_of  (the traffic of a class) -> its buffer
template <class BufferOf>
Traffic with_higher_buffers(Traffic traffic, const BufferOf& buffer_of) {
  auto* classes = std::get_if<TrafficClass>(&traffic.source);
  if (classes == nullptr) return traffic;
  const int selected = classes->priority;
  for (classes->priority = 1; classes->priority < selected; ++classes->priority)
    classes->higher_buffers.push_back(buffer_of(traffic));
  return traffic;
}

std::vector<Packets> higher_buffers(const Traffic& traffic) {
  const auto* classes = std::get_if<TrafficClass>(&traffic.source);
  return classes != nullptr ? classes->higher_buffers : std::vector<Packets>{};
}

/// Each class with the minimum buffer for its target.
Traffic with_min_buffers(const MinBuffer& requested, const BufferQuery& query) {
  return with_higher_buffers(query.traffic, [&](const Traffic& traffic) {
    const auto place = static_cast<std::size_t>(std::get<TrafficClass>(traffic.source).priority - 1);
    const numeric::Rational& drop =
        requested.of_higher_classes.empty() ? requested.drop : requested.of_higher_classes.at(place);
    return output_queue(traffic, query.accuracy)->min_buffer_size({drop, query.criterion}).buffer;
  });
}

BufferAnswer answer_to(const MinBuffer& requested, const BufferQuery& query) {
  const Traffic traffic = with_min_buffers(requested, query);
  const auto queue = output_queue(traffic, query.accuracy);
  bounds::MinBufferSize smallest = queue->min_buffer_size({requested.drop, query.criterion});
  BufferAnswer answer{
      .buffer = smallest.buffer, .at = std::move(smallest.at), .beyond = std::move(smallest.before)};
  answer.higher_buffers = higher_buffers(traffic);
  try {
    add_context(answer, *queue, query.criterion);
  } catch (const Unstable&) {
    answer.overloaded = true;
  }
  if (queue::SourceBound* bound = queue->bound())
    answer.proved_buffer =
        Packets(query.criterion == Criterion::overflow ? bound->min_level(requested.drop)
                                                       : bound->min_capacity(requested.drop));
  return answer;
}

BufferAnswer answer_to(const ProbabilityOf& requested, const BufferQuery& query) {
  const Traffic traffic =
      with_higher_buffers(query.traffic, [&](const Traffic&) { return requested.capacity; });
  const auto queue = output_queue(traffic, query.accuracy);
  BufferAnswer answer{.buffer = requested.capacity,
                      .at = queue->drop_probability(requested.capacity, query.criterion)};
  answer.higher_buffers = higher_buffers(traffic);
  add_context(answer, *queue, query.criterion);
  return answer;
}

/// Varied as a whole: neither one distribution that is thinned, nor independent inputs.
bool searched(const Traffic& traffic) {
  return correlated(traffic) || std::holds_alternative<TrafficClass>(traffic.source);
}

/// The queue of the traffic, the higher classes with buffers of the same size.
std::unique_ptr<bounds::OutputQueue> queue_with(const Traffic& traffic, Packets capacity,
                                                const queue::Accuracy& accuracy) {
  return output_queue(with_higher_buffers(traffic, [&](const Traffic&) { return capacity; }), accuracy);
}

/// What was found by search, with answer.safe; numerical if the probability there is.
template <class Unit>
numeric::Claim<Unit> found(const numeric::Rational& low, const numeric::Rational& high,
                           const BufferAnswer& answer) {
  if (std::holds_alternative<numeric::Approximation<unit::Probability>>(answer.at.probability))
    return numeric::Approximation<Unit>{numeric::to_real(*answer.safe, numeric::Rounding::nearest), 3};
  if (low == high) return numeric::Exact<Unit>{numeric::Theorem::bracketed, low};
  return numeric::Enclosure<Unit>(numeric::Theorem::bracketed, numeric::to_real(low, numeric::Rounding::down),
                                  numeric::to_real(high, numeric::Rounding::up));
}

BufferAnswer max_load_by_search(const MaxLoad& requested, const BufferQuery& query) {
  const LoadScale scale = load_scale(query.traffic);
  if (!(scale.unit > 0)) throw NoAnswer("there is no traffic: every load of it is 0; give a positive load");
  bounds::LargestParameter maximum = bounds::highest_load(
      [&](const numeric::Rational& parameter) {
        return queue_with(at_load(query.traffic, parameter), requested.capacity, query.accuracy);
      },
      scale.limit, requested.capacity, {requested.drop, query.criterion});
  const numeric::Rational met = maximum.met * scale.unit, missed = maximum.missed * scale.unit;
  if (met == missed && !scale.attained)
    throw NoAnswer("every load meets the target, up to the maximum of this traffic");
  BufferAnswer answer{
      .buffer = requested.capacity, .at = std::move(maximum.at_met), .beyond = std::move(maximum.at_missed)};
  answer.safe = met;
  answer.load = found<unit::Load>(met, missed, answer);
  return answer;
}

BufferAnswer answer_to(const MaxLoad& requested, const BufferQuery& query) {
  if (searched(query.traffic)) return max_load_by_search(requested, query);
  const bounds::MaxLoad maximum =
      bounds::max_load(slotted_queue(query.traffic), requested.capacity,
                       {requested.drop, query.criterion, timing_of(query.traffic)}, query.accuracy);
  BufferAnswer answer{.buffer = requested.capacity, .at = bounds::computed(maximum.at_lower), .beyond = {}};
  if (maximum.at_upper) answer.beyond = bounds::computed(*maximum.at_upper);
  if (maximum.all_of_it)
    answer.load = numeric::Exact<unit::Load>{maximum.load.proof(), *maximum.all_of_it};
  else
    answer.load = maximum.load;
  return answer;
}

BufferAnswer min_speedup_by_search(const MinSpeedup& requested, const BufferQuery& query) {
  bounds::LargestParameter share = bounds::highest_load(
      [&](const numeric::Rational& parameter) {
        return queue_with(sped_up(query.traffic, parameter), requested.capacity, query.accuracy);
      },
      1, requested.capacity, {requested.drop, query.criterion});
  BufferAnswer answer{.buffer = requested.capacity, .at = std::move(share.at_met), .beyond = {}};
  // A speedup of four decimals that is at least what was found.
  const numeric::Rational unit = numeric::Rational(1) / 10'000;
  answer.safe = numeric::Rational(numeric::ceiling(1 / share.met / unit)) * unit;
  answer.speedup = found<unit::Ratio>(1 / share.missed, *answer.safe, answer);
  return answer;
}

BufferAnswer answer_to(const MinSpeedup& requested, const BufferQuery& query) {
  if (searched(query.traffic)) return min_speedup_by_search(requested, query);
  const queue::Timing timing = timing_of(query.traffic);
  const queue::SlottedQueue queue = slotted_queue(query.traffic);
  const numeric::Proved<unit::Ratio> minimum = bounds::min_speedup(
      queue, requested.capacity, {requested.drop, query.criterion, timing}, query.accuracy);
  // A speedup s thins the load to rho / s; the upper end is proved to meet the target.
  const numeric::Rational speedup = numeric::to_rational(numeric::to_enclosure(minimum).upper());
  const queue::SlottedQueue faster{.arrivals = queue.arrivals.thinned(1 / speedup),
                                   .packets_per_slot = queue.packets_per_slot};
  BufferAnswer answer{.buffer = requested.capacity,
                      .at = bounds::computed(bounds::drop_probability(
                          faster, requested.capacity, query.criterion, query.accuracy, timing))};
  answer.speedup = numeric::to_claim(minimum);
  return answer;
}

/// Slightly longer for several sources that would alternate ON and OFF in every slot, which have no
/// stationary distribution.
numeric::Rational shortest_burst_of(const BurstyInputs& sources) {
  const numeric::Rational load = sources.load.value_or(0),
                          shortest = traffic::shortest_burst(load, sources.burst.on_rate);
  const bool alternate = sources.inputs > 1 && shortest == 1 && 2 * load == sources.burst.on_rate;
  return alternate ? numeric::Rational(1001) / 1000 : shortest;
}

BufferAnswer answer_to(const LongestBurst& requested, const BufferQuery& query) {
  const auto* sources = std::get_if<BurstyInputs>(&query.traffic.source);
  if (sources == nullptr)
    throw InvalidArgument("the traffic", "without bursts", "inputs with bursts (--burst)");
  if (sources->inputs <= query.traffic.packets_per_slot && requested.capacity.value >= sources->inputs)
    throw NoAnswer(
        "every burst length meets the target: the inputs send no more packets per slot than are "
        "served in it");
  const auto queue_of = [&](const numeric::Rational& slots) {
    Traffic traffic = query.traffic;
    std::get<BurstyInputs>(traffic.source).burst.slots = slots;
    return output_queue(traffic, query.accuracy);
  };
  bounds::LargestParameter maximum = bounds::longest_burst(
      queue_of, shortest_burst_of(*sources), requested.capacity, {requested.drop, query.criterion});
  BufferAnswer answer{
      .buffer = requested.capacity, .at = std::move(maximum.at_met), .beyond = std::move(maximum.at_missed)};
  answer.safe = maximum.met;
  answer.burst = found<unit::Slot>(maximum.met, maximum.missed, answer);
  add_context(answer, *queue_of(maximum.met), query.criterion);
  return answer;
}

}  // namespace

std::optional<numeric::Rational> BufferQuery::drop() const {
  return std::visit(
      [](const auto& it) -> std::optional<numeric::Rational> {
        if constexpr (requires { it.drop; })
          return it.drop;
        else
          return std::nullopt;
      },
      requested);
}

std::optional<Packets> enough_by_bound(const BufferQuery& query) {
  const auto* sources = std::get_if<BurstyInputs>(&query.traffic.source);
  const auto* requested = std::get_if<MinBuffer>(&query.requested);
  if (sources == nullptr || requested == nullptr) return std::nullopt;
  try {
    const auto bound = queue::burst_bound(arrivals(*sources));
    if (!bound) return std::nullopt;
    return Packets(query.criterion == Criterion::overflow ? bound->min_level(requested->drop)
                                                          : bound->min_capacity(requested->drop));
  } catch (const LimitExceeded&) {  // the error explains why there is no answer, not why there is no bound
    return std::nullopt;
  }
}

BufferAnswer answer(const BufferQuery& query, const Run&) {
  try {
    return std::visit([&](const auto& requested) { return answer_to(requested, query); }, query.requested);
  } catch (const LimitExceeded& limit) {
    if (const auto enough = enough_by_bound(query))
      throw LimitExceeded("the minimum buffer is not known: " + std::string(limit.what()) + "; a buffer of " +
                          std::to_string(enough->value) + " packets suffices (proved)");
    throw;
  } catch (const Unstable& error) {
    if (query.criterion == Criterion::overflow) throw UnstableOverflow(error);
    throw;
  }
}

}  // namespace tailbound::answers
