#pragma once

#include <tailbound/answers/delay/delay_model.hpp>
#include <tailbound/answers/delay/delay_paths.hpp>
#include <tailbound/answers/delay/reorder.hpp>
#include <tailbound/answers/delay/stated_delay.hpp>
#include <tailbound/answers/network/topology.hpp>
#include <tailbound/answers/points/run.hpp>
#include <tailbound/answers/simulation/delays/cross_check.hpp>
#include <tailbound/answers/units.hpp>
#include <tailbound/bounds/sizing/buffer_size.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

/// Packet delays through a tree or any network, and the buffer sizes of its queues.
///
/// MODEL     bounds/network/network_delay.hpp, delay_model.hpp; simulation: cross_check.hpp,
///           stated_delay.hpp; buffers by bounds/sizing/buffer_size.hpp, reorder buffers by
///           bounds/path/reorder_buffer.hpp
/// RESULT    of each flow the convolved delay where it is proved, or where a simulation of this network
///           agrees with it; otherwise the simulated one.
/// EXCLUDES  effects listed in DelayOmissions
namespace tailbound::answers {

struct DelayQuery {
  Topology topology;
  std::optional<std::string> flow{};             ///< of a network, by name; default: all its flows
  std::optional<Hops> hops{};                    ///< as DelayModelQuery
  std::vector<numeric::Rational> percentiles{};  ///< p of the delay's percentiles, above 0, below 1
  std::vector<Slots> levels{};                   ///< t of P(D > t), 0 .. 16 777 215
  std::optional<bounds::DropTarget> drop{};      ///< target of the buffer of each queue on a longest route
  std::optional<ReorderTargets> reorder{};       ///< target of the reorder buffer of each flow
  std::optional<numeric::Rational> flow_rate{};  ///< of a reordered flow [packets/slot]; default its own,
      ///< in a tree that of a leaf: all of it goes to one destination
  numeric::Digits digits{};
  Units units{};
  std::optional<numeric::Rational> hop_ns{};  ///< latency added by each queue passed, with units [ns]
  DelayBy by = DelayBy::analysis;             ///< always with given hops

  [[nodiscard]] DelayModelQuery model() const { return {hops, digits, by != DelayBy::analysis}; }
  [[nodiscard]] bool of_one_flow() const {
    return flow.has_value() || std::holds_alternative<TreeTopology>(topology);
  }
};

/// 50, 90, 99, 99.99 and 99.9999 %, as fractions: the defaults.
[[nodiscard]] std::vector<numeric::Rational> usual_percentiles();

struct FlowDelay {
  StatedDelay delay;
  DelayKind kind = DelayKind::convolved;
  std::optional<DelayAnchor> anchor{};  ///< of simulated delays
  std::optional<ReorderAnswer> reorder;
  std::vector<numeric::Rational> latency_ns;    ///< of delay.latency; empty without units (latency_ns.hpp)
  std::optional<Stated<unit::Time>> mean_ns{};  ///< of delay.mean_latency; the same
  Hops hops = Hops::independent;                ///< the model used
  std::string hops_reason{};                    ///< why no better model applies; empty if one does
  bool one_queue = false;  ///< waits in one queue only, fed only by sources; regardless of `hops`
};

struct DelayAnswer {
  static constexpr bool stored = true;  ///< as bytes, for parts and ranks (points/stored.hpp)
  DelayPaths paths;
  std::vector<FlowDelay> flows;  ///< in the order of paths.flows; fewer if stopped
  /// For each of paths.queues, if `drop` was given and the queue lies on the longest route of one of the
  /// flows.
  std::vector<std::optional<bounds::ClaimedBufferSize>> buffers;
  bool stopped = false;  ///< on request, after the last of `flows`
  DelaySteps steps{};    ///< of the times in `flows` and `check`
  std::optional<CrossCheck>
      check{};  ///< unless only the analysis was requested; its flows are those of `flows`
  /// The simulation of `check`; null if that was done elsewhere.
  std::shared_ptr<const SimulatedDelays> simulated{};

  /// Sum of the buffers on the flow's longest route.  \pre `drop` was given
  [[nodiscard]] Packets total_buffer(std::size_t flow) const;
  /// Is every delay exact, an enclosure or a bound?
  [[nodiscard]] bool proved() const;
};

/// Flows are processed one by one, each as a piece (points.hpp); after a stop the previous flows remain. In a
/// tree the reorder buffer is for packets that turn at the top, like those of a single flow.
/// \throws Stopped  on request, before the first flow was known
/// \throws as delay_paths(), bounds::PathDelay, bounds::buffer_size() and reorder_answer()
[[nodiscard]] DelayAnswer answer(const DelayQuery& query, const Run& run = {});

/// For plots: groups of flows with identical delays, each represented by its first flow; the group with the
/// longest curve first.
[[nodiscard]] std::vector<std::vector<std::size_t>> identical_flows(const DelayAnswer& answer);

/// For plots: P(D > t) of one flow to 3 digits, from t = 0 to its largest percentile or level; at most 401
/// points, evenly spaced. A simulated flow is simulated again.
[[nodiscard]] std::vector<StatedSlotProbability> delay_curve(const DelayQuery& query,
                                                             const DelayAnswer& answer, std::size_t flow);

}  // namespace tailbound::answers
