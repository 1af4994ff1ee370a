#pragma once

#include <tailbound/network/multistage.hpp>
#include <tailbound/sim/batches/replication.hpp>
#include <tailbound/sim/sources/poisson_clock.hpp>

#include <memory>

/// Event-driven simulation of a combining multistage network under a hot spot.
///
/// MODEL     Time is continuous; a service takes 1 slot. Each processor generates requests as a Poisson
///           process of rate `load` per slot, which pauses while its last request is stalled: a request that
///           finds the buffer of stage 0 full waits in front of it. Each buffer has capacity K = L + 1, the
///           request in service included. A request served at stage i enters its buffer at stage i + 1 if it
///           is not full. Otherwise it stays and blocks its server until space becomes free, first come first
///           served. With Links::one each output of a switch passes one request at a time: a service occupies
///           it from its start until the request has left, and waiting requests get it first come, first
///           served. With Links::any an output, and so a memory, takes any number of requests at once: only a
///           full buffer blocks. A hot request joins one that waits in the buffer (not the head, which is in
///           service) and has not yet been joined cd - 1 times in this buffer. It then needs no space of its
///           own, so it enters even a full buffer, overtaking requests that wait for space. The two continue
///           as one request, whose degree counts from 1 again in the next buffer.
/// TIES      Once servers were blocked, many services end at the same time, and their order matters
///           (docs/derivations/multistage.md, section 7): they end in the order in which they started, before
///           an arrival; and a queue whose head leaves starts its next service before it admits others.
/// METHOD    All services take the same time, so they end in the order in which they started: a queue of ends
///           and one next arrival (of all processors together) replace an ordered list of events.
/// RESULT    delays from the entry into stage 0 to the end of the last service, for each generated request.
/// COST      bench/README.md. Memory: slightly more than 16 n N (L + 1) bytes.
/// SOURCE    Mohapatra, Wong and Das 1994, section 2, whose simulator this follows as far as described there
/// TESTS     tests/sim/multistage_test.cpp
namespace tailbound::sim {

struct MultistageModel {
  network::CombiningMultistage network;
  numeric::Rational load;  ///< requests per processor and service time; 0 < load <= 1
  network::Wiring wiring = network::Wiring::baseline;
};

/// Time resolution: fractions of a slot.
inline constexpr std::uint64_t ticks_per_slot = PoissonClock::ticks;

/// Rows of the counts.
struct MultistageRows {
  static constexpr std::size_t slots = 0;      ///< [0]: simulated
  static constexpr std::size_t generated = 1;  ///< [0]: requests, [1]: stalled ones
  static constexpr std::size_t delivered = 2;  ///< [hot]: requests as generated, [0] cold and [1] hot
  static constexpr std::size_t delays = 3;     ///< [hot]: sum of their delays, in ticks
  static constexpr std::size_t services = 4;   ///< [stage]: services that ended
  /// [stage]: hot requests that arrived, combined ones counted as one
  static constexpr std::size_t hot_arrivals = 5;
  static constexpr std::size_t combined = 6;   ///< [stage]: hot requests that joined another
  static constexpr std::size_t hot_tree = 7;   ///< [stage]: sum over the queues that hot requests pass of the
                                               ///< time integral of their requests, in ticks
  static constexpr std::size_t elsewhere = 8;  ///< [stage]: the same for all other queues
  static constexpr std::size_t count = 9;
};

/// Requests since the start, as generated; conservation:  generated = delivered + inside + stalled.
struct RequestBalance {
  std::int64_t generated = 0, delivered = 0, inside = 0, stalled = 0;
  [[nodiscard]] bool conserved() const { return generated == delivered + inside + stalled; }
};

class MultistageReplication : public Replication {
 public:
  /// Advances to the next arrival or end of service.
  virtual void one_event() = 0;
  /// `inside` and `stalled` are counted by a pass over all buffers.
  /// COST  a pass over the memory
  [[nodiscard]] virtual RequestBalance balance() const = 0;
  /// Number of misplaced queues and processors. A queue with a request is either in service or waits, once,
  /// in front of the next queue of its head (or for its output), and a waiting request cannot enter. 0
  /// unless the program is wrong.
  /// COST  as balance()
  [[nodiscard]] virtual std::int64_t misplaced() const = 0;
};

/// \throws InvalidArgument  a field out of range
/// \throws LimitExceeded    more than 16 GiB
[[nodiscard]] std::unique_ptr<MultistageReplication> make_multistage_replication(const MultistageModel& model,
                                                                                 RandomKey key);

/// The inputs as text, for checkpoints.
[[nodiscard]] std::string describe(const MultistageModel& model);

}  // namespace tailbound::sim
