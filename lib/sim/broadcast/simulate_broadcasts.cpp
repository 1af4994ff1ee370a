#include <tailbound/core/error.hpp>
#include <tailbound/sim/batches/batch_sums.hpp>
#include <tailbound/sim/batches/latency_bins.hpp>
#include <tailbound/sim/broadcast/simulate_broadcasts.hpp>
#include <tailbound/sim/worm/simulate_worms.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::sim {
namespace {

/// Messages delivered for each one generated: 1 + b (N - 2).
double deliveries(const BroadcastModel& model) {
  return 1 + numeric::nearest_double(model.broadcast) * (model.nodes() - 2);
}

/// Maximum flit-hops of a probe for saturation, and minimum messages generated per node.
constexpr double max_probe_hops = 6e8, min_probe_messages = 50;

double messages_of_probe(const BroadcastModel& model, const SaturationSearch& search) {
  const double messages = messages_each(search, model.nodes());
  if (search.messages > 0) return messages;
  BroadcastModel one = model;
  one.rate = 1;  // in a cycle, one message of each node
  const double hops = 1.5 * search.replications * flit_hops_per_cycle(one);
  return std::clamp(max_probe_hops / hops, min_probe_messages, messages);
}

HistogramBatches histogram(const RunResult& result, std::size_t row, double confidence) {
  return {result.all(), [row](const Counts& counts) { return counts[row]; }, confidence};
}

void find_percentiles(const BroadcastModel& model, const RunResult& run_result,
                      const std::vector<double>& fractions, double confidence, BroadcastEstimates& result) {
  if (fractions.empty()) return;
  const BroadcastBins bins = latency_bins_of(model);
  const HistogramBatches unicasts = histogram(run_result, BroadcastRows::unicast_latency, confidence),
                         broadcasts = histogram(run_result, BroadcastRows::broadcast_latency, confidence);
  for (const double fraction : fractions)
    result.percentiles.push_back({.fraction = fraction,
                                  .unicast = latency_percentile(unicasts, fraction, bins.unicast),
                                  .broadcast = latency_percentile(broadcasts, fraction, bins.broadcast)});
}

}  // namespace

double relaxation_cycles(const BroadcastModel& model, double fraction_of_saturation) {
  const double flits = static_cast<double>(model.flits);
  return flits * relaxation_slots(std::min(fraction_of_saturation, 0.95)) +
         model.dimensions * (flits + static_cast<double>(model.startup));
}

RunPlan automatic_plan(const BroadcastModel& model, double fraction_of_saturation, std::int64_t cycles,
                       int replications, std::uint64_t seed) {
  const double tau = relaxation_cycles(model, fraction_of_saturation);
  return make_plan(5 * tau, 10 * tau, cycles, replications, seed);
}

double flit_hops_per_cycle(const BroadcastModel& model) {
  const double nodes = model.nodes(), broadcast = numeric::nearest_double(model.broadcast);
  const double links = model.dimensions / 2.0 * nodes / (nodes - 1);
  const double ejection = model.ends.ejection == network::Ejection::one ? 1 : 0;
  return numeric::nearest_double(model.rate) * nodes * static_cast<double>(model.flits) *
         ((1 - broadcast) * (1 + links + ejection) + broadcast * (2 + ejection) * (nodes - 1));
}

std::int64_t affordable_cycles(const BroadcastModel& model, double fraction_of_saturation, double flit_hops,
                               int replications) {
  return affordable_slots(flit_hops, flit_hops_per_cycle(model),
                          relaxation_cycles(model, fraction_of_saturation), replications);
}

RunResult run_broadcasts(const BroadcastModel& model, const RunPlan& plan, const RunControls& controls,
                         std::string_view resume) {
  check(model);
  return run(
      plan, describe(model), [&](RandomKey key) { return make_broadcast_replication(model, key); }, controls,
      resume);
}

