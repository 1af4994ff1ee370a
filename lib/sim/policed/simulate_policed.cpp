#include <tailbound/core/error.hpp>
#include <tailbound/sim/batches/batch_sums.hpp>
#include <tailbound/sim/policed/simulate_policed.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::sim {
namespace {

/// The last value seen; rows end with it.
std::int64_t max_seen(const RunResult& result, std::size_t row) {
  std::int64_t largest = 0;
  for (const Counts* counts : result.all()) {
    const Histogram& histogram = (*counts)[row];
    auto value = static_cast<std::int64_t>(histogram.size()) - 1;
    while (value > largest && histogram[static_cast<std::size_t>(value)] == 0) --value;
    largest = std::max(largest, value);
  }
  return largest;
}

}  // namespace

RunResult run_policed(const PolicedModel& model, const RunPlan& plan, const RunControls& controls,
                      std::string_view resume) {
  return run(
      plan, describe(model), [&](RandomKey key) { return make_policed_replication(model, key); }, controls,
      resume);
}

PolicedEstimates policed_estimates(const PolicedModel& model, const RunResult& result,
                                   const PolicedQueries& queries) {
  const BatchSums batches(result, queries.confidence);
  if (batches.size() < 2)
    throw InvalidArgument("number of completed batches", std::to_string(batches.size()), "at least 2");
  const PolicedRows rows(model.network);
  const auto histogram = [&](std::size_t row) {
    return HistogramBatches(
        result.all(), [row](const Counts& counts) { return counts[row]; }, queries.confidence);
  };
  const auto count = [&](const BatchSums::Sum& sum) {
    return static_cast<std::uint64_t>(std::llround(batches.total(sum)));
  };
  PolicedEstimates estimates;
  estimates.batches = batches.size();
  estimates.slots = count(BatchSums::at(PolicedRows::slots, 0));
  for (std::size_t port = 0; port < rows.ports; ++port) {
    const HistogramBatches lengths = histogram(rows.backlog(port));
    PolicedPortEstimates its{.largest = max_seen(result, rows.backlog(port)),
                             .mean = lengths.mean<unit::Packet>(),
                             .tail = lengths.tails(queries.backlog_levels),
                             .of_classes = {}};
    if (model.network.ports[port].scheduler == network::Scheduler::priority)
      for (std::size_t number = 0; number < rows.classes; ++number)
        its.of_classes.push_back(max_seen(result, rows.of_class(port, number)));
    estimates.ports.push_back(std::move(its));
  }
  for (std::size_t flow = 0; flow < rows.flows; ++flow) {
    PolicedFlowEstimates its;
    its.sent = count(BatchSums::at(PolicedRows::sent, flow));
    its.left = count([&](const Counts& counts) { return total_count(counts[rows.delay(flow)]); });
    if (its.left > 0) {
      const HistogramBatches delays = histogram(rows.delay(flow));
      its.largest = max_seen(result, rows.delay(flow));
      its.mean = delays.mean<unit::Slot>();
      its.tail = delays.tails(queries.delay_levels);
    }
    estimates.flows.push_back(std::move(its));
  }
  return estimates;
}

}  // namespace tailbound::sim
