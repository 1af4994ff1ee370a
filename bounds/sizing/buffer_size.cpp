#include <tailbound/bounds/sizing/buffer_size.hpp>
#include <tailbound/queue/finite/finite_queue.hpp>

namespace tailbound::bounds {
namespace {

using numeric::Rational;
using queue::Accuracy;
using queue::LevelProbability;
using queue::SlottedQueue;

void check(const DropTarget& target) {
  if (!(target.probability > 0 && target.probability < 1))
    throw InvalidArgument("drop", numeric::to_fraction(target.probability),
                          "a probability above 0 and below 1");
}

/// loss(B) <= eps  <=>  P(Q > B) <= eps rho / (1 - rho + eps rho), for C = 1.
Rational tail_target(const SlottedQueue& queue, const Rational& loss) {
  const Rational& load = *queue.arrivals.load();
  return loss * load / (1 - load + loss * load);
}

/// Smallest B by bisection on the loss itself, where no tail decides it. The loss decreases with B.
BufferSize by_halving(const SlottedQueue& queue, const DropTarget& target, const Accuracy& accuracy) {
  const auto meets = [&](std::int64_t capacity) {
    return meets_target(queue, Packets(capacity), target, accuracy);
  };
  std::int64_t below = 1, above = -1;  // met at `below`, missed at `above`
  while (!meets(below)) {
    above = below;
    below *= 2;
  }
  if (above < 0 && meets(0))
    below = 0;
  else if (above < 0)
    above = 0;
  while (below - above > 1) {
    const std::int64_t middle = above + (below - above) / 2;
    (meets(middle) ? below : above) = middle;
  }
  BufferSize result{Packets(below), queue::loss_probability(queue, Packets(below), accuracy), std::nullopt};
  if (below > 0) result.before = queue::loss_probability(queue, Packets(below - 1), accuracy);
  return result;
}

}  // namespace

queue::LevelProbability drop_probability(const SlottedQueue& queue, Packets capacity, Criterion criterion,
                                         const Accuracy& accuracy) {
  if (capacity.value < 0)
    throw InvalidArgument("capacity", std::to_string(capacity.value), "a whole number of packets, 0 or more");
  return criterion == Criterion::overflow ? queue::occupancy_tail(queue, capacity, accuracy)
                                          : queue::loss_probability(queue, capacity, accuracy);
}

bool meets_target(const SlottedQueue& queue, Packets capacity, const DropTarget& target,
                  const Accuracy& accuracy) {
  check(target);
  // A few digits decide nearly every case; equality needs the exact value.
  Accuracy trial = accuracy;
  for (int digits : {3, 8, 16, 40, 100, 250, 600}) {
    trial.digits.count = digits;
    const LevelProbability value = drop_probability(queue, capacity, target.criterion, trial);
    if (numeric::surely_at_most<unit::Probability>(value.probability, target.probability)) return true;
    if (numeric::surely_above<unit::Probability>(value.probability, target.probability)) return false;
    if (digits >= 40 && queue.packets_per_slot == 1 && trial.arithmetic == queue::Arithmetic::automatic) {
      try {
        trial.arithmetic = queue::Arithmetic::exact;
        return numeric::surely_at_most<unit::Probability>(
            drop_probability(queue, capacity, target.criterion, trial).probability, target.probability);
      } catch (const LimitExceeded&) {
        trial.arithmetic = queue::Arithmetic::automatic;
      }
    }
  }
  throw LimitExceeded("the drop probability of a buffer of " + std::to_string(capacity.value) +
                      " packets agrees with the target to 600 digits");
}

BufferSize buffer_size(const SlottedQueue& queue, const DropTarget& target, const Accuracy& accuracy) {
  check(target);
  queue::require_stable(queue);
  if (target.criterion == Criterion::loss && queue.arrivals.largest_batch() != 0) {
    if (queue.packets_per_slot > 1 || !queue.arrivals.load()) return by_halving(queue, target, accuracy);
    queue::TailBoundary boundary = queue::min_level(queue, tail_target(queue, target.probability), accuracy);
    const auto loss_at = [&](Packets capacity) { return queue::loss_probability(queue, capacity, accuracy); };
    BufferSize result{boundary.level, loss_at(boundary.level), std::nullopt};
    if (boundary.level.value > 0) result.before = loss_at(boundary.level - Packets(1));
    return result;
  }
  queue::TailBoundary boundary = queue::min_level(queue, target.probability, accuracy);
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
