#include <tailbound/sim/fabric/fabric_tables.hpp>
#include <tailbound/sim/fabric/simulate_fabric.hpp>

#include <algorithm>

namespace tailbound::sim {
namespace {

using Batches = std::vector<const Counts*>;

LinkEstimates kind_estimates(const FabricModel& model, const Batches& batches, std::size_t kind,
                             const NetworkQueries& queries) {
  const FabricRows& rows = model.tables->rows;
  LinkEstimates result;
  result.link = kind;
  const HistogramBatches occupancy(
      batches, [&](const Counts& batch) { return batch[rows.occupancy(kind)]; }, queries.confidence);
  result.mean_occupancy = occupancy.mean<unit::Packet>();
  result.tail = occupancy.tails(queries.occupancy_levels);
  std::vector<double> served, slots, dropped, came;
  for (const Counts* batch : batches) {
    const auto& counts = (*batch)[rows.drops(kind)];
    served.push_back(total_count((*batch)[rows.waits(kind)]));
    slots.push_back(static_cast<double>(counts[2]) *
                    static_cast<double>(model.tables->kinds.kinds[kind].queues));
    result.dropped += counts[0];
    dropped.push_back(static_cast<double>(counts[0]));
    came.push_back(static_cast<double>(counts[1]));
  }
  result.load = estimate<unit::Load>(served, slots, queries.confidence);
  const bool any = std::any_of(came.begin(), came.end(), [](double packets) { return packets > 0; });
  result.loss = any ? estimate<unit::Ratio>(dropped, came, queries.confidence)
                    : numeric::Estimate<unit::Ratio>{0, 0, 1, queries.confidence};
  return result;
}

}  // namespace

const QueueKinds& queue_kinds(const FabricModel& model) {
  return model.tables->kinds;
}

int max_queues(const FabricModel& model) {
  return model.tables->max_queues;
}

const FabricTimes& fabric_times(const FabricModel& model) {
  return model.tables->times;
}

RunResult run_fabric(const FabricModel& model, const RunPlan& plan, const RunControls& controls,
                     std::string_view resume) {
  std::string description = model.tables->identity;
  if (model.tables->times.mixed_speeds) description += ", each link by its own clock";
  if (model.buffer) description += ", buffer " + std::to_string(*model.buffer);
  return run(
      plan, description, [&](RandomKey key) { return make_fabric_replication(model, key); }, controls,
      resume);
}

NetworkEstimates fabric_estimates(const FabricModel& model, const RunResult& run_result,
                                  const NetworkQueries& queries) {
  const Batches batches = run_result.all();
  if (batches.size() < 2)
    throw InvalidArgument("number of completed batches", std::to_string(batches.size()), "at least 2");
  const FabricRows& rows = model.tables->rows;
  NetworkEstimates result;
  result.batches = batches.size();
  for (std::size_t kind = 0; kind < rows.kinds; ++kind)
    result.links.push_back(kind_estimates(model, batches, kind, queries));
  const FabricTimes& times = model.tables->times;
  if (!times.mixed_speeds) {
    estimate_delays(result, batches, rows.delays(0), queries);
    return result;
  }
  const auto slot = static_cast<double>(times.clocks.slowest);
  std::vector<SeenRow> seen = times.delays;
  for (SeenRow& row : seen) row.transfer /= slot;
  estimate_delays(
      result, batches, seen, [&](std::size_t at) { return times.wait(at) / slot; },
      [&](std::size_t at) { return times.average_wait(at) / slot; }, queries);
  return result;
}

}  // namespace tailbound::sim
