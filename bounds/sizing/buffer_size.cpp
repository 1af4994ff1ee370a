#include <tailbound/bounds/sizing/buffer_size.hpp>

namespace tailbound::bounds {
namespace {

using queue::Accuracy;
using queue::LevelProbability;
using queue::SlottedQueue;

void check(const DropTarget& target) {
  if (!(target.probability > 0 && target.probability < 1))
    throw InvalidArgument("drop", numeric::to_fraction(target.probability),
                          "a probability above 0 and below 1");
}

}  // namespace

LevelProbability drop_probability(const SlottedQueue& queue, Packets capacity, Criterion criterion,
                                  const Accuracy& accuracy, queue::Timing timing) {
  if (capacity.value < 0)
    throw InvalidArgument("capacity", std::to_string(capacity.value), "a whole number of packets, 0 or more");
  return criterion == Criterion::overflow ? queue::occupancy_tail(queue, capacity, accuracy)
                                          : queue::loss_probability(queue, capacity, accuracy, timing);
}

bool meets_target(const SlottedQueue& queue, Packets capacity, const DropTarget& target,
                  const Accuracy& accuracy) {
  check(target);
  if (target.criterion == Criterion::loss)
    return queue::FiniteLosses(queue, target.timing)
        .at_most(capacity, target.probability, accuracy.arithmetic);
  // P(Q > 0) = rho exactly.
  if (capacity.value == 0 && queue.packets_per_slot == 1 && queue.arrivals.load() &&
      *queue.arrivals.load() < 1)
    return *queue.arrivals.load() <= target.probability;
  // A few digits decide nearly every case; equality needs the exact value.
  Accuracy trial = accuracy;
  for (int digits : {3, 8, 16, 40, 100, 250, 600}) {
    trial.digits.count = digits;
    const LevelProbability value = queue::occupancy_tail(queue, capacity, trial);
    if (numeric::surely_at_most<unit::Probability>(value.probability, target.probability)) return true;
    if (numeric::surely_above<unit::Probability>(value.probability, target.probability)) return false;
    if (digits >= 40 && queue.packets_per_slot == 1 && trial.arithmetic == queue::Arithmetic::automatic) {
      try {
        trial.arithmetic = queue::Arithmetic::exact;
        return numeric::surely_at_most<unit::Probability>(
            queue::occupancy_tail(queue, capacity, trial).probability, target.probability);
      } catch (const LimitExceeded&) {
        trial.arithmetic = queue::Arithmetic::automatic;
      }
    }
  }
  throw LimitExceeded("P(Q > " + std::to_string(capacity.value) + ") agrees with the target to 600 digits");
}

BufferSize buffer_size(const SlottedQueue& queue, const DropTarget& target, const Accuracy& accuracy) {
  check(target);
  queue::TailBoundary boundary =
      target.criterion == Criterion::overflow
          ? queue::min_level(queue, target.probability, accuracy)
          : queue::FiniteLosses(queue, target.timing).min_capacity(target.probability, accuracy);
  BufferSize result{boundary.level, std::move(boundary.at), std::nullopt};
  if (!boundary.before.empty()) result.before = std::move(boundary.before.front());
  return result;
}

ClaimedBufferSize buffer_size(queue::MarkovQueue& queue, const DropTarget& target) {
  const Packets buffer(target.criterion == Criterion::overflow ? queue.min_level(target.probability)
                                                               : queue.min_capacity(target.probability));
  ClaimedBufferSize size{buffer, drop_probability(queue, buffer, target.criterion), std::nullopt};
  if (buffer.value > 0) size.before = drop_probability(queue, buffer - Packets(1), target.criterion);
  return size;
}

queue::ProbabilityClaim drop_probability(queue::MarkovQueue& queue, Packets capacity, Criterion criterion) {
  return criterion == Criterion::overflow ? queue.tail(capacity.value) : queue.loss(capacity.value);
}

}  // namespace tailbound::bounds
