#pragma once

#include <tailbound/queue/finite/finite_queue.hpp>
#include <tailbound/queue/markov/markov_queue.hpp>
#include <tailbound/queue/slotted/slotted_queue.hpp>

#include <array>
#include <optional>

/// Minimum buffer of one output queue, and the loss of a given buffer.
///
/// MODEL     the slotted queue (queue/slotted/slotted_queue.hpp), or that with correlated arrivals
///           (queue/markov/markov_queue.hpp); packets beyond B dropped.
/// RESULT    the smallest buffer B that meets a drop target, proved by enclosures at B and B - 1.
/// SOURCE    Singh and Dally 2004, section V, for `overflow`; docs/derivations/loss.md for `loss`.
namespace tailbound::bounds {

enum class Criterion {
  overflow,  ///< P(Q > B) with an infinite buffer; below load 1/2 less than the loss rate
  loss,      ///< fraction of packets lost with a buffer of B packets
};
[[nodiscard]] constexpr auto names_of(Criterion) {
  return std::array{"overflow", "loss"};
}

struct DropTarget {
  numeric::Rational probability;  ///< 0 < probability < 1
  Criterion criterion = Criterion::overflow;
  queue::Timing timing = queue::Timing::slotted;  ///< of the losses; P(Q > n) is the same
};

struct BufferSize {
  Packets buffer;                                 ///< B, including the packet in service
  queue::LevelProbability at;                     ///< the criterion at B: <= the target
  std::optional<queue::LevelProbability> before;  ///< at B - 1: > the target; empty if B is 0
};

/// Smallest buffer that meets `target`. A loss target has an answer at any load.
/// \throws InvalidArgument  target outside ]0, 1[;  others as queue::min_level() or
///                          queue::FiniteLosses::min_capacity()
[[nodiscard]] BufferSize buffer_size(const queue::SlottedQueue& queue, const DropTarget& target,
                                     const queue::Accuracy& accuracy = {});

/// The criterion's probability for a buffer of `capacity` packets (>= 0).
[[nodiscard]] queue::LevelProbability drop_probability(const queue::SlottedQueue& queue, Packets capacity,
                                                       Criterion criterion,
                                                       const queue::Accuracy& accuracy = {},
                                                       queue::Timing timing = queue::Timing::slotted);

/// Whether a buffer of `capacity` packets meets `target`. Proved either way; digits are raised as needed.
/// \param accuracy  its digits do not matter, its arithmetic does
/// \throws LimitExceeded  the probability cannot be distinguished from the target
[[nodiscard]] bool meets_target(const queue::SlottedQueue& queue, Packets capacity, const DropTarget& target,
                                const queue::Accuracy& accuracy = {});

/// The same for a queue with Markovian arrivals. Proved where MarkovQueue::certified().
struct ClaimedBufferSize {
  Packets buffer;
  queue::ProbabilityClaim at;
  std::optional<queue::ProbabilityClaim> before;
};

/// \throws InvalidArgument  target outside ]0, 1[;  others as queue::MarkovQueue
[[nodiscard]] ClaimedBufferSize buffer_size(queue::MarkovQueue& queue, const DropTarget& target);

/// The criterion's probability for a buffer of `capacity` packets (>= 0).
[[nodiscard]] queue::ProbabilityClaim drop_probability(queue::MarkovQueue& queue, Packets capacity,
                                                       Criterion criterion);

}  // namespace tailbound::bounds
