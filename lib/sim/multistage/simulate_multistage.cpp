#include <tailbound/sim/batches/batch_sums.hpp>
#include <tailbound/sim/multistage/simulate_multistage.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace tailbound::sim {
namespace {

BatchSums::Sum both(std::size_t row, double unit = 1) {
  return [=](const Counts& counts) {
    return (static_cast<double>(counts[row][0]) + static_cast<double>(counts[row][1])) / unit;
  };
}

}  // namespace

double relaxation_slots(const MultistageModel& model) {
  const auto stages = static_cast<double>(network::stage_count(model.network.network));
  const double h = numeric::nearest_double(model.network.hot);
  const auto sharing =  // at load 1 the traffic to the hot memory arrives over this many outputs
      model.network.links == network::Links::one ? 1.0
                                                 : static_cast<double>(model.network.network.switch_size);
  const double last = 1 - h + h * static_cast<double>(model.network.network.nodes) / sharing;
  const double capacity = static_cast<double>(model.network.buffer) + 1;
  return stages * capacity * (model.network.combining == 1 ? std::max(1.0, last) : 1);
}

RunPlan automatic_plan(const MultistageModel& model, std::int64_t slots, int replications,
                       std::uint64_t seed) {
  const double tau = relaxation_slots(model);
  return make_plan(200 + 4 * tau, 10 * tau, slots, replications, seed);
}

RunResult run_multistage(const MultistageModel& model, const RunPlan& plan, const RunControls& controls,
                         std::string_view resume) {
  return run(
      plan, describe(model), [&](RandomKey key) { return make_multistage_replication(model, key); }, controls,
      resume);
}

MultistageEstimates multistage_estimates(const MultistageModel& model, const RunResult& run_result,
                                         double confidence) {
  const BatchSums batches(run_result, confidence);
  if (batches.size() < 2)
    throw InvalidArgument("number of completed batches", std::to_string(batches.size()), "at least 2");
  const auto at = [](std::size_t row, std::size_t column, double unit = 1) {
    return BatchSums::at(row, column, unit);
  };
  const auto nodes = static_cast<double>(model.network.network.nodes);
  constexpr auto ticks = static_cast<double>(ticks_per_slot);
  MultistageEstimates result;
  result.batches = batches.size();
  for (const double delivered : batches.each(both(MultistageRows::delivered)))
    result.requests += static_cast<std::uint64_t>(delivered);
  result.throughput =
      batches
          .ratio<unit::RequestsPerSlot>(both(MultistageRows::delivered, nodes), at(MultistageRows::slots, 0))
          .value();
  result.delay =
      batches.ratio<unit::Slot>(both(MultistageRows::delays, ticks), both(MultistageRows::delivered));
  result.hot_delay =
      batches.ratio<unit::Slot>(at(MultistageRows::delays, 1, ticks), at(MultistageRows::delivered, 1));
  result.cold_delay =
      batches.ratio<unit::Slot>(at(MultistageRows::delays, 0, ticks), at(MultistageRows::delivered, 0));
  result.stalled =
      batches.ratio<unit::Probability>(at(MultistageRows::generated, 1), at(MultistageRows::generated, 0))
          .value_or(numeric::Estimate<unit::Probability>{0, 0, 1, confidence});
  double queues = nodes;  // of the hot path, at this stage
  const auto stages = static_cast<std::size_t>(network::stage_count(model.network.network));
  for (std::size_t stage = 0; stage < stages; ++stage) {
    result.hot_path.push_back(
        {.occupancy = batches
                          .ratio<unit::Request>(at(MultistageRows::hot_tree, stage, ticks * queues),
                                                at(MultistageRows::slots, 0))
                          .value(),
         .combining = batches.ratio<unit::Probability>(at(MultistageRows::combined, stage),
                                                       at(MultistageRows::hot_arrivals, stage))});
    queues /= static_cast<double>(model.network.network.switch_size);
  }
  return result;
}

}  // namespace tailbound::sim
