#pragma once

#include <tailbound/bounds/path/path_delay.hpp>
#include <tailbound/queue/hops/dependent_waits.hpp>

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

/// How long do packets take through several queues whose waits depend on each other?
///
/// MODEL     queue/hops/dependent_waits.hpp: successive waits as in pairs of queues, and what queues upstream smooth.
///           Where the sources send bursts, each packet to a destination of its own, each wait and the dependence of
///           successive ones are those of queue/hops/burst_waits.hpp.
/// RESULT    approximations. Their digits say how far the arithmetic has converged; how near the model is to
///           simulation is in docs/derivations/dependent_hops.md (a few per cent from 0.5 to 1e-7), with bursts in
///           docs/derivations/aged_bursts.md: radix 3 and more within 10 % from 0.5 to 1e-4, at high load on the
///           conservative side. Bursts in binary trees: P(D > t) is underestimated, simulated / computed 1.17 at 1e-2
///           and 2.2 at 1e-5 (4 levels, load 0.5, bursts of 16).
/// EXCLUDES  bursts whose packets take one route, links that serve several packets per slot, delays other than the
///           wait
/// TESTS     tests/bounds/path/dependent_delay_test.cpp, tests/bounds/path/scattered_delay_test.cpp
namespace tailbound::bounds {

/// A queue, who feeds it, and by which links that have queues themselves.
struct DependentQueue {
  struct Links {
    std::size_t pair = 0;  ///< of one of these links and this queue
    double count = 1;
  };
  std::vector<queue::LoneSource> sources;         ///< as if no queue lay upstream
  std::vector<Links> links;                       ///< other links lead from sources
  std::vector<queue::LoneSource> straight;        ///< by those; may be left out if there are no links listed
  std::optional<queue::MarkovArrivals> bursts{};  ///< the same sources, if they send bursts: equal rates
};

/// What the waits of a network's routes follow from.
struct DependentHops {
  std::vector<DependentQueue> queues;
  std::vector<queue::QueuePair> pairs;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> between;  ///< the pair of successive queues
  std::vector<double> burst_dependence{};  ///< s_b of each pair (queue/hops/burst_waits.hpp); empty: 0

  /// Is each route a single queue that only sources feed? Then there is nothing to approximate.
  [[nodiscard]] bool exact(std::span<const Route> routes) const;
  /// Does any queue have bursts?
  [[nodiscard]] bool bursty() const;
};

class DependentKnowledge;

/// Routes are those of DependentHops::queues. Not for use by several threads at a time; pairs of queues are solved by
/// several threads of its own, and kept for all objects of the process.
class DependentDelay final : public DelayLaw {
 public:
  /// \param most_slots  that a delay may take, so that it is looked at
  explicit DependentDelay(std::shared_ptr<const DependentHops> hops, std::size_t most_slots = 2048);

  /// COST  the pairs' (queue/hops/queue_pair.hpp), once in a process; slots^3/6 a hop; with bursts also as
  ///       queue::MarkovQueue::tail() to that level, once for each queue
  /// \throws InvalidArgument  as PathDelay::answer()
  /// \throws LimitExceeded    the delay reaches beyond most_slots; as queue::MarkovQueue
  [[nodiscard]] ClaimedDelayAnswer claims(std::span<const Route> routes,
                                          const DelayQuestion& question) override;

  /// As PathDelay::distribution(), computed: intervals are not proved.
  [[nodiscard]] DelayDistribution distribution(std::span<const Route> routes,
                                               const numeric::Rational& negligible);

 private:
  std::shared_ptr<DependentKnowledge> knowledge_;
};

}  // namespace tailbound::bounds
