#pragma once

#include <tailbound/bounds/sizing/buffer_size.hpp>
#include <tailbound/queue/delay/parts_queue.hpp>
#include <tailbound/queue/priority/priority_queue.hpp>
#include <tailbound/queue/tail_bounds/source_bound.hpp>

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

/// One interface for every queue: what can be asked of an output queue, whatever feeds it.
///
/// RESULT    each number with its certainty (numeric::Claim) and how it was computed. A new queue is one
///           implementation of OutputQueue, and one line where traffic is named (answers/traffic.cpp).
/// SOURCE    the queue's own header
/// TESTS     tests/bounds/sizing/output_queue_test.cpp
namespace tailbound::bounds {

/// How a number came about.
struct Computation {
  enum class Route {
    recurrence,  ///< of non-negative terms, in the arithmetic of `method`
    matrices,    ///< long double (more bits where needed), bounded from below and from above
    modes,       ///< some modes of the number of sources in a burst: not proved
  };
  Route route = Route::recurrence;
  queue::Method method{};  ///< of a recurrence

  /// For scripts: "double", "multiprecision", ..., "matrices", "modes"
  [[nodiscard]] const char* name() const;
};

struct ComputedProbability {
  queue::ProbabilityClaim probability;
  Computation computation;
};
/// As a recurrence found it.
[[nodiscard]] ComputedProbability computed(const queue::LevelProbability& probability);

/// The least room at which the criterion meets a target; the probability on both sides shows that it is the least.
struct LeastRoom {
  Packets buffer;                             ///< B: the packet in service counts
  ComputedProbability at;                     ///< the criterion at B: <= the target
  std::optional<ComputedProbability> before;  ///< at B - 1: > the target; empty if B is 0
};

/// Not for use by several threads at a time: a queue may remember what it has computed.
class OutputQueue {
 public:
  OutputQueue() = default;
  virtual ~OutputQueue() = default;
  OutputQueue(const OutputQueue&) = delete;
  OutputQueue& operator=(const OutputQueue&) = delete;

  /// rho [packets/slot]; empty where it is irrational.
  [[nodiscard]] virtual std::optional<numeric::Rational> load() const = 0;
  /// Packets served in a slot.
  [[nodiscard]] virtual int packets_per_slot() const = 0;
  /// Do slots depend on each other (bursts, phases)?
  [[nodiscard]] virtual bool correlated() const = 0;

  /// P(Q > level) for each level, in the order given; Q counted just after the arrivals of a slot.
  [[nodiscard]] virtual std::vector<ComputedProbability> tails(std::span<const Packets> levels) = 0;
  /// The criterion's probability for a buffer of `capacity` packets (>= 0).
  [[nodiscard]] virtual ComputedProbability drop_probability(Packets capacity, Criterion criterion) = 0;
  /// The least buffer that meets `target`.  \throws InvalidArgument  target outside ]0, 1[
  [[nodiscard]] virtual LeastRoom least_room(const DropTarget& target) = 0;
  /// E[Q] [packets].
  [[nodiscard]] virtual numeric::Claim<unit::Packet> mean_occupancy() = 0;
  /// log z0 [1/packet]: P(Q > n) falls by exp(-decay_rate) a packet, deep in the tail; empty where no packet ever
  /// waits, or it is not known.
  [[nodiscard]] virtual std::optional<numeric::Enclosure<unit::PerPacket>> decay_rate() = 0;
  /// The same; none, too, where it cannot be enclosed: beside other numbers it is no reason to refuse them.
  [[nodiscard]] std::optional<numeric::Enclosure<unit::PerPacket>> found_decay_rate();

  /// P(Q > B) is below the fraction of packets lost, and so no safe drop rate: of independent slots with one packet
  /// served in each below load 1/2; otherwise found by asking for both.
  /// \param at  the overflow probability at `buffer`
  /// \return the loss, where it is greater
  [[nodiscard]] virtual std::optional<ComputedProbability> loss_above(const ComputedProbability& at,
                                                                      Packets buffer) = 0;

  /// What is proved beside numbers that are approximations; null where they are proved themselves, and where there is
  /// no such bound.
  [[nodiscard]] virtual queue::SourceBound* bound() { return nullptr; }
};

/// Independent slots.  \throws Unstable  rho >= packets_per_slot
[[nodiscard]] std::unique_ptr<OutputQueue> output_queue(queue::SlottedQueue queue,
                                                        const queue::Accuracy& accuracy = {});

/// Poisson arrivals at any time, and services of one slot: M/D/1, and M/D/1/K with K the capacity, in which the packet
/// in service counts.
///
/// RESULT    what departures leave behind is Q' = max(Q - 1, 0) + A, A Poisson (load): the slotted queue's recursion, so
///           that P(Q > n), at any time by PASTA, is that of independent slots. Of room for K packets the laws left
///           behind are the same up to a factor, and with t = P(Q > K - 1) of unlimited room the fraction lost is
///           (1 - load) t / (1 - load t). docs/derivations/loss.md, section "In continuous time"
/// \param load  above 0  \throws Unstable  load >= 1
[[nodiscard]] std::unique_ptr<OutputQueue> poisson_at_any_time(const numeric::Rational& load,
                                                               const queue::Accuracy& accuracy = {});

/// Correlated slots.
/// \throws InvalidArgument  an arithmetic other than the automatic one;  as queue::MarkovQueue
[[nodiscard]] std::unique_ptr<OutputQueue> output_queue(queue::MarkovArrivals arrivals,
                                                        const queue::Accuracy& accuracy = {});

/// Packets of a class that waits for another, in room of their own.
/// RESULT    enclosures; the decay rate is not known
/// \throws InvalidArgument  an arithmetic other than the automatic one;  as queue::PriorityQueue
[[nodiscard]] std::unique_ptr<OutputQueue> output_queue(queue::ClassQueue queue,
                                                        const queue::Accuracy& accuracy = {});

/// A link that takes a fraction of packets a slot, or several of arrivals that remember.
/// RESULT    a packet that has begun to leave counts whole; losses are not known, nor the decay rate
/// \throws InvalidArgument  an arithmetic other than the automatic one;  as queue::PartsDelay
[[nodiscard]] std::unique_ptr<OutputQueue> output_queue(queue::PartsQueue queue,
                                                        const queue::Accuracy& accuracy = {});

}  // namespace tailbound::bounds
