#include <tailbound/answers/simulation.hpp>
#include <tailbound/core/error.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::answers {
namespace {

/// Down to two significant digits.
std::int64_t rounded(double slots) {
  const double unit = std::pow(10.0, std::max(0.0, std::floor(std::log10(slots)) - 1));
  return static_cast<std::int64_t>(std::floor(slots / unit) * unit);
}

std::int64_t slots_by_rule(const Workload& workload, int replications) {
  const double affordable = workload.steps / workload.steps_per_slot / replications;
  const double wanted = 100 * sim::relaxation_slots(workload.utilization, workload.memory);
  return rounded(std::clamp(std::max(affordable, std::min(wanted, 10 * affordable)), 1000.0, 1e9));
}

}  // namespace

sim::RunPlan plan_of(const RunLength& length, const Workload& workload) {
  const std::int64_t slots = length.slots ? *length.slots : slots_by_rule(workload, length.replications);
  sim::RunPlan plan = sim::automatic_plan(workload.utilization, workload.hops, slots, length.replications,
                                          length.seed, workload.memory);
  if (length.warmup) plan.warmup = *length.warmup;
  return plan;
}

sim::RunControls controls_of(const Run& run) {
  sim::RunControls controls{.threads = run.threads, .stop = run.stop};
  if (run.progress)
    controls.progress = [&run](const sim::Progress& progress) {
      run.progress(progress.done, progress.left.count());
    };
  controls.checkpoint = run.checkpoint;
  controls.checkpoint_interval = run.checkpoint_interval;
  controls.checkpoint_of = run.checkpoint_of;
  return controls;
}

Simulated simulate(const sim::RunPlan& plan, bool automatic_warmup, const Simulation& simulation,
                   const Run& run) {
  Simulated simulated{
      .result = {}, .plan = plan, .automatic_warmup = automatic_warmup, .threads = run.threads};
  const auto start = std::chrono::steady_clock::now();
  simulated.result = simulation(plan, controls_of(run), run.resume);
  simulated.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (simulated.batches() < 2)
    throw Stopped("stopped with " + std::to_string(simulated.batches()) + " of " +
                  std::to_string(simulated.planned_batches()) +
                  " batches done; two are needed for an interval");
  if (simulated.stopped() && run.cut) run.cut();
  return simulated;
}

}  // namespace tailbound::answers
