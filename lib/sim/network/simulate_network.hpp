#pragma once

#include <tailbound/sim/batches/batched_run.hpp>
#include <tailbound/sim/batches/histogram_batches.hpp>
#include <tailbound/sim/batches/seen_times.hpp>
#include <tailbound/sim/network/network_replication.hpp>

#include <functional>
#include <string>

/// Estimates with confidence intervals from a simulated network (sim/network/network_replication.hpp).
///
/// MODEL     the batches of all replications are pooled (sim/batches/batch_means.hpp). Delays are those of
///           all packets together; flows have their means.
///           Used links of different speeds have clocks of their own (sim/network/clocked_replication.hpp):
///           occupancies are then over time, not just after arrivals.
/// EXCLUDES  events so rare that few batches see any: `count` gives the number seen.
/// TESTS     tests/sim/simulate_network_test.cpp
namespace tailbound::sim {

struct LinkEstimates {
  std::size_t link = 0;                ///< position in Network::links
  numeric::Estimate<unit::Load> load;  ///< packets served per slot
  numeric::Estimate<unit::Packet> mean_occupancy;
  std::vector<LevelEstimate> tail;      ///< P(Q > level), just after the arrivals of a slot
  std::uint64_t dropped = 0;            ///< packets
  numeric::Estimate<unit::Ratio> loss;  ///< of the packets that arrive at this queue
};

struct FlowEstimates {
  std::size_t flow = 0;                                        ///< position in Network::flows
  std::uint64_t packets = 0;                                   ///< delivered while measured
  std::optional<numeric::Estimate<unit::Slot>> mean_queueing;  ///< none if no packet was delivered
};

struct NetworkQueries {
  std::vector<std::int64_t> occupancy_levels{};  ///< for LinkEstimates::tail, >= 0
  std::vector<std::int64_t> delay_levels{};      ///< for delay_ccdf, >= 0
  std::vector<double> percentiles{};             ///< as fractions, above 0 and below 1
  double confidence = 0.95;
};

struct NetworkPercentile {
  double fraction = 0;
  numeric::Estimate<unit::Slot> queueing, latency;
};

struct NetworkEstimates {
  std::vector<LinkEstimates> links;  ///< those with a queue on a flow's path, in the order of Network::links
  std::vector<FlowEstimates> flows;  ///< in the order of Network::flows
  std::vector<LevelEstimate> delay_ccdf;  ///< queueing delay D
  std::vector<NetworkPercentile> percentiles;
  numeric::Estimate<unit::Slot> mean_queueing, mean_latency;
  std::uint64_t packets = 0;  ///< delivered while measured
  std::size_t batches = 0;
};

/// The utilization of a network, for the automatic plan.
struct NetworkWork {
  double utilization = 0;     ///< maximum over all queues, relative to the link rate
  int hops = 0;               ///< queues on the longest route
  double steps_per_slot = 0;  ///< average packet-hops
  std::size_t queues = 0;
  SourceMemory memory{};  ///< maximum over all queues; the variance relative to the link rate
};

[[nodiscard]] NetworkWork network_work(const network::Network& network);

/// The inputs as text, for checkpoints: name, size and a checksum of the whole network.
[[nodiscard]] std::string describe(const NetworkModel& model);
[[nodiscard]] std::string describe(const FlowControl& control);

[[nodiscard]] RunResult run_network(const NetworkModel& model, const RunPlan& plan,
                                    const RunControls& controls = {}, std::string_view resume = {});

/// Delays of all packets from their rows: row `first` for packets that passed no queue, the next for one
/// queue, and so on up to the last row of a batch.  \throws as network_estimates()
void estimate_delays(NetworkEstimates& result, const std::vector<const Counts*>& batches, std::size_t first,
                     const NetworkQueries& queries);

/// The same of waits in fractions of slots, as SeenTimes.
void estimate_delays(NetworkEstimates& result, const std::vector<const Counts*>& batches,
                     const std::vector<SeenRow>& rows, const std::function<double(std::size_t)>& wait_of,
                     const std::function<double(std::size_t)>& average_of, const NetworkQueries& queries);

/// \pre  the model has no flow control (simulate_controlled.hpp)
/// \throws InvalidArgument  fewer than two batches were completed, no packet was delivered, a level or
///                          percentile out of range
[[nodiscard]] NetworkEstimates network_estimates(const NetworkModel& model, const RunResult& result,
                                                 const NetworkQueries& queries);

}  // namespace tailbound::sim
