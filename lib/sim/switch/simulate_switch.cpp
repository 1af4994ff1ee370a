#include <tailbound/numeric/rational.hpp>
#include <tailbound/sim/batches/batch_sums.hpp>
#include <tailbound/sim/switch/simulate_switch.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::sim {
namespace {

std::uint64_t count_of(const BatchSums& batches, const BatchSums::Sum& sum) {
  return static_cast<std::uint64_t>(std::llround(batches.total(sum)));
}

/// The sum of a row.
BatchSums::Sum all_of(std::size_t row) {
  return [=](const Counts& counts) { return total_count(counts[row]); };
}

/// Without arrivals there is no estimate of the loss.
numeric::Estimate<unit::Ratio> share(const BatchSums& batches, const BatchSums::Sum& lost,
                                     const BatchSums::Sum& came, double confidence) {
  return batches.ratio<unit::Ratio>(lost, came).value_or(numeric::Estimate<unit::Ratio>{0, 0, 1, confidence});
}

}  // namespace

SwitchWork switch_work(const SwitchModel& model) {
  SwitchWork work;
  work.utilization = numeric::nearest_double(busiest_load(model));
  const auto inputs = static_cast<double>(model.rates.size());
  const auto outputs = static_cast<double>(model.outputs);
  double cells = 0;
  for (const numeric::Rational& rate : model.rates) cells += numeric::nearest_double(rate);
  work.steps_per_slot = cells + 0.3 * (inputs + outputs);
  if (model.burst) {
    const numeric::Rational own =  // fraction of the traffic to the busiest output
        model.hot + (1 - model.hot) / numeric::Integer(model.outputs);
    for (const numeric::Rational& rate : model.rates) {
      const traffic::OnOff source = traffic::on_off(rate, *model.burst);
      const SourceMemory memory = model.destination == traffic::Destination::per_burst
                                      ? memory_of(source, 1, own)
                                      : memory_of(traffic::thinned(source, own), 1);
      work.memory.variance += memory.variance;
      work.memory.slots = std::max(work.memory.slots, memory.slots);
    }
    work.steps_per_slot += inputs;
  }
  double mean = 0, square = 0, longest = 0;
  for (const traffic::CellClass& size : model.sizes) {
    const double chance = numeric::nearest_double(size.share);
    const auto length = static_cast<double>(size.cells);
    mean += chance * length;
    square += chance * length * length;
    longest = std::max(longest, length);
  }
  if (mean > 0) {
    work.memory.variance += work.utilization * (square / mean - 1);
    work.memory.slots += longest;
    work.steps_per_slot += cells;
  }
  if (model.finite()) work.steps_per_slot *= 2;
  return work;
}

RunResult run_switch(const SwitchModel& model, const RunPlan& plan, const RunControls& controls,
                     std::string_view resume) {
  return run(
      plan, describe(model), [&](RandomKey key) { return make_switch_replication(model, key); }, controls,
      resume);
}

SwitchEstimates switch_estimates(const SwitchModel& model, const RunResult& run_result,
                                 const SwitchQueries& queries) {
  const double confidence = queries.confidence;
  const BatchSums batches(run_result, confidence);
  if (batches.size() < 2)
    throw InvalidArgument("number of completed batches", std::to_string(batches.size()), "at least 2");
  SwitchEstimates result;
  result.batches = batches.size();
  const HistogramBatches total = batches.histogram(SwitchRows::total);
  result.mean_total = total.mean<unit::Packet>();
  result.total_tail = total.tails(queries.total_levels);
  const auto output = [&](std::size_t row, std::size_t group) {
    const HistogramBatches lengths = batches.histogram(row);
    const auto came = BatchSums::at(SwitchRows::cells, group), lost = BatchSums::at(SwitchRows::lost, group);
    return SwitchOutput{.mean = lengths.mean<unit::Packet>(),
                        .tail = lengths.tails(queries.queue_levels),
                        .cells = count_of(batches, came),
                        .lost = count_of(batches, lost),
                        .loss = share(batches, lost, came, confidence)};
  };
  const bool has_hot = model.hot > 0;
  if (model.outputs > 1 || !has_hot) result.output = output(SwitchRows::queue, 0);
  if (has_hot) result.hot = output(SwitchRows::hot, 1);
  result.cells = count_of(batches, all_of(SwitchRows::cells));
  result.lost = count_of(batches, all_of(SwitchRows::lost));
  result.packets = count_of(batches, all_of(SwitchRows::packets));
  result.hurt = count_of(batches, all_of(SwitchRows::hurt));
  result.cell_loss = share(batches, all_of(SwitchRows::lost), all_of(SwitchRows::cells), confidence);
  result.packet_loss = share(batches, all_of(SwitchRows::hurt), all_of(SwitchRows::packets), confidence);
  const std::size_t classes = std::max<std::size_t>(1, model.sizes.size());
  for (std::size_t i = 0; i < classes; ++i) {
    const auto came = BatchSums::at(SwitchRows::packets, i), hurt = BatchSums::at(SwitchRows::hurt, i);
    result.sizes.push_back({.cells = model.sizes.empty() ? 1 : model.sizes[i].cells,
                            .packets = count_of(batches, came),
                            .hurt = count_of(batches, hurt),
                            .loss = share(batches, hurt, came, confidence)});
  }
  return result;
}

}  // namespace tailbound::sim
