#pragma once

#include <tailbound/answers/delay/delay_model.hpp>
#include <tailbound/answers/delay/delay_paths.hpp>
#include <tailbound/answers/delay/reorder.hpp>
#include <tailbound/answers/network/topology.hpp>
#include <tailbound/answers/points/run.hpp>
#include <tailbound/answers/simulation/cross_check.hpp>
#include <tailbound/answers/units.hpp>
#include <tailbound/bounds/sizing/buffer_size.hpp>

#include <optional>
#include <string>
#include <vector>

/// How long do packets take through a tree or any network, and what must its buffers hold?
///
/// MODEL     bounds/network/network_delay.hpp, delay_model.hpp; buffers by bounds/sizing/buffer_size.hpp, reorder buffers
///           by bounds/path/reorder_buffer.hpp
/// EXCLUDES  what DelayOmissions says of the answer
namespace tailbound::answers {

struct DelayQuestion {
  Topology topology;
  std::optional<std::string> flow{};  ///< of a network, by name; all its flows unless told
  network::Sources sources = network::Sources::decoupled;
  queue::HopDelay hop_delay = queue::HopDelay::wait;
  std::optional<Hops> hops{};                    ///< as DelayModelQuestion
  std::vector<numeric::Rational> percentiles{};  ///< p of the delay's percentiles, above 0, below 1
  std::vector<Slots> levels{};                   ///< t of P(D > t), 0 .. 16 777 215
  std::optional<bounds::DropTarget> drop{};      ///< of the buffer of each queue on a longest route
  std::optional<ReorderTargets> reorder{};       ///< of the buffer of each flow
  std::optional<numeric::Rational>
      flow_rate{};  ///< of a flow put in order [packets/slot]; unless told its own,
                    ///< in a tree that of a leaf: all it sends goes to one other
  numeric::Digits digits{};
  Units units{};
  std::optional<numeric::Rational> hop_ns{};  ///< that each queue passed adds to latencies, with units [ns]
  /// Are the delays set beside a simulation? Of waits only: HopDelay::occupancy is not checked.
  std::optional<CheckEffort> check{};

  [[nodiscard]] DelayModelQuestion model() const { return {sources, hop_delay, hops, digits}; }
  [[nodiscard]] bool of_one_flow() const {
    return flow.has_value() || std::holds_alternative<TreeTopology>(topology);
  }
};

/// 50, 90, 99, 99.99 and 99.9999 %, as fractions: asked for unless told otherwise.
[[nodiscard]] std::vector<numeric::Rational> usual_percentiles();

struct FlowDelay {
  bounds::ClaimedDelayAnswer delay;
  std::optional<ReorderAnswer> reorder;
  std::vector<numeric::Rational> latency_ns;  ///< of delay.latency; empty without units (latency_ns.hpp)
  Hops hops = Hops::independent;              ///< as which it was answered
  std::string hops_reason{};                  ///< why no sounder model answers; empty where one does
  bool one_queue = false;  ///< it waits in no other, and only sources feed that: however hops are taken
};

struct DelayAnswer {
  static constexpr bool stored = true;  ///< as bytes, for parts and ranks (points/stored.hpp)
  DelayPaths paths;
  std::vector<FlowDelay> flows;  ///< in the order of paths.flows; fewer if stopped
  /// For each of paths.queues, where `drop` was asked and it lies on the longest route of one of the flows.
  std::vector<std::optional<bounds::ClaimedBufferSize>> buffers;
  bool stopped = false;               ///< on request, after the last of `flows`
  std::optional<CrossCheck> check{};  ///< where asked for; its flows are those of `flows`

  /// Room of all queues on the flow's longest route.  \pre `drop` was asked
  [[nodiscard]] Packets total_buffer(std::size_t flow) const;
  /// Is every delay exact, an enclosure or a bound? Otherwise hops are a chain, or a queue is only approximated.
  [[nodiscard]] bool proved() const;
};

/// One flow after the other, each a piece (points.hpp); a stop leaves the flows before. In a tree the reorder buffer is that of packets that turn at the top, as those of
/// one flow may.
/// \throws Stopped  on request, before the first flow was known
/// \throws as delay_paths(), bounds::PathDelay, bounds::buffer_size() and reorder_answer()
[[nodiscard]] DelayAnswer answer(const DelayQuestion& question, const Run& run = {});

/// For pictures: the flows of the answer whose delays are alike, the first of them in front; of all such
/// groups that with the longest curve first.
[[nodiscard]] std::vector<std::vector<std::size_t>> flows_alike(const DelayAnswer& answer);

/// For pictures: P(D > t) of one flow to 3 digits, from t = 0 to its greatest percentile or level; at most 401
/// points, evenly spread.
[[nodiscard]] std::vector<bounds::ClaimedSlotProbability> delay_curve(const DelayQuestion& question,
                                                                      const DelayAnswer& answer,
                                                                      std::size_t flow);

}  // namespace tailbound::answers
