#pragma once

#include <tailbound/core/quantity.hpp>
#include <tailbound/sim/batches/batched_run.hpp>
#include <tailbound/sim/batches/histogram_batches.hpp>
#include <tailbound/sim/switch/switch_replication.hpp>

#include <optional>
#include <string_view>

/// Estimates with confidence intervals from a simulated switch (sim/switch/switch_replication.hpp).
///
/// MODEL     the batches of all replications are pooled (sim/batches/batch_means.hpp), and so are equivalent
///           outputs.
/// EXCLUDES  events so rare that few batches see any: `count` gives the number seen.
/// TESTS     tests/sim/switch_test.cpp
namespace tailbound::sim {

/// One of the equivalent outputs, or the hot one.
struct SwitchOutput {
  numeric::Estimate<unit::Packet> mean;  ///< E[Q] [cells]
  std::vector<LevelEstimate> tail;       ///< P(Q > level); counts over all equivalent outputs
  std::uint64_t cells = 0, lost = 0;     ///< that arrived, and those lost
  numeric::Estimate<unit::Ratio> loss;   ///< lost fraction of the arriving cells
};

/// Packets of one size.
struct SwitchPackets {
  std::int64_t cells = 1;
  std::uint64_t packets = 0, hurt = 0;
  numeric::Estimate<unit::Ratio> loss;  ///< fraction of the arriving packets that lost a cell
};

struct SwitchEstimates {
  numeric::Estimate<unit::Packet> mean_total;  ///< E[T] [cells]
  std::vector<LevelEstimate> total_tail;       ///< P(T > level)
  /// an output other than the hot one; none if the only output is the hot one
  std::optional<SwitchOutput> output;
  std::optional<SwitchOutput> hot;
  numeric::Estimate<unit::Ratio> cell_loss, packet_loss;
  std::vector<SwitchPackets> sizes;  ///< in the order of the model's sizes; one cell if it has none
  std::uint64_t cells = 0, lost = 0;
  std::uint64_t packets = 0, hurt = 0;
  std::size_t batches = 0;
};

struct SwitchQueries {
  std::vector<std::int64_t> total_levels{}, queue_levels{};  ///< for the tails of T and of Q, >= 0 [cells]
  double confidence = 0.95;
};

/// The utilization of a switch, for the automatic plan.
struct SwitchWork {
  double utilization = 0;     ///< of the busiest output
  double steps_per_slot = 0;  ///< cells, and the cost of idle inputs and outputs
  SourceMemory memory{};
};
[[nodiscard]] SwitchWork switch_work(const SwitchModel& model);

[[nodiscard]] RunResult run_switch(const SwitchModel& model, const RunPlan& plan,
                                   const RunControls& controls = {}, std::string_view resume = {});

/// \throws InvalidArgument  fewer than two batches were completed; a level or a confidence out of range
[[nodiscard]] SwitchEstimates switch_estimates(const SwitchModel& model, const RunResult& result,
                                               const SwitchQueries& queries = {});

}  // namespace tailbound::sim
