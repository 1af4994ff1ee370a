#pragma once

#include <tailbound/bounds/sizing/buffer_size.hpp>
#include <tailbound/queue/delay/hop_delay.hpp>
#include <tailbound/queue/delay/marked_queue.hpp>
#include <tailbound/queue/delay/steps_queue.hpp>
#include <tailbound/queue/priority/finite_classes.hpp>
#include <tailbound/queue/tail_bounds/source_bound.hpp>

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

/// The common interface of all output queues, for any traffic.
///
/// RESULT    each number with its certainty (numeric::Claim) and how it was computed. A new queue needs an
///           implementation of OutputQueue and one line in answers/traffic.cpp.
/// SOURCE    the header of each queue
/// TESTS     tests/bounds/sizing/output_queue_test.cpp
namespace tailbound::bounds {

/// How a number was computed.
struct Computation {
  enum class Route {
    recurrence,  ///< with non-negative terms, in the arithmetic of `method`
    matrices,    ///< long double (more bits where needed), bounded from below and from above
    modes,       ///< spectral: some modes of the number of sources in a burst; not proved
  };
  Route route = Route::recurrence;
  queue::Method method{};  ///< for a recurrence

  /// For scripts: "double", "multiprecision", ..., "matrices", "modes"
  [[nodiscard]] const char* name() const;
};

struct ComputedProbability {
  queue::ProbabilityClaim probability;
  Computation computation;
};
/// Computed by a recurrence.
[[nodiscard]] ComputedProbability computed(const queue::LevelProbability& probability);

/// Minimum capacity at which the criterion meets a target, with the probabilities on both sides as proof.
struct MinBufferSize {
  Packets buffer;                             ///< B, including the packet in service
  ComputedProbability at;                     ///< the criterion at B: <= the target
  std::optional<ComputedProbability> before;  ///< at B - 1: > the target; empty if B is 0
};

/// Not thread-safe: a queue may cache its results.
class OutputQueue {
 public:
  OutputQueue() = default;
  virtual ~OutputQueue() = default;
  OutputQueue(const OutputQueue&) = delete;
  OutputQueue& operator=(const OutputQueue&) = delete;

  /// rho [packets/slot]; empty where it is irrational.
  [[nodiscard]] virtual std::optional<numeric::Rational> load() const = 0;
  /// Packets served per slot.
  [[nodiscard]] virtual int packets_per_slot() const = 0;
  /// Whether slots are correlated (bursts, phases).
  [[nodiscard]] virtual bool correlated() const = 0;

  /// P(Q > level) for each level, in the order given; Q counted just after the arrivals of a slot.
  [[nodiscard]] virtual std::vector<ComputedProbability> tails(std::span<const Packets> levels) = 0;
  /// The criterion's probability for a buffer of `capacity` packets (>= 0).
  [[nodiscard]] virtual ComputedProbability drop_probability(Packets capacity, Criterion criterion) = 0;
  /// Smallest buffer that meets `target`.  \throws InvalidArgument  target outside ]0, 1[
  [[nodiscard]] virtual MinBufferSize min_buffer_size(const DropTarget& target) = 0;
  /// E[Q] [packets].
  [[nodiscard]] virtual numeric::Claim<unit::Packet> mean_occupancy() = 0;
  /// log z0 [1/packet]: deep in the tail each packet multiplies P(Q > n) by exp(-decay_rate). Empty where no
  /// packet ever waits, or it is not known.
  [[nodiscard]] virtual std::optional<numeric::Enclosure<unit::PerPacket>> decay_rate() = 0;
  /// The same, but also none where it cannot be enclosed, so that other results are still given.
  [[nodiscard]] std::optional<numeric::Enclosure<unit::PerPacket>> found_decay_rate();

  /// Whether P(Q > B) underestimates the fraction of packets lost. For independent slots with one packet
  /// served per slot: below load 1/2. Otherwise found by computing both.
  /// \param at  the overflow probability at `buffer`
  /// \return the loss, if it is larger
  [[nodiscard]] virtual std::optional<ComputedProbability> loss_above(const ComputedProbability& at,
                                                                      Packets buffer) = 0;

  /// Proved bounds that accompany approximations; null where the results themselves are proved, or where
  /// there is no such bound.
  [[nodiscard]] virtual queue::SourceBound* bound() { return nullptr; }
};

/// Independent slots. At rho >= packets_per_slot only losses are known: all others throw Unstable.
[[nodiscard]] std::unique_ptr<OutputQueue> output_queue(queue::SlottedQueue queue,
                                                        const queue::Accuracy& accuracy = {});

/// Poisson arrivals in continuous time and service times of one slot: M/D/1, and M/D/1/K with capacity K
/// including the packet in service.
///
/// RESULT    the queue left by departures is Q' = max(Q - 1, 0) + A, A Poisson (load): the recursion of the
///           slotted queue. So P(Q > n), at any time by PASTA, is that of independent slots. With capacity K
///           the distributions left by departures are the same up to a factor, and with t = P(Q > K - 1) of
///           the infinite buffer the fraction lost is (1 - load) t / (1 - load t); at load 1 and above from
///           the empty share. docs/derivations/loss.md, section "In continuous time"
/// \param load  above 0
[[nodiscard]] std::unique_ptr<OutputQueue> poisson_at_any_time(const numeric::Rational& load,
                                                               const queue::Accuracy& accuracy = {});

/// Correlated slots.
/// \throws InvalidArgument  an arithmetic other than `automatic`;  as queue::MarkovQueue
[[nodiscard]] std::unique_ptr<OutputQueue> output_queue(queue::MarkovArrivals arrivals,
                                                        const queue::Accuracy& accuracy = {});

/// Packets of a lower-priority class in a buffer of their own; those of the higher classes are infinite.
/// RESULT    enclosures; the decay rate is not known. Losses as upper bounds: finite higher buffers leave
///           more slots to the class
/// \throws InvalidArgument  an arithmetic other than `automatic`;  as queue::PriorityQueue
[[nodiscard]] std::unique_ptr<OutputQueue> output_queue(queue::ClassQueue queue,
                                                        const queue::Accuracy& accuracy = {});

/// The buffer does not depend on whose packets wait: that of all sources.
[[nodiscard]] std::unique_ptr<OutputQueue> output_queue(queue::FlowQueue queue,
                                                        const queue::Accuracy& accuracy = {});

[[nodiscard]] std::unique_ptr<OutputQueue> output_queue(const queue::MarkedArrivals& queue,
                                                        const queue::Accuracy& accuracy = {});

/// A class whose higher classes have finite buffers.
struct BufferedClass {
  queue::ClassSlots slots;
  std::vector<Packets> higher;  ///< buffers of the higher classes; the class is the next one
};
/// Packets of a lower-priority class, with the buffers of the higher classes.
/// RESULT    losses with these buffers, at any load; P(Q > n) and the mean occupancy of infinite buffers
/// \throws InvalidArgument  an arithmetic other than `automatic`;  as queue::FiniteClasses
/// \throws Unstable         by results of infinite buffers: the classes offer 1 packet per slot or more
[[nodiscard]] std::unique_ptr<OutputQueue> output_queue(BufferedClass queue,
                                                        const queue::Accuracy& accuracy = {});

/// A link that serves several packets per slot of Markovian arrivals.
/// RESULT    the decay rate is not known
/// \throws InvalidArgument  an arithmetic other than `automatic`;  as queue::StepsOccupancy
[[nodiscard]] std::unique_ptr<OutputQueue> output_queue(queue::StepsQueue queue,
                                                        const queue::Accuracy& accuracy = {});

}  // namespace tailbound::bounds
