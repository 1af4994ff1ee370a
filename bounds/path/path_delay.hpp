#pragma once

#include <tailbound/bounds/path/reorder_buffer.hpp>
#include <tailbound/queue/delay/markov_delay.hpp>

#include <memory>
#include <span>
#include <vector>

/// Packet delays through several queues.
///
/// MODEL     D = sum of the delays of the queues on a packet's route, assumed independent; T = D + number of
///           those queues. Packets of one query may take different routes: the distribution is then their
///           mixture.
/// RESULT    P(D > t), percentiles and means of the model, exact or enclosures. Where a queue on the route is
///           only approximated (queue::MarkovQueue::certified()), marked approximations.
/// SOURCE    Singh and Dally 2004, sections IV and V; docs/derivations/path_delay.md
/// EXCLUDES  the positive correlation of successive waits: the model underestimates the tail of a long route
///           (measured in docs/derivations/path_delay.md). bounds/path/dependent_delay.hpp includes it.
/// TESTS     tests/bounds/path/path_delay_test.cpp, data/reference/path_delay.csv
namespace tailbound::bounds {

/// The queues that packets pass.
struct Route {
  std::vector<std::size_t> queues;  ///< indices into the list given to PathDelay; may repeat
  numeric::Rational share = 1;      ///< fraction of the packets
  std::size_t passed = 0;           ///< additional queues that only add their service slot

  [[nodiscard]] std::size_t length() const noexcept { return queues.size() + passed; }
};

/// Truth: numeric::Proved or numeric::Claim.
template <template <class> class Truth>
struct SlotProbabilityOf {
  Slots slots;
  Truth<unit::Probability> probability;
};

/// Smallest t with P(delay <= t) >= p.
template <template <class> class Truth>
struct PercentileOf {
  numeric::Rational probability;  ///< p
  Slots slots;                    ///< t
  SlotProbabilityOf<Truth> at;    ///< P(delay > t) <= 1 - p
  std::vector<SlotProbabilityOf<Truth>>
      before;  ///< P(delay > t - 1) > 1 - p; empty if t is the minimum possible delay
};

struct DelayQuery {
  std::vector<Slots> levels;                   ///< P(D > t) is requested for these t >= 0
  std::vector<numeric::Rational> percentiles;  ///< p, 0 < p < 1
};

template <template <class> class Truth>
struct DelayAnswerOf {
  std::vector<SlotProbabilityOf<Truth>> above;  ///< P(D > t), in the order of the query's levels
  std::vector<PercentileOf<Truth>> queueing;    ///< of D, in the order of the query's percentiles
  std::vector<PercentileOf<Truth>> latency;     ///< of T
  Truth<unit::Slot> mean_queueing, mean_latency;
};

using SlotProbability = SlotProbabilityOf<numeric::Proved>;
using Percentile = PercentileOf<numeric::Proved>;
using DelayAnswer = DelayAnswerOf<numeric::Proved>;
using ClaimedSlotProbability = SlotProbabilityOf<numeric::Claim>;
using ClaimedPercentile = PercentileOf<numeric::Claim>;
using ClaimedDelayAnswer = DelayAnswerOf<numeric::Claim>;

/// Interface for P(D > t) of routes.
class DelayLaw {
 public:
  DelayLaw() = default;
  DelayLaw(const DelayLaw&) = default;
  DelayLaw& operator=(const DelayLaw&) = default;
  virtual ~DelayLaw() = default;
  [[nodiscard]] virtual ClaimedDelayAnswer claims(std::span<const Route> routes, const DelayQuery& query) = 0;
};

/// \throws InvalidArgument  no route, shares that do not sum to 1, a level below 0, a percentile outside ]0,
///                          1[
void require_valid(std::span<const Route> routes, const DelayQuery& query);

class DelayKnowledge;

/// The queues of a network and a cache of their delays. Not thread-safe.
class PathDelay final : public DelayLaw {
 public:
  /// \param ticks  of a slot of each queue, at least 1: all delays are then in ticks, and T is D plus the
  ///               slots of the queues; default: one slot for all
  /// \throws Unstable, InvalidArgument  as queue::hop_delay(), when a queue is first used
  PathDelay(std::vector<queue::HopQueue> queues, queue::HopDelay delay, numeric::Digits digits = {},
            std::vector<std::int64_t> ticks = {});

  /// CONTRACT  probabilities requested by level are exact or enclosures of relative width <= 10^-digits; both
  ///           sides of a percentile are proved, by exact rationals where an enclosure cannot.
  /// COST      O(H N^2) or O(H N log N) operations for H queues on the route and N slots, N = the largest
  ///           requested slot.
  /// \throws InvalidArgument  no route, shares that do not sum to 1, a level below 0, a percentile outside
  ///                          ]0, 1[
  /// \throws LimitExceeded    more than 2^24 slots or 4e8 products of long numbers; a tie with a percentile
  ///                          that is too deep for exact rationals; more than 14 digits, or a tie, with
  ///                          correlated arrivals; as queue::MarkovQueue
  /// \throws NoAnswer         a queue on a route is only approximated
  [[nodiscard]] DelayAnswer answer(std::span<const Route> routes, const DelayQuery& query);

  /// The same, with approximations where a queue on a route is only approximated.
  [[nodiscard]] ClaimedDelayAnswer claims(std::span<const Route> routes, const DelayQuery& query) override;

  /// The whole distribution of T minus the number of queues of the shortest route, until the remaining P(. >
  /// t) sum to at most `negligible`.
  /// \param negligible  above 0, at most 1
  /// \throws NoAnswer  correlated arrivals: such sums are not proved accurately enough
  [[nodiscard]] DelayDistribution distribution(std::span<const Route> routes,
                                               const numeric::Rational& negligible);

 private:
  DelayAnswer computed(std::span<const Route> routes, const DelayQuery& query);

  std::shared_ptr<DelayKnowledge> knowledge_;
};

}  // namespace tailbound::bounds
