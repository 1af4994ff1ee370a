#pragma once

#include <tailbound/sim/network/controlled_replication.hpp>
#include <tailbound/sim/network/simulate_network.hpp>

#include <optional>

/// Estimates from a simulated network with flow control (sim/network/controlled_replication.hpp).
///
/// MODEL     as sim/network/simulate_network.hpp. A network that cannot carry its load is recognised by the
///           queues of its hosts: the growth of one, packets created minus packets sent per slot, has a
///           99.9 % interval above 0. Its throughput is that of the saturated network; its delays have no
///           limit.
/// RESULT    Conservation of packets is checked in each batch.
/// TESTS     tests/sim/controlled_network_test.cpp
namespace tailbound::sim {

struct ControlledLinkEstimates {
  std::size_t link = 0;
  bool of_host = false;
  numeric::Estimate<unit::Load> load;        ///< packets sent per slot
  numeric::Estimate<unit::Ratio> blocked;    ///< of all slots: a packet was ready, and could not be sent
  numeric::Estimate<unit::Packet> waiting;   ///< mean for the link at its sender, just after the arrivals
  numeric::Estimate<unit::Packet> buffered;  ///< mean in the buffer of its receiver, after packets left it
  bool has_buffer = false;                   ///< at its receiver
  std::vector<LevelEstimate> tail{};         ///< of `waiting`: P(Q > level); of links of switches
  std::uint64_t dropped = 0;                 ///< packets, at the receiver
  numeric::Estimate<unit::Ratio> loss;       ///< of the packets that arrive there
  std::optional<numeric::Estimate<unit::Load>> growth{};  ///< of a host's queue that grows [packets/slot]
};

struct ControlledFlowEstimates {
  numeric::Estimate<unit::Load> throughput;  ///< packets delivered per slot
  FlowEstimates flow;
};

/// Packets while measured, of all replications.
struct MeasuredBalance {
  std::uint64_t inside_before = 0, sent = 0, delivered = 0, dropped = 0, inside_after = 0;
};

struct Deadlock {
  int replications = 0;              ///< that deadlocked
  std::int64_t after = 0;            ///< the earliest slot after which no link of a cycle has sent
  std::vector<std::size_t> links{};  ///< of that cycle
};

struct ControlledEstimates {
  std::vector<ControlledLinkEstimates> links;  ///< those on routes, in the order of Network::links
  std::vector<ControlledFlowEstimates> flows;  ///< in the order of Network::flows
  numeric::Estimate<unit::Load> throughput;    ///< packets delivered per slot, in all
  double offered = 0;                          ///< packets per slot, in all
  MeasuredBalance balance;
  std::optional<Deadlock> deadlock{};
  bool saturated = false;  ///< some queue of a host grows, or a delay is above ControlledRows::longest
  /// Delays of all packets; none of a network that is saturated or deadlocked. Without links and flows.
  std::optional<NetworkEstimates> delays{};
};

/// \throws InvalidArgument  fewer than two batches were completed, a level or percentile out of range
/// \throws std::logic_error packets of a batch are neither delivered nor dropped nor inside
[[nodiscard]] ControlledEstimates controlled_estimates(const NetworkModel& model, const RunResult& result,
                                                       const NetworkQueries& queries);

}  // namespace tailbound::sim
