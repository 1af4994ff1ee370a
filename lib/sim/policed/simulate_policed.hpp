#pragma once

#include <tailbound/core/quantity.hpp>
#include <tailbound/sim/batches/batched_run.hpp>
#include <tailbound/sim/batches/histogram_batches.hpp>
#include <tailbound/sim/policed/policed_replication.hpp>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

/// Results of a simulated network of policed flows (sim/policed/policed_replication.hpp): the maximum values
/// seen, which lie below every guarantee, and tails as estimates with confidence intervals.
///
/// MODEL     the batches of all replications are pooled (sim/batches/batch_means.hpp)
/// EXCLUDES  events during the warm-up. Greedy flows never fill their buckets again, so their worst case is
///           at the very start and a warm-up hides it.
/// TESTS     tests/sim/policed_replication_test.cpp
namespace tailbound::sim {

struct PolicedPortEstimates {
  std::int64_t largest = 0;              ///< Q [packets], seen
  numeric::Estimate<unit::Packet> mean;  ///< E[Q]
  std::vector<LevelEstimate> tail;       ///< P(Q > level)
  std::vector<std::int64_t> of_classes;  ///< maximum Q of each class; empty without strict priority
};

struct PolicedFlowEstimates {
  std::uint64_t sent = 0, left = 0;  ///< packets; the difference is still inside, or arrived before
  std::int64_t largest = 0;          ///< end-to-end delay [slots, wait + 1 at each port], seen; 0: none left
  std::optional<numeric::Estimate<unit::Slot>> mean;  ///< of the packets that left, if any did
  std::vector<LevelEstimate> tail;                    ///< P(delay > level), for the same packets
};

struct PolicedEstimates {
  std::vector<PolicedPortEstimates> ports;
  std::vector<PolicedFlowEstimates> flows;
  std::uint64_t slots = 0;
  std::size_t batches = 0;
};

struct PolicedQueries {
  std::vector<std::int64_t> backlog_levels{}, delay_levels{};  ///< >= 0 [packets], [slots]
  double confidence = 0.95;
};

[[nodiscard]] RunResult run_policed(const PolicedModel& model, const RunPlan& plan,
                                    const RunControls& controls = {}, std::string_view resume = {});

/// \throws InvalidArgument  fewer than two batches were completed; a level or a confidence out of range
[[nodiscard]] PolicedEstimates policed_estimates(const PolicedModel& model, const RunResult& result,
                                                 const PolicedQueries& queries = {});

}  // namespace tailbound::sim
