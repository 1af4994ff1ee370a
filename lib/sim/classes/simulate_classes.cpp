#include <tailbound/core/error.hpp>
#include <tailbound/sim/batches/batch_sums.hpp>
#include <tailbound/sim/classes/simulate_classes.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace tailbound::sim {

namespace {

/// The stationary distribution, by elimination without subtraction.
std::vector<double> stationary(std::vector<std::vector<double>> moves) {
  const std::size_t size = moves.size();
  for (std::size_t n = size; n-- > 1;) {
    double leaving = 0;
    for (std::size_t j = 0; j < n; ++j) leaving += moves[n][j];
    for (std::size_t i = 0; i < n; ++i) {
      moves[i][n] /= leaving;
      for (std::size_t j = 0; j < n; ++j) moves[i][j] += moves[i][n] * moves[n][j];
    }
  }
  std::vector<double> law(size, 0);
  double sum = law[0] = 1;
  for (std::size_t n = 1; n < size; ++n) {
    for (std::size_t i = 0; i < n; ++i) law[n] += law[i] * moves[i][n];
    sum += law[n];
  }
  for (double& each : law) each /= sum;
  return law;
}

/// Of phases, about: the variance of their loads, times the mean stays in those that contribute to it. With
/// very many phases as if all but the first were those of an event (incast).
SourceMemory memory_of_phases(const ClassModel& model) {
  constexpr std::size_t max_eliminated = 256;
  std::size_t phases = 0;
  for (const SlotPackets& each : model.joint) phases = std::max(phases, each.from + 1);
  std::vector<double> loads(phases, 0), stays(phases, 0);
  std::vector<std::vector<double>> moves(phases <= max_eliminated ? phases : 0,
                                         std::vector<double>(phases <= max_eliminated ? phases : 0, 0));
  for (const SlotPackets& each : model.joint) {
    const double p = numeric::nearest_double(each.probability);
    for (const std::int64_t packets : each.packets) loads[each.from] += p * static_cast<double>(packets);
    if (each.from == each.to) stays[each.from] += p;
    if (!moves.empty()) moves[each.from][each.to] += p;
  }
  const double mean = numeric::nearest_double(model.load());
  if (moves.empty()) {
    const auto slots = static_cast<double>(phases);
    return {.variance = 2 * mean * *std::max_element(loads.begin(), loads.end()) * slots, .slots = slots};
  }
  const std::vector<double> law = stationary(std::move(moves));
  double variance = 0, weighted = 0;
  for (std::size_t i = 0; i < phases; ++i) {
    const double part = law[i] * (loads[i] - mean) * (loads[i] - mean);
    variance += part;
    weighted += part / std::max(1 - stays[i], 1e-9);
  }
  return {.variance = 2 * weighted, .slots = variance > 0 ? weighted / variance : 1};
}

}  // namespace

ClassWork class_work(const ClassModel& model) {
  ClassWork work;
  work.utilization = numeric::nearest_double(model.load() / model.served);
  work.steps_per_slot = work.utilization * model.served + 0.2 * static_cast<double>(model.classes());
  if (model.burst) {
    const auto inputs = static_cast<double>(model.inputs);
    const traffic::OnOff source = traffic::on_off(model.source_load(), *model.burst);
    work.memory = memory_of(source, model.inputs, model.share);
    work.steps_per_slot += 0.3 * inputs;
  }
  if (std::any_of(model.joint.begin(), model.joint.end(), [](const auto& each) { return each.from > 0; }))
    work.memory = memory_of_phases(model);
  return work;
}

RunResult run_classes(const ClassModel& model, const RunPlan& plan, const RunControls& controls,
                      std::string_view resume) {
  return run(
      plan, describe(model), [&](RandomKey key) { return make_class_replication(model, key); }, controls,
      resume);
}

std::vector<ClassEstimates> class_estimates(const ClassModel& model, const RunResult& result,
                                            const ClassQueries& queries) {
  const double confidence = queries.confidence;
  const BatchSums batches(result, confidence);
  if (batches.size() < 2)
    throw InvalidArgument("number of completed batches", std::to_string(batches.size()), "at least 2");
  std::vector<ClassEstimates> all;
  for (std::size_t c = 0; c < model.classes(); ++c) {
    const auto row = [c](ClassRows::Kind kind) { return ClassRows::of(kind, c); };
    const auto histogram = [&](ClassRows::Kind kind) {
      return HistogramBatches(
          result.all(), [at = row(kind)](const Counts& counts) { return counts[at]; }, confidence);
    };
    const auto came = BatchSums::at(row(ClassRows::arrivals), 0),
               lost = BatchSums::at(row(ClassRows::arrivals), 1),
               served = BatchSums::at(row(ClassRows::arrivals), 2);
    const auto slots = [at = row(ClassRows::occupancy)](const Counts& counts) {
      return total_count(counts[at]);
    };
    ClassEstimates& its = all.emplace_back();
    its.packets = static_cast<std::uint64_t>(std::llround(batches.total(came)));
    its.lost = static_cast<std::uint64_t>(std::llround(batches.total(lost)));
    its.served = *batches.ratio<unit::Load>(served, slots);
    its.loss =
        batches.ratio<unit::Ratio>(lost, came).value_or(numeric::Estimate<unit::Ratio>{0, 0, 1, confidence});
    const HistogramBatches occupancy = histogram(ClassRows::occupancy);
    its.mean_occupancy = occupancy.mean<unit::Packet>();
    its.occupancy = occupancy.tails(queries.occupancy_levels);
    if (const HistogramBatches waits = histogram(ClassRows::waits); waits.all() > 0) {
      its.mean_wait = waits.mean<unit::Slot>();
      its.wait = waits.tails(queries.wait_levels);
      for (const double fraction : queries.percentiles)
        its.percentiles.push_back({fraction, waits.percentile(fraction)});
    }
    if (model.bounded()) {
      its.alone = histogram(ClassRows::alone).tails(queries.occupancy_levels);
      its.last = histogram(ClassRows::last).tails(queries.occupancy_levels);
    }
  }
  return all;
}

}  // namespace tailbound::sim
