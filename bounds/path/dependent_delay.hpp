#pragma once

#include <tailbound/bounds/path/path_delay.hpp>
#include <tailbound/queue/hops/dependent_waits.hpp>

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

/// Packet delays through several queues with dependent waits.
///
/// MODEL     queue/hops/dependent_waits.hpp: successive waits as in pairs of queues, and the smoothing by
///           queues upstream. Where the sources send bursts with per-packet destinations, each wait and the
///           dependence of successive ones are those of queue/hops/burst_waits.hpp.
/// RESULT    approximations. Their digits show the convergence of the arithmetic. Accuracy against
///           simulation: docs/derivations/dependent_hops.md (a few per cent from 0.5 to 1e-7), with bursts
///           docs/derivations/aged_bursts.md: radix 3 and more within 10 % from 0.5 to 1e-4, conservative at
///           high load. Bursts in binary trees: P(D > t) is underestimated, simulated / computed 1.17 at 1e-2
///           and 2.2 at 1e-5 (4 levels, load 0.5, bursts of 16).
/// EXCLUDES  bursts whose packets take one route, links that serve several packets per slot, delays other
///           than the wait
/// TESTS     tests/bounds/path/dependent_delay_test.cpp, tests/bounds/path/per_packet_delay_test.cpp
namespace tailbound::bounds {

/// A queue, its sources, and its links from other queues.
struct DependentQueue {
  struct Links {
    std::size_t pair = 0;  ///< the pair of one of these links and this queue
    double count = 1;
  };
  std::vector<queue::LoneSource> sources;         ///< as if there were no queue upstream
  std::vector<Links> links;                       ///< other links come directly from sources
  std::vector<queue::LoneSource> straight;        ///< sources over those; may be omitted if no links are
                                                  ///< listed
  std::optional<queue::MarkovArrivals> bursts{};  ///< the same sources, if bursty: equal rates
};

/// The data that determine the waits on a network's routes.
struct DependentHops {
  std::vector<DependentQueue> queues;
  std::vector<queue::QueuePair> pairs;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> between;  ///< pair index by successive queues
  std::vector<double> burst_dependence{};  ///< s_b of each pair (queue/hops/burst_waits.hpp); empty: 0

  /// Whether each route is a single queue with only sources as inputs, so that nothing is approximated.
  [[nodiscard]] bool exact(std::span<const Route> routes) const;
  /// Whether any queue has bursts.
  [[nodiscard]] bool bursty() const;
};

class DependentKnowledge;

/// Routes are those of DependentHops::queues. Not thread-safe. Pairs of queues are solved by internal threads
/// and cached for all objects of the process.
class DependentDelay final : public DelayLaw {
 public:
  /// \param max_slots  maximum delay considered
  explicit DependentDelay(std::shared_ptr<const DependentHops> hops, std::size_t max_slots = 2048);

  /// COST  that of the pairs (queue/hops/queue_pair.hpp), once per process; slots^3/6 per hop; with bursts
  ///       also that of queue::MarkovQueue::tail() to that level, once per queue
  /// \throws InvalidArgument  as PathDelay::answer()
  /// \throws LimitExceeded    the delay exceeds max_slots; as queue::MarkovQueue
  [[nodiscard]] ClaimedDelayAnswer claims(std::span<const Route> routes, const DelayQuery& query) override;

  /// As PathDelay::distribution(), numerical: intervals are not proved.
  [[nodiscard]] DelayDistribution distribution(std::span<const Route> routes,
                                               const numeric::Rational& negligible);

 private:
  std::shared_ptr<DependentKnowledge> knowledge_;
};

}  // namespace tailbound::bounds
