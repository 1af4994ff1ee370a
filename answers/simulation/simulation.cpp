#include <tailbound/answers/simulation/simulation.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/sim/batches/checkpoint.hpp>

#include <algorithm>

namespace tailbound::answers {

sim::RunPlan plan_of(const RunLength& length, const Workload& requested) {
  Workload workload = requested;
  if (workload.finite || length.warmup) workload.utilization = std::min(workload.utilization, sim::most_busy);
  const std::int64_t slots =
      length.slots ? *length.slots
                   : sim::affordable_slots(workload.steps, workload.steps_per_slot,
                                           sim::relaxation_slots(workload.utilization, workload.memory),
                                           length.replications);
  sim::RunPlan plan = sim::automatic_plan(workload.utilization, workload.hops, slots, length.replications,
                                          length.seed, workload.memory);
  if (length.warmup) plan.warmup = *length.warmup;
  return plan;
}

std::optional<std::string> simulation_of_checkpoint(std::string_view head) {
  return sim::checkpoint_fingerprint(head);
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
  controls.executor = run.executor;
  controls.finished = run.finished;
  return controls;
}

Simulated simulate(const sim::RunPlan& plan, bool automatic_warmup, const Simulation& simulation,
                   const Run& run) {
  Simulated simulated{.result = simulation(plan, controls_of(run), run.resume),
                      .plan = plan,
                      .automatic_warmup = automatic_warmup};
  if (simulated.batches() < 2)
    throw Stopped("stopped with " + std::to_string(simulated.batches()) + " of " +
                  std::to_string(simulated.planned_batches()) +
                  " batches done; two are needed for an interval");
  if (simulated.stopped() && run.cut) run.cut();
  return simulated;
}

}  // namespace tailbound::answers
