#pragma once

#include <tailbound/sim/fabric/fabric_replication.hpp>
#include <tailbound/sim/network/simulate_network.hpp>

#include <string_view>

/// Estimates with confidence intervals from a simulated fabric (sim/fabric/fabric_replication.hpp).
///
/// TESTS  tests/sim/simulate_fabric_test.cpp
namespace tailbound::sim {

/// The kinds of its queues, and the number of queues on its longest route.
[[nodiscard]] const QueueKinds& queue_kinds(const FabricModel& model);
[[nodiscard]] int max_queues(const FabricModel& model);
[[nodiscard]] const FabricTimes& fabric_times(const FabricModel& model);

[[nodiscard]] RunResult run_fabric(const FabricModel& model, const RunPlan& plan,
                                   const RunControls& controls = {}, std::string_view resume = {});

/// A link represents a kind of queue, by its position in queue_kinds(): load, occupancy and loss of one such
/// queue. There are no flows. Slots are packet times of the slowest used link.
/// \throws as network_estimates()
[[nodiscard]] NetworkEstimates fabric_estimates(const FabricModel& model, const RunResult& result,
                                                const NetworkQueries& queries);

}  // namespace tailbound::sim
