#include <tailbound/core/error.hpp>
#include <tailbound/sim/batches/batch_sums.hpp>
#include <tailbound/sim/crossbar/simulate_crossbar.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::sim {
namespace {

using traffic::CrossbarScheduler;

std::uint64_t sum_of(const BatchSums& batches, std::size_t row) {
  return static_cast<std::uint64_t>(
      std::llround(batches.total([=](const Counts& counts) { return total_count(counts[row]); })));
}

/// Cost of a slot's matchings, in cells.
double scheduling_steps(const CrossbarModel& model) {
  const auto ports = static_cast<double>(std::max<std::int64_t>(model.outputs, 1));
  switch (model.scheduler) {
    case CrossbarScheduler::maxweight:
      return ports * ports * ports / 20;
    case CrossbarScheduler::greedy:
      return 3 * ports;
    case CrossbarScheduler::ccf:
      return 2 * ports;
    default:
      return ports / 2;
  }
}

/// The maximum load of a scheduler whose switch relaxes as a queue at load / maximum.
double known_maximum(const CrossbarModel& model) {
  const double ports = static_cast<double>(model.inputs());
  if (model.scheduler == CrossbarScheduler::fifo && !model.output_queues())
    return 2 - std::sqrt(2.0) + 0.33 / ports;  // near the exact one, for the length of a run only
  if (model.scheduler == CrossbarScheduler::pim && model.iterations == 1 && model.speedup == 1)
    return 1 - std::exp(-1.0) + 0.24 / ports;
  return 1;
}

/// Relaxation time over that of the output queue, about: as the mean delays, since both are proportional to
/// the variance of what comes and goes. TDM serves a VOQ once per frame, and iSLIP with too few iterations
/// does so at best.
double slowness(const CrossbarModel& model) {
  const auto ports = static_cast<double>(model.inputs());
  const auto iterations = static_cast<double>(model.iterations);
  switch (model.scheduler) {
    case CrossbarScheduler::tdm:
    case CrossbarScheduler::load_balanced:
      return ports;
    case CrossbarScheduler::islip:
      if (model.iterations == 1) return 2 * ports;
      return model.iterations > 0 && iterations <= std::log2(ports) ? std::max(8.0, ports / 2) : 8;
    default:
      return 4;
  }
}

/// Do the queues grow? In a stable switch the cells that stay from batch to batch sum to the difference of
/// two lengths; above the maximum load every batch keeps about equally many.
bool grows(const BatchSums& batches, const RunResult& result) {
  constexpr double certain = 5;  // standard errors
  const std::vector<double> kept = batches.each([](const Counts& counts) {
    return total_count(counts[CrossbarRows::came]) - total_count(counts[CrossbarRows::lost]) -
           total_count(counts[CrossbarRows::left]);
  });
  const auto count = static_cast<double>(kept.size());
  double mean = 0, square = 0;
  for (const double cells : kept) mean += cells / count;
  for (const double cells : kept) square += (cells - mean) * (cells - mean);
  if (mean <= certain * std::sqrt(square / (count - 1) / count)) return false;
  for (const std::vector<Counts>& replication : result.batches) {
    if (replication.size() < 2) continue;
    const auto inside = [&](std::size_t batch) { return replication[batch][CrossbarRows::inside].front(); };
    if (inside(replication.size() - 1) <= inside((replication.size() - 1) / 2)) return false;
  }
  return true;
}

}  // namespace

CrossbarWork crossbar_work(const CrossbarModel& model) {
  CrossbarWork work;
  double cells = 0, busiest = 0;
  for (const numeric::Rational& rate : model.rates) {
    cells += numeric::nearest_double(rate);
    busiest = std::max(busiest, numeric::nearest_double(rate));
  }
  busiest = std::max(busiest, numeric::nearest_double(busiest_output(model)));
  work.utilization = std::min(busiest / known_maximum(model), most_busy);
  work.steps_per_slot = 3 * cells + numeric::nearest_double(model.speedup) * scheduling_steps(model);
  double burst_slots = 0;
  if (model.burst)
    for (std::size_t input = 0; input < model.inputs(); ++input) {
      const std::vector<numeric::Rational> shares = output_shares_of(model, input);
      const numeric::Rational share = *std::max_element(shares.begin(), shares.end());
      const traffic::OnOff source = traffic::on_off(model.rates[input], *model.burst);
      const SourceMemory memory = model.destination == traffic::Destination::per_burst
                                      ? memory_of(source, 1, share)
                                      : memory_of(traffic::thinned(source, share), 1);
      work.memory.variance += memory.variance;
      burst_slots = std::max(burst_slots, memory.slots);
    }
  work.memory.slots = burst_slots;
  if (model.speedup == 1)
    work.memory.slots += (slowness(model) - 1) * relaxation_slots(work.utilization, work.memory);
  return work;
}

