#pragma once

#include <tailbound/answers/latency_ns.hpp>
#include <tailbound/answers/network/topology.hpp>
#include <tailbound/answers/simulation/simulation.hpp>
#include <tailbound/core/quantity.hpp>
#include <tailbound/network/queue_traffic.hpp>
#include <tailbound/numeric/truth.hpp>
#include <tailbound/sim/batches/histogram_batches.hpp>
#include <tailbound/sim/fabric/simulate_fabric.hpp>
#include <tailbound/sim/network/simulate_network.hpp>
#include <tailbound/sim/tree/simulate_tree.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// Delays, occupancies and losses in a tree or in any network, by simulation slot by slot.
///
/// MODEL     sim/tree/tree_replication.hpp, sim/network/network_replication.hpp. D is the queueing delay of
///           the packets delivered while measured, the sum of their waits; T is D and a slot for each queue on
///           the way; Q counts a queue's packets just after the arrivals of a slot; R the packets that wait
///           for an older one of their leaf.
/// RESULT    estimates with confidence intervals from batches (sim/batches/batch_means.hpp).
/// TESTS     tests/answers/simulation/simulate_tree_test.cpp
namespace tailbound::answers {

/// A network whose traffic is not listed, prepared for simulation.
struct SimulatedFabric {
  std::shared_ptr<const sim::FabricTables> tables;
  Workload workload;
  std::optional<network::Overloaded> overloaded{};  ///< the links that are, if any
};

/// \throws NoAnswer, LimitExceeded, InvalidArgument  as sim::fabric_tables() and network::fabric_rates()
[[nodiscard]] std::shared_ptr<const SimulatedFabric> simulated_fabric(const network::Fabric& fabric);

struct SimulateTreeQuestion {
  Topology topology;
  /// In place of the network's flows, of which there are none then: queues are those of a kind together.
  std::shared_ptr<const SimulatedFabric> fabric{};
  /// Room of each queue, that of the packet in service included, at least 1: what does not fit is lost.
  /// Unlimited unless told; then no queue may be offered as much as it serves.
  std::optional<Packets> buffer{};
  std::vector<Packets> occupancy_levels{};       ///< n of P(Q > n), of each queue
  std::vector<Slots> delay_levels{};             ///< t of P(D > t)
  std::vector<numeric::Rational> percentiles{};  ///< of D and T, as fractions, above 0 and below 1
  /// b of P(R > b); none: not asked for. An empty list stands for 0, 1, 2, 5, 10, ... as far as anything is
  /// seen. Of trees without a buffer only; observed are up to 64 leaves' packets.
  std::optional<std::vector<Packets>> reorder_levels{};
  /// Of a slot, and of what each queue passed adds: latencies are then known as times too.
  std::optional<SlotTime> time{};
  double confidence = 0.95;  ///< of each interval, above 0 and below 1
  /// Unless told, so long that it takes seconds on a core.
  RunLength length{};
};

/// A queue of a network, or all queues alike that packets meet at a hop of a tree.
struct SimulatedQueue {
  std::string link{};                    ///< "left -> right", of a fabric a kind of links; empty in a tree
  int hop = 0;                           ///< of a tree: 1 .. 2n - 1
  int level = 0;                         ///< of a tree: that of the switches, 1 .. n
  bool up = false;                       ///< of a tree: do the links lead up?
  numeric::Estimate<unit::Load> load{};  ///< packets served a slot
  numeric::Estimate<unit::Packet> mean_occupancy{};
  numeric::Estimate<unit::Ratio> loss{};   ///< of the packets that come
  std::uint64_t dropped = 0;               ///< packets
  std::vector<sim::LevelEstimate> tail{};  ///< in the order of the question's occupancy levels
};

struct SimulatedFlow {
  std::string name{};
  std::uint64_t packets = 0;                                   ///< delivered while measured
  std::optional<numeric::Estimate<unit::Slot>> mean_queueing;  ///< of D; none where no packet was delivered
};

/// Where the packets are too few to show anything as rare, the intervals have no upper end: it is infinite.
struct SimulatedPercentile {
  numeric::Rational fraction;
  numeric::Estimate<unit::Slot> queueing{}, latency{};          ///< of D, of T
  std::optional<numeric::Estimate<unit::Time>> latency_time{};  ///< of T, with what hops add [ns]
};

struct SimulateTreeAnswer {
  Simulated simulated;
  std::uint64_t packets = 0;                                         ///< delivered while measured
  numeric::Estimate<unit::Slot> mean_queueing{}, mean_latency{};     ///< of D, of T
  std::optional<numeric::Estimate<unit::Time>> mean_latency_time{};  ///< of T, with what hops add [ns]
  std::vector<SimulatedPercentile> percentiles;                      ///< in the order of the question's
  std::vector<sim::LevelEstimate> delay_ccdf;  ///< in the order of the question's levels
  std::vector<SimulatedQueue> queues;  ///< hop by hop; of a network those that a flow passes, link by link
  std::vector<SimulatedFlow> flows;    ///< of a network, in its order
  std::vector<sim::LevelEstimate> reorder_tail;  ///< where the question has reorder levels

  [[nodiscard]] bool stopped() const { return simulated.stopped(); }
};

/// Where analysis and simulation are compared unless told otherwise: 0.5, 0.2, 0.1, ... 1e-6, as deep as a
/// simulation of seconds can follow.
[[nodiscard]] std::vector<numeric::Rational> simulable_tails();

/// The model of a tree: without buffer or observed flows.
/// \throws InvalidArgument  a tree out of range, a load outside ]0, 1], or a burst that is impossible or never forgets its phase
[[nodiscard]] sim::TreeModel tree_model(const TreeTopology& topology);

/// How long the question's simulation is.  \throws InvalidArgument, Unstable, NoAnswer  as answer()
[[nodiscard]] sim::RunPlan plan_of(const SimulateTreeQuestion& question);

/// \throws InvalidArgument      a number of the question is out of range, or reorder levels are asked of a
///                              network or beside a buffer
/// \throws Unstable, Overloaded a queue is offered as much as it serves, and there is no buffer
/// \throws NoAnswer             no flow passes a queue; no packet was delivered while measured
/// \throws Stopped              before two batches were done
[[nodiscard]] SimulateTreeAnswer answer(const SimulateTreeQuestion& question, const Run& run = {});

/// P(D > t) with 95 % intervals from t = 0 to the last one seen, some 60 levels at most: for a picture. Of the
/// same run; nothing is simulated again.
[[nodiscard]] std::vector<sim::LevelEstimate> whole_delay_ccdf(const SimulateTreeQuestion& question,
                                                               const SimulateTreeAnswer& answer);

/// Likewise P(Q > n) of the first hop.  \pre the question is of a tree
[[nodiscard]] std::vector<sim::LevelEstimate> whole_occupancy_tail(const SimulateTreeQuestion& question,
                                                                   const SimulateTreeAnswer& answer);

}  // namespace tailbound::answers
