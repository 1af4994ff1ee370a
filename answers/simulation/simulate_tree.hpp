#pragma once

#include <tailbound/answers/latency_ns.hpp>
#include <tailbound/answers/network/topology.hpp>
#include <tailbound/answers/simulation/simulation.hpp>
#include <tailbound/core/quantity.hpp>
#include <tailbound/network/queue_traffic.hpp>
#include <tailbound/numeric/truth.hpp>
#include <tailbound/sim/batches/histogram_batches.hpp>
#include <tailbound/sim/fabric/simulate_fabric.hpp>
#include <tailbound/sim/network/simulate_controlled.hpp>
#include <tailbound/sim/network/simulate_network.hpp>
#include <tailbound/sim/tree/simulate_tree.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// Simulation of a tree or any network: delays, occupancies and losses.
///
/// MODEL     sim/tree/tree_replication.hpp, sim/network/network_replication.hpp,
///           sim/fabric/fabric_replication.hpp; sim/network/clocked_replication.hpp where used links differ
///           in speed; sim/network/controlled_replication.hpp with flow control. D is the queueing delay of
///           the packets delivered during measurement, the sum of their waits; T is D plus the packet time of
///           each queue on the path; Q counts a queue's packets just after the arrivals of a slot; R counts
///           the packets that wait for an older one of their leaf.
/// RESULT    estimates with confidence intervals from batches (sim/batches/batch_means.hpp).
/// TESTS     tests/answers/simulation/simulate_tree_test.cpp
namespace tailbound::answers {

/// A network whose traffic is not listed flow by flow, prepared for simulation.
struct SimulatedFabric {
  std::shared_ptr<const sim::FabricTables> tables;
  Workload workload;
  std::optional<network::Overloaded> overloaded{};  ///< the overloaded links, if any
};

/// \throws NoAnswer, LimitExceeded, InvalidArgument  as sim::fabric_tables() and network::fabric_rates()
[[nodiscard]] std::shared_ptr<const SimulatedFabric> simulated_fabric(const network::Fabric& fabric);

struct SimulateTreeQuery {
  Topology topology;
  /// Replaces the network's flows, of which there are none then; queues are grouped by kind.
  std::shared_ptr<const SimulatedFabric> fabric{};
  /// Buffer of each queue, including the packet in service, at least 1; packets that do not fit are lost.
  /// Default: unlimited; the offered load of every queue must then be below its capacity.
  std::optional<Packets> buffer{};
  /// Of a network whose flows are listed: full buffers stop their senders. `buffer` is then omitted.
  std::optional<sim::FlowControl> control{};
  std::vector<Packets> occupancy_levels{};       ///< n of P(Q > n), of each queue
  std::vector<Slots> delay_levels{};             ///< t of P(D > t)
  std::vector<numeric::Rational> percentiles{};  ///< of D and T, as fractions, above 0 and below 1
  /// b of P(R > b); none: not computed. An empty list means 0, 1, 2, 5, 10, ... up to the largest observed
  /// value. Only for trees without a buffer; the packets of up to 64 leaves are observed.
  std::optional<std::vector<Packets>> reorder_levels{};
  /// Slot time, and the latency added by each queue passed: latencies are then also given as times.
  std::optional<SlotTime> time{};
  double confidence = 0.95;  ///< of each interval, above 0 and below 1
  /// The default takes seconds on one core.
  RunLength length{};
};

/// A queue of a network, or all identical queues that packets meet at one hop of a tree.
struct SimulatedQueue {
  std::string link{};                    ///< "left -> right", in a fabric a kind of links; empty in a tree
  int hop = 0;                           ///< of a tree: 1 .. 2n - 1
  int level = 0;                         ///< of a tree: that of the switches, 1 .. n
  bool up = false;                       ///< of a tree: do the links lead up?
  numeric::Estimate<unit::Load> load{};  ///< packets served per slot
  numeric::Estimate<unit::Packet> mean_occupancy{};
  numeric::Estimate<unit::Ratio> loss{};   ///< of the arriving packets
  std::uint64_t dropped = 0;               ///< packets
  std::vector<sim::LevelEstimate> tail{};  ///< in the order of the query's occupancy levels
  /// With flow control: fraction of the slots in which a packet was ready and could not be sent.
  std::optional<numeric::Estimate<unit::Ratio>> blocked{};
  std::optional<numeric::Estimate<unit::Packet>>
      buffered{};  ///< in the buffer of the receiver, if it has one
  /// With flow control: growth of the queue of a host that gets more than it can send [packets/slot].
  std::optional<numeric::Estimate<unit::Load>> growth{};
};

struct SimulatedFlow {
  std::string name{};
  std::uint64_t packets = 0;                                   ///< delivered during measurement
  std::optional<numeric::Estimate<unit::Slot>> mean_queueing;  ///< of D; none if no packet was delivered
  numeric::Rational offered{};                                 ///< packets per slot
  std::optional<numeric::Estimate<unit::Load>> throughput{};   ///< with flow control: delivered per slot
};

/// What a network with flow control carries.
struct CarriedTraffic {
  struct Deadlock {
    int replications = 0;              ///< that deadlocked
    std::int64_t after = 0;            ///< the earliest slot after which no link of a cycle has sent
    std::vector<std::string> links{};  ///< of that cycle
  };

