#pragma once

#include <tailbound/sim/fabric/fabric_replication.hpp>
#include <tailbound/sim/network/simulate_network.hpp>

#include <string_view>

/// What a simulated fabric (sim/fabric/fabric_replication.hpp) shows, as estimates with confidence intervals.
///
/// TESTS  tests/sim/simulate_fabric_test.cpp
namespace tailbound::sim {

/// The kinds of its queues, and the queues on its longest way.
[[nodiscard]] const QueueKinds& queue_kinds(const FabricModel& model);
[[nodiscard]] int most_queues(const FabricModel& model);

[[nodiscard]] RunResult run_fabric(const FabricModel& model, const RunPlan& plan,
                                   const RunControls& controls = {}, std::string_view resume = {});

/// A link stands for a kind of queues, by its position in queue_kinds(): load, occupancy and loss of one of them.
/// There are no flows.  \throws as network_estimates()
[[nodiscard]] NetworkEstimates fabric_estimates(const FabricModel& model, const RunResult& result,
                                                const NetworkQuestions& questions);

}  // namespace tailbound::sim
