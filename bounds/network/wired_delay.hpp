#pragma once

#include <tailbound/bounds/network/collapsed_network.hpp>
#include <tailbound/bounds/path/computed_delay.hpp>

#include <memory>
#include <optional>
#include <span>
#include <vector>

/// Delays in arbitrary networks, with the output processes of the previous queues as inputs of each queue.
///
/// MODEL     "F": queues that never wait are removed (collapsed_network.hpp, exact). The output of another
///           queue is an alternating renewal process (queue/hops/output_process.hpp), so no input delivers
///           more than one packet per slot. Successive waits are those of a packet in a chain of two queues
///           (queue/hops/wired_pair.hpp); over three or more queues the tail is corrected by a chain that
///           carries over the content of the next queue. Sources that reach a queue over several inputs use
///           one of them per slot.
/// RESULT    approximations; docs/derivations/any_network.md has the measured errors. Distributions are sums
///           and products of positive numbers: probabilities are at most 1 and tails fall by construction.
/// EXCLUDES  bursts in queues that may wait (a flow through such a queue, or through one downstream of it,
///           has no routes here); links that do not send one packet per slot
/// TESTS     tests/bounds/network/wired_delay_test.cpp
namespace tailbound::bounds {

class WiredKnowledge;

/// Not thread-safe.
class WiredDelay final : public DelayLaw {
 public:
  /// \pre network::require_valid(), network::has_unit_speeds()
  explicit WiredDelay(const network::Network& network);

  /// For claims(): Route::queues has one element, a route of this model. Empty where the model does not
  /// apply, or packets pass no queue.
  [[nodiscard]] const std::vector<Route>& routes(std::size_t flow) const;
  /// The queues that may wait on each route of a flow.
  enum class Meets {
    one,  ///< at most one, each source on one input, all identical: the delay is that of an arbitrary packet
          ///< there
    one_unequal,  ///< at most one, each source on one input
    several,      ///< several, or one with queues as inputs, or with a source that arrives over several
  };
  [[nodiscard]] Meets meets(std::size_t flow) const;
  /// A route with at most one queue that may wait.
  struct SourceRoute {
    std::size_t link = 0;  ///< of that queue
    std::vector<queue::SlotSources>
        others;                 ///< of that queue, without the flow's own; empty if no queue waits
    numeric::Rational own = 0;  ///< packets/slot of the flow's source there
    /// If some of the sources have bursts, all as on-off sources instead of `others`.
    std::optional<queue::MarkedArrivals> bursts{};
    numeric::Rational share = 1;
    std::size_t hops = 0;  ///< all queues
  };
  /// The routes of a flow of Meets::one or one_unequal; none for others.
  [[nodiscard]] std::optional<std::vector<SourceRoute>> source_routes(std::size_t flow) const;
  /// Minimum number of inputs from queues, over the queues after the first on the flow's routes; 0 if none.
  [[nodiscard]] std::size_t fewest_links(std::size_t flow) const;

  /// COST  milliseconds per pair of successive queues that differs from all earlier ones
  /// \throws InvalidArgument  as PathDelay::answer()
  /// \throws LimitExceeded    two queues with too many links or too long delays
  /// \throws Contradiction    the answer breaks an invariant
  [[nodiscard]] ClaimedDelayAnswer claims(std::span<const Route> routes, const DelayQuery& query) override;
  /// As PathDelay::distribution(), numerical: intervals are not proved.
  [[nodiscard]] DelayDistribution distribution(std::span<const Route> routes,
                                               const numeric::Rational& negligible);
  /// P(D > t) of one route, down to probabilities of `target`.  \throws as claims(), except Contradiction
  [[nodiscard]] RouteLaw law(const Route& route, double target);

 private:
  std::shared_ptr<WiredKnowledge> knowledge_;
};

}  // namespace tailbound::bounds