BroadcastEstimates broadcast_estimates(const BroadcastModel& model, const RunResult& run_result,
                                       const std::vector<double>& percentiles, double confidence) {
  const BatchSums sums(run_result, confidence);
  if (sums.size() < 2)
    throw InvalidArgument("number of completed batches", std::to_string(sums.size()), "at least 2");
  const auto at = BatchSums::at;
  const auto mean = [&](std::size_t row, std::size_t column) {
    return sums.ratio<unit::Slot>(at(row, column, 1), at(row, 0, 1));
  };
  const auto count = [&](std::size_t row) { return static_cast<std::uint64_t>(sums.total(at(row, 0, 1))); };
  BroadcastEstimates result;
  result.batches = sums.size();
  result.unicasts = count(BroadcastRows::unicasts);
  result.copies = count(BroadcastRows::copies);
  result.broadcasts = count(BroadcastRows::broadcasts);
  result.flit_hops = sums.total(at(BroadcastRows::crossings, 0, 1));
  result.unicast_latency = mean(BroadcastRows::unicasts, 1);
  result.unicast_wait = mean(BroadcastRows::unicasts, 2);
  result.copy_latency = mean(BroadcastRows::copies, 1);
  result.copy_wait = mean(BroadcastRows::copies, 2);
  result.broadcast_latency = mean(BroadcastRows::broadcasts, 1);
  result.throughput =
      sums.ratio<unit::Load>(at(BroadcastRows::delivered, 1, model.nodes()), at(BroadcastRows::cycles, 0, 1))
          .value();
  result.offered = deliveries(model) * numeric::nearest_double(model.rate) * static_cast<double>(model.flits);
  const double requested = sums.total(at(BroadcastRows::generated, 0, 1)) +
                           (model.nodes() - 1) * sums.total(at(BroadcastRows::generated, 1, 1));
  result.generated = requested * static_cast<double>(model.flits) /
                     (sums.total(at(BroadcastRows::cycles, 0, 1)) * model.nodes());
  if (result.unicasts > 0)
    result.mean_links = sums.total(at(BroadcastRows::unicasts, 3, 1)) / static_cast<double>(result.unicasts);
  const double cycles = sums.total(at(BroadcastRows::cycles, 0, 1)) * model.nodes();
  for (std::size_t i = 0; i < static_cast<std::size_t>(model.dimensions); ++i)
    result.dimensions.push_back({.flits = sums.total(at(BroadcastRows::flits, i, 1)) / cycles,
                                 .busy = sums.total(at(BroadcastRows::occupancy, i, 1)) / cycles});
  const auto occupancy = [&](const Counts& counts) {
    double cycles_occupied = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(model.dimensions); ++i)
      cycles_occupied += static_cast<double>(counts[BroadcastRows::occupancy][i]);
    return cycles_occupied / (model.nodes() * model.dimensions);
  };
  result.busy = sums.ratio<unit::Ratio>(occupancy, at(BroadcastRows::cycles, 0, 1)).value();
  result.stability = stability_of(
      run_result,
      {.cycles = BroadcastRows::cycles, .generated = BroadcastRows::sent, .waiting = BroadcastRows::waiting},
      model.nodes());
  find_percentiles(model, run_result, percentiles, confidence, result);
  return result;
}

SimulatedSaturation simulated_saturation(const BroadcastModel& model, const SaturationSearch& search,
                                         const RunControls& controls,
                                         const std::function<void(std::size_t)>& on_progress) {
  const double messages = messages_of_probe(model, search);
  const auto probe = [&](double rate) -> std::optional<SaturationProbe> {
    BroadcastModel at = model;
    at.rate = rounded_load(rate);
    const RunPlan plan = probe_plan(search, messages / rate);
    const RunResult run_result = run_broadcasts(at, plan, controls);
    if (!run_result.complete) return std::nullopt;
    const BroadcastEstimates found = broadcast_estimates(at, run_result);
    return SaturationProbe{.load = rate,
                           .delivered = rate * found.throughput.value / found.offered,
                           .stability = found.stability};
  };
  SimulatedSaturation result = search_saturation(search, probe, on_progress);
  result.messages = messages;
  return result;
}

}  // namespace tailbound::sim
