#pragma once

#include <tailbound/network/multistage.hpp>
#include <tailbound/sim/batches/replication.hpp>
#include <tailbound/sim/sources/poisson_clock.hpp>

#include <memory>

/// Event-driven simulation of a combining multistage network under a hot spot.
///
/// MODEL     Time is continuous; a service takes 1 slot. Each processor generates requests as a Poisson
///           process of rate `load` a slot, which rests while its last request is stalled: one that finds the
///           buffer of stage 0 full waits before it. Each buffer has K = L + 1 places, that in service
///           included. A request that has been served at stage i goes into its buffer at stage i + 1 if there
///           is a place; otherwise it stays, blocks its server, and is let in, first come first served, as
///           places become free. With Links::one each output of a switch passes one request at a time:
///           a service needs it from its beginning until the request has gone on, and those that wait for it
///           get it first come, first served. With Links::any an output, and so a memory, takes any number of
///           requests at once: a full buffer is all that blocks.
///           A hot request joins one that waits in the buffer (not the head, which is in service) and has not
///           yet been joined cd - 1 times in this buffer; then it needs no place, so that it enters a full
///           buffer too, overtaking those that wait for a place. The two go on as one request, whose degree
///           counts from 1 again in the next buffer.
/// TIES      Once servers were blocked, many services end at the same time, and their order counts
///           (docs/derivations/multistage.md, section 7): they end in the order in which they began, before
///           an arrival; and a queue whose head leaves begins its next service before it lets others in.
/// METHOD    All services take the same time, so that they end in the order in which they began: a queue of
///           ends and one next arrival (of all processors together) take the place of an ordered list of
///           events.
/// RESULT    delays run from the entry into stage 0 until the end of the last service, of each request as
///           generated.
/// COST      bench/README.md. Memory: 16 n N (L + 1) bytes and some.
/// SOURCE    Mohapatra, Wong and Das 1994, section 2, whose simulator this follows as far as it is described
/// TESTS     tests/sim/multistage_test.cpp
namespace tailbound::sim {

struct MultistageModel {
  network::CombiningMultistage network;
  numeric::Rational load;  ///< requests of a processor in a service time; 0 < load <= 1
  network::Wiring wiring = network::Wiring::baseline;
};

/// Fractions of a slot in which times are counted.
inline constexpr std::uint64_t ticks_per_slot = PoissonClock::ticks;

/// Rows of the counts.
struct MultistageRows {
  static constexpr std::size_t slots = 0;         ///< [0]: simulated
  static constexpr std::size_t generated = 1;     ///< [0]: requests, [1]: those that stalled
  static constexpr std::size_t delivered = 2;     ///< [hot]: requests as generated, [0] cold and [1] hot
  static constexpr std::size_t delays = 3;        ///< [hot]: sum of their delays, in ticks
  static constexpr std::size_t services = 4;      ///< [stage]: services that ended
  static constexpr std::size_t hot_arrivals = 5;  ///< [stage]: hot requests that came, combined ones as one
  static constexpr std::size_t combined = 6;      ///< [stage]: those that joined another
  static constexpr std::size_t hot_tree = 7;   ///< [stage]: sum over the queues that hot requests pass of the
                                               ///< time integral of their requests, in ticks
  static constexpr std::size_t elsewhere = 8;  ///< [stage]: the same of all other queues
  static constexpr std::size_t count = 9;
};

/// Requests since the start, as generated; conservation is  generated = delivered + inside + stalled.
struct RequestBalance {
  std::int64_t generated = 0, delivered = 0, inside = 0, stalled = 0;
  [[nodiscard]] bool conserved() const { return generated == delivered + inside + stalled; }
};

class MultistageReplication : public Replication {
 public:
  /// Goes on to the next arrival or end of service.
  virtual void one_event() = 0;
  /// `inside` and `stalled` are counted by looking through all buffers.
  /// COST  a pass over the memory
  [[nodiscard]] virtual RequestBalance balance() const = 0;
  /// Queues and processors that are not where they should be: a queue that holds a request is either in
  /// service or waits, once, before the queue that its head goes to (or for the output there), and who waits
  /// has no way in. 0 unless the program is wrong.
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
