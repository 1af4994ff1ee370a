#pragma once

#include <tailbound/bounds/network/collapsed_network.hpp>
#include <tailbound/bounds/path/computed_delay.hpp>

#include <memory>
#include <span>
#include <vector>

/// Delays in arbitrary networks: each queue is fed by the output processes of the queues before it.
///
/// MODEL     "F": queues that never wait are left out (collapsed_network.hpp, exact). What another queue sends is an
///           alternating renewal process (queue/hops/output_process.hpp), so that no input brings more than one packet per slot.
///           Successive waits are those of a packet in a chain of two queues (queue/hops/wired_pair.hpp); over three and more
///           queues the tail is corrected by a chain that carries what the next queue has left over. Sources that reach a
///           queue by several inputs send one of these ways in a slot.
/// RESULT    approximations: exact arithmetic apart, off by what docs/derivations/any_network.md measured. Laws are sums and
///           products of positive numbers: probabilities are at most 1 and tails fall by construction.
/// EXCLUDES  bursts and links of several packets per slot in queues that wait (a flow that meets such a queue, or one that
///           such a queue feeds, has no routes here)
/// TESTS     tests/bounds/network/wired_delay_test.cpp
namespace tailbound::bounds {

class WiredKnowledge;

/// Not for use by several threads at a time.
class WiredDelay final : public DelayLaw {
 public:
  /// \pre network::require_valid()
  explicit WiredDelay(const network::Network& network);

  /// For claims(): Route::queues has one number, of a route of this model. Empty where the model does not apply, or a packet
  /// meets no queue.
  [[nodiscard]] const std::vector<Route>& routes(std::size_t flow) const;
  /// What a flow meets of queues that can wait, on each of its routes.
  enum class Meets {
    one,  ///< one at most, fed by sources alone, all at the same rate: its delay is that of an arbitrary packet there
    one_unequal,  ///< one at most, fed by sources alone
    several,      ///< several, or one that queues feed
  };
  [[nodiscard]] Meets meets(std::size_t flow) const;
  /// Fewest inputs that are links, of the queues after the first on the flow's routes; 0 if there are none.
  [[nodiscard]] std::size_t fewest_links(std::size_t flow) const;

  /// COST  milliseconds for each two successive queues that differ from all others met so far
  /// \throws InvalidArgument  as PathDelay::answer()
  /// \throws LimitExceeded    two queues with too many links or too long delays
  /// \throws Contradiction    the answer breaks an invariant
  [[nodiscard]] ClaimedDelayAnswer claims(std::span<const Route> routes,
                                          const DelayQuestion& question) override;
  /// As PathDelay::distribution(), computed: intervals are not proved.
  [[nodiscard]] DelayDistribution distribution(std::span<const Route> routes,
                                               const numeric::Rational& negligible);
  /// P(D > t) of one route, as far as probabilities from `target` on.  \throws as claims(), but Contradiction
  [[nodiscard]] RouteLaw law(const Route& route, double target);

 private:
  std::shared_ptr<WiredKnowledge> knowledge_;
};

}  // namespace tailbound::bounds
