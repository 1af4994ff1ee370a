#include <tailbound/core/error.hpp>
#include <tailbound/sim/batches/batch_sums.hpp>
#include <tailbound/sim/classes/simulate_classes.hpp>

#include <cmath>

namespace tailbound::sim {

ClassWork class_work(const ClassModel& model) {
  ClassWork work;
  work.utilization = numeric::nearest_double(model.load());
  work.steps_per_slot = work.utilization + 0.2 * static_cast<double>(model.classes());
  if (model.burst) {
    const auto inputs = static_cast<double>(model.inputs);
    const traffic::OnOff source =
        traffic::on_off(model.load() / numeric::Rational(model.inputs), *model.burst);
    work.memory = memory_of(source, model.inputs);
    work.steps_per_slot += 0.3 * inputs;
  }
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