RunResult run_crossbar(const CrossbarModel& model, const RunPlan& plan, const RunControls& controls,
                       std::string_view resume) {
  return run(
      plan, describe(model), [&](RandomKey key) { return make_crossbar_replication(model, key); }, controls,
      resume);
}

CrossbarEstimates crossbar_estimates(const CrossbarModel& model, const RunResult& run_result,
                                     const CrossbarQueries& queries) {
  const double confidence = queries.confidence;
  const BatchSums batches(run_result, confidence);
  if (batches.size() < 2)
    throw InvalidArgument("number of completed batches", std::to_string(batches.size()), "at least 2");
  const auto delays = [&](std::size_t row) {
    const HistogramBatches seen = batches.histogram(row);
    CrossbarDelays result{
        .mean = seen.mean<unit::Slot>(), .tail = seen.tails(queries.delays), .percentiles = {}};
    for (const double fraction : queries.percentiles) result.percentiles.push_back(seen.percentile(fraction));
    return result;
  };
  const auto occupancy = [&](std::size_t row) {
    const HistogramBatches seen = batches.histogram(row);
    return CrossbarOccupancy{seen.mean<unit::Packet>(), seen.tails(queries.levels)};
  };
  const bool has_hot = model.hot > 0, only_hot = has_hot && model.outputs == 1;
  CrossbarEstimates result;
  result.delay = delays(only_hot ? CrossbarRows::hot_delay : CrossbarRows::delay);
  result.column = occupancy(only_hot ? CrossbarRows::hot_column : CrossbarRows::column);
  if (has_hot && !only_hot) {
    result.hot_delay = delays(CrossbarRows::hot_delay);
    result.hot_column = occupancy(CrossbarRows::hot_column);
  }
  for (std::size_t i = 0; i < model.priorities.size(); ++i)
    result.priority_delay.push_back(delays(CrossbarRows::count + i));
  result.input = occupancy(CrossbarRows::input);
  if (model.has_voqs() && model.scheduler != CrossbarScheduler::ccf)
    result.voq = occupancy(CrossbarRows::voq);
  if (model.output_queues() || model.scheduler == CrossbarScheduler::crosspoint)
    result.output = occupancy(CrossbarRows::output);
  const auto all = [](std::size_t row, double unit = 1) {
    return [=](const Counts& counts) { return total_count(counts[row]) / unit; };
  };
  const auto slots = BatchSums::at(CrossbarRows::slots, 0);
  const auto inputs = static_cast<double>(model.inputs());
  result.carried = *batches.ratio<unit::Ratio>(all(CrossbarRows::left, inputs), slots);
  for (std::size_t output = 0; output < static_cast<std::size_t>(model.outputs); ++output) {
    const auto own = *batches.ratio<unit::Ratio>(BatchSums::at(CrossbarRows::left, output), slots);
    if (output == 0 || own.value < result.least.value) result.least = own;
    if (output == 0 || own.value > result.most.value) result.most = own;
  }
  if (model.loses())
    result.loss = batches.ratio<unit::Ratio>(all(CrossbarRows::lost), all(CrossbarRows::came));
  result.cells = sum_of(batches, CrossbarRows::came);
  result.lost = sum_of(batches, CrossbarRows::lost);
  result.left = sum_of(batches, CrossbarRows::left);
  result.late = sum_of(batches, CrossbarRows::late);
  result.above = sum_of(batches, CrossbarRows::above);
  result.saturated = grows(batches, run_result);
  result.batches = batches.size();
  return result;
}

}  // namespace tailbound::sim
