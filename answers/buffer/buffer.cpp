#include <cln/rational.h>
#include <tailbound/answers/buffer/buffer.hpp>
#include <tailbound/bounds/sizing/longest_burst.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/queue/tail_bounds/burst_bound.hpp>

namespace tailbound::answers {
namespace {

using bounds::Criterion;
using bounds::DropTarget;

/// Additional results for a queue at a known load.
void add_context(BufferAnswer& answer, bounds::OutputQueue& queue, Criterion criterion) {
  answer.mean_occupancy = queue.mean_occupancy();
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

BufferAnswer answer_to(const LeastBuffer& asked, const BufferQuestion& question) {
  const auto queue = output_queue(question.traffic, question.accuracy);
  bounds::LeastRoom room = queue->least_room({asked.drop, question.criterion});
  BufferAnswer answer{.buffer = room.buffer, .at = std::move(room.at), .beyond = std::move(room.before)};
  add_context(answer, *queue, question.criterion);
  if (queue::SourceBound* bound = queue->bound())
    answer.proved_buffer =
        Packets(question.criterion == Criterion::overflow ? bound->least_level(asked.drop)
                                                          : bound->least_capacity(asked.drop));
  return answer;
}

BufferAnswer answer_to(const ProbabilityOf& asked, const BufferQuestion& question) {
  const auto queue = output_queue(question.traffic, question.accuracy);
  try {
    BufferAnswer answer{.buffer = asked.capacity,
                        .at = queue->drop_probability(asked.capacity, question.criterion)};
    try {
      add_context(answer, *queue, question.criterion);
    } catch (const Unstable&) {
      answer.overloaded = true;
    }
    return answer;
  } catch (const Unstable& error) {
    if (question.criterion == Criterion::loss) throw;
    throw NoAnswer(std::string(error.what()) + "; what a buffer of " + std::to_string(asked.capacity.value) +
                   " loses: use --criterion loss");
  }
}

/// Loads and speedups are searched in the slotted queue, which has the same overflow as PoissonAtAnyTime, but
/// not the same loss.
void require_slots(const BufferQuestion& question) {
  if (question.criterion == Criterion::loss &&
      std::holds_alternative<PoissonAtAnyTime>(question.traffic.source))
    throw InvalidArgument("criterion", name_of(question.criterion),
                          "overflow with --traffic md1 when solving for a load or speedup");
}

BufferAnswer answer_to(const GreatestLoad& asked, const BufferQuestion& question) {
  require_slots(question);
  const bounds::MaxLoad most = bounds::max_load(slotted_queue(question.traffic), asked.capacity,
                                                {asked.drop, question.criterion}, question.accuracy);
  BufferAnswer answer{.buffer = asked.capacity, .at = bounds::computed(most.at_lower), .beyond = {}};
  if (most.at_upper) answer.beyond = bounds::computed(*most.at_upper);
  if (most.all_of_it)
    answer.load = numeric::Exact<unit::Load>{*most.all_of_it};
  else
    answer.load = most.load;
  return answer;
}

BufferAnswer answer_to(const LeastSpeedup& asked, const BufferQuestion& question) {
  require_slots(question);
  const queue::SlottedQueue queue = slotted_queue(question.traffic);
  const numeric::Proved<unit::Ratio> least =
      bounds::min_speedup(queue, asked.capacity, {asked.drop, question.criterion}, question.accuracy);
  // A speedup s thins the load to rho / s; the upper end is proved to meet the target.
  const numeric::Rational speedup = numeric::to_rational(numeric::to_enclosure(least).upper());
  const queue::SlottedQueue faster{.arrivals = queue.arrivals.thinned(1 / speedup),
                                   .packets_per_slot = queue.packets_per_slot};
  BufferAnswer answer{.buffer = asked.capacity,
                      .at = bounds::computed(bounds::drop_probability(
                          faster, asked.capacity, question.criterion, question.accuracy))};
  answer.speedup = least;
  return answer;
}

/// Slightly longer for several sources that would alternate ON and OFF in every slot, which have no
/// stationary distribution.
numeric::Rational shortest_burst_of(const BurstyInputs& sources) {
  const numeric::Rational shortest = traffic::shortest_burst(sources.load, sources.burst.on_rate);
  const bool alternate = sources.inputs > 1 && shortest == 1 && 2 * sources.load == sources.burst.on_rate;
  return alternate ? numeric::Rational(1001) / 1000 : shortest;
}

BufferAnswer answer_to(const LongestBurst& asked, const BufferQuestion& question) {
  const auto* sources = std::get_if<BurstyInputs>(&question.traffic.source);
  if (sources == nullptr)
    throw InvalidArgument("the traffic", "without bursts", "inputs with bursts (--burst)");
  const auto queue_of = [&](const numeric::Rational& slots) {
    Traffic traffic = question.traffic;
    std::get<BurstyInputs>(traffic.source).burst.slots = slots;
    return output_queue(traffic, question.accuracy);
  };
  bounds::LongestBurst most = bounds::longest_burst(queue_of, shortest_burst_of(*sources), asked.capacity,
                                                    {asked.drop, question.criterion});
  BufferAnswer answer{
      .buffer = asked.capacity, .at = std::move(most.at_met), .beyond = std::move(most.at_missed)};
  const numeric::Enclosure<unit::Slot> ends(numeric::to_real(most.met, numeric::Rounding::down),
                                            numeric::to_real(most.missed, numeric::Rounding::up));
  using Unproved = numeric::Approximation<unit::Probability>;
  if (std::holds_alternative<Unproved>(answer.at.probability))
    answer.burst = numeric::Approximation<unit::Slot>{ends.lower(), 3};
  else
    answer.burst = ends;
  answer.safe_burst = most.met;
  add_context(answer, *most.queue, question.criterion);
  return answer;
}

}  // namespace

std::optional<numeric::Rational> BufferQuestion::drop() const {
  return std::visit(
      [](const auto& it) -> std::optional<numeric::Rational> {
        if constexpr (requires { it.drop; })
          return it.drop;
        else
          return std::nullopt;
      },
      asked);
}

std::optional<Packets> enough_by_bound(const BufferQuestion& question) {
  const auto* sources = std::get_if<BurstyInputs>(&question.traffic.source);
  const auto* asked = std::get_if<LeastBuffer>(&question.asked);
  if (sources == nullptr || asked == nullptr) return std::nullopt;
  try {
    const auto bound = queue::burst_bound(arrivals(*sources));
    if (!bound) return std::nullopt;
    return Packets(question.criterion == Criterion::overflow ? bound->least_level(asked->drop)
                                                             : bound->least_capacity(asked->drop));
  } catch (const LimitExceeded&) {  // the error explains why there is no answer, not why there is no bound
    return std::nullopt;
  }
}

BufferAnswer answer(const BufferQuestion& question, const Run&) {
  try {
    return std::visit([&](const auto& asked) { return answer_to(asked, question); }, question.asked);
  } catch (const LimitExceeded& limit) {
    if (const auto enough = enough_by_bound(question))
      throw LimitExceeded(std::string(limit.what()) + "; a buffer of " + std::to_string(enough->value) +
                          " packets suffices (proved)");
    throw;
  }
}

}  // namespace tailbound::answers