  numeric::Estimate<unit::Load> throughput{};  ///< packets delivered per slot, in all
  numeric::Rational offered = 0;               ///< packets per slot, in all
  sim::MeasuredBalance balance{};              ///< all packets, while measured
  bool saturated = false;                      ///< the offered load is more than the network carries
  std::optional<Deadlock> deadlock{};
  std::vector<std::string> cycle{};  ///< links whose buffers can deadlock

  [[nodiscard]] bool stationary() const { return !saturated && !deadlock && balance.delivered > 0; }
};

/// If there are too few packets for so rare a value, the intervals have an infinite upper end.
struct SimulatedPercentile {
  numeric::Rational fraction;
  numeric::Estimate<unit::Slot> queueing{}, latency{};          ///< of D, of T
  std::optional<numeric::Estimate<unit::Time>> latency_time{};  ///< of T, with hop times [ns]
};

struct SimulateTreeAnswer {
  Simulated simulated;
  std::uint64_t packets = 0;                                         ///< delivered during measurement
  numeric::Estimate<unit::Slot> mean_queueing{}, mean_latency{};     ///< of D, of T
  std::optional<numeric::Estimate<unit::Time>> mean_latency_time{};  ///< of T, with hop times [ns]
  std::vector<SimulatedPercentile> percentiles;                      ///< in the order of the query
  std::vector<sim::LevelEstimate> delay_ccdf;                        ///< in the order of the query's levels
  std::vector<SimulatedQueue> queues;  ///< hop by hop; for a network those that carry flows, link by link
  std::vector<SimulatedFlow> flows;    ///< of a network, in its order
  std::vector<sim::LevelEstimate> reorder_tail;  ///< if the query has reorder levels
  std::optional<CarriedTraffic> carried{};       ///< with flow control

  /// Whether delays have a distribution; otherwise they are 0 and their lists empty.
  [[nodiscard]] bool has_delays() const { return !carried || carried->stationary(); }
  [[nodiscard]] bool stopped() const { return simulated.stopped(); }
};

/// Default probabilities at which analysis and simulation are compared: 0.5, 0.2, 0.1, ... 1e-6, as deep as a
/// simulation of a few seconds resolves.
[[nodiscard]] std::vector<numeric::Rational> simulable_tails();

/// The model of a tree, without buffer or observed flows.
/// \throws InvalidArgument  a tree out of range, a load outside ]0, 1], or a burst that is impossible or
///                          never forgets its phase
[[nodiscard]] sim::TreeModel tree_model(const TreeTopology& topology);

/// Length of the simulation.  \throws InvalidArgument, Unstable, NoAnswer  as answer()
[[nodiscard]] sim::RunPlan plan_of(const SimulateTreeQuery& query);

/// \throws InvalidArgument      a number of the query is out of range, or reorder levels for a network or
///                              with a buffer
/// \throws Unstable, Overloaded the offered load of a queue reaches its capacity, and there is no buffer
/// \throws NoAnswer             no flow passes a queue; no packet was delivered during measurement; flow
///                              control as sim::require_controllable()
/// \throws Stopped              before two batches were finished
[[nodiscard]] SimulateTreeAnswer answer(const SimulateTreeQuery& query, const Run& run = {});

/// P(D > t) with 95 % intervals from t = 0 to the largest observed delay, at about 60 levels or fewer, for a
/// plot. From the same run; nothing is simulated again.
/// \pre  answer.has_delays()
[[nodiscard]] std::vector<sim::LevelEstimate> whole_delay_ccdf(const SimulateTreeQuery& query,
                                                               const SimulateTreeAnswer& answer);

/// The same for P(Q > n) of the first hop.  \pre the query is about a tree
[[nodiscard]] std::vector<sim::LevelEstimate> whole_occupancy_tail(const SimulateTreeQuery& query,
                                                                   const SimulateTreeAnswer& answer);

}  // namespace tailbound::answers
