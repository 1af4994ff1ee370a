#include <cln/integer.h>
#include <cln/rational.h>
#include <fmt/format.h>
#include <cli/interrupt.hpp>
#include <cli/option_group.hpp>
#include <cli/read_file.hpp>
#include <cli/simulation_options.hpp>
#include <cli/traffic_options.hpp>
#include <cli/write_file.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

namespace tailbound::cli {
namespace {

constexpr std::int64_t most_slots = 1'000'000'000'000;
constexpr std::size_t largest_checkpoint = std::size_t{16} << 30;

std::int64_t integer_or(const std::optional<std::string>& text, const char* option, std::int64_t least,
                        std::int64_t greatest, std::int64_t otherwise) {
  return text ? parse_integer(*text, option, least, greatest) : otherwise;
}

/// Down to two significant digits.
std::int64_t rounded(double slots) {
  const double unit = std::pow(10.0, std::max(0.0, std::floor(std::log10(slots)) - 1));
  return static_cast<std::int64_t>(std::floor(slots / unit) * unit);
}

std::int64_t default_slots(const Workload& workload, int replications) {
  const double affordable = workload.steps / workload.steps_per_slot / replications;
  const double wanted = 100 * sim::relaxation_slots(workload.utilization, workload.memory);
  return rounded(std::clamp(std::max(affordable, std::min(wanted, 10 * affordable)), 1000.0, 1e9));
}

std::string slots_option(const SimulationOptions& options) {
  return fmt::format("--{}s", options.unit);
}

std::chrono::milliseconds read_interval(const SimulationOptions& options) {
  if (!options.checkpoint)
    throw InvalidArgument("--checkpoint-every", "given without --checkpoint", "given with --checkpoint FILE");
  const numeric::Rational seconds = numeric::parse_rational(*options.checkpoint_every, "--checkpoint-every");
  if (seconds < numeric::parse_rational("0.001", "least") || seconds > 1'000'000)
    throw InvalidArgument("--checkpoint-every", *options.checkpoint_every, "from 0.001 to 1000000 seconds");
  return std::chrono::milliseconds(static_cast<std::int64_t>(1000 * numeric::nearest_double(seconds)));
}

/// \throws InvalidArgument  naming --resume and the file, whatever is wrong with it
sim::RunResult resumed(const std::string& file, const sim::RunPlan& plan, const sim::RunControls& controls,
                       const Simulation& simulation) {
  const std::string bytes = read_file(file, "--resume", largest_checkpoint);
  if (bytes.empty()) throw InvalidArgument("--resume", file, "a file that --checkpoint wrote (it is empty)");
  try {
    return simulation(plan, controls, bytes);
  } catch (const ParseError& error) {
    throw InvalidArgument("--resume", file,
                          std::string("a file that --checkpoint wrote (") + error.what() + ")");
  } catch (const InvalidArgument& error) {
    if (error.argument().rfind("the checkpoint", 0) != 0) throw;
    throw InvalidArgument(
        "--resume", file,
        fmt::format("a checkpoint of this simulation, {}: it is of {}", error.legal(), error.value()));
  }
}

}  // namespace

void add_simulation_options(CLI::App& command, SimulationOptions& options) {
  const OptionGroup simulation(command, "Simulation");
  const std::string units = fmt::format("{}s", options.unit);
  simulation.add(slots_option(options), options.slots, "N",
                 units + " measured in each replication; so that it takes seconds unless told");
  simulation.add("--seed", options.seed, "S", "of the random numbers (1)");
  simulation.add("--threads", options.threads, "T",
                 "all cores unless told; the result does not depend on it");
  simulation.add("--warmup", options.warmup, "N",
                 units + " left out at the start of each; by a rule unless told");
  simulation.add("--replications", options.replications, "R", "independent runs, of which T at a time (4)");
  simulation.add("--checkpoint", options.checkpoint, "FILE", "keep the state there, also at Ctrl-C");
  simulation.add("--checkpoint-every", options.checkpoint_every, "S", "seconds between two checkpoints (60)");
  simulation.add("--resume", options.resume, "FILE",
                 "go on from there, to the same result; with the same options");
}

sim::RunPlan read_plan(const SimulationOptions& options, const Workload& workload) {
  const auto replications = static_cast<int>(integer_or(options.replications, "--replications", 1, 1024, 4));
  const std::int64_t seed =
      integer_or(options.seed, "--seed", 0, std::numeric_limits<std::int64_t>::max(), 1);
  const std::int64_t slots =
      options.slots ? parse_integer(*options.slots, slots_option(options).c_str(), 16, most_slots)
                    : default_slots(workload, replications);
  sim::RunPlan plan = sim::automatic_plan(workload.utilization, workload.hops, slots, replications,
                                          static_cast<std::uint64_t>(seed), workload.memory);
  plan.warmup = integer_or(options.warmup, "--warmup", 0, most_slots, plan.warmup);
  return plan;
}

int all_cores() {
  return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 1024U));
}

int read_threads(const SimulationOptions& options) {
  return static_cast<int>(integer_or(options.threads, "--threads", 1, 1024, all_cores()));
}

Simulated simulate(const SimulationOptions& options, const sim::RunPlan& plan, const Simulation& simulation,
                   const Context& context) {
  Simulated simulated;
  simulated.plan = plan;
  simulated.automatic_warmup = !options.warmup;
  simulated.unit = options.unit;
  simulated.threads = read_threads(options);
  const Interrupt interrupt;
  sim::RunControls controls{.threads = simulated.threads, .stop = interrupt.token()};
  if (context.timed_progress)
    controls.progress = [&](const sim::Progress& progress) {
      context.timed_progress(progress.done, progress.left.count());
    };
  if (options.checkpoint_every) controls.checkpoint_interval = read_interval(options);
  if (options.checkpoint) {
    static_cast<void>(PendingFile(*options.checkpoint, "--checkpoint"));  // may it be written?
    controls.checkpoint = [&](const std::string& bytes) {
      PendingFile file(*options.checkpoint, "--checkpoint");
      file.write(bytes);
      file.commit();
    };
  }
  const auto start = std::chrono::steady_clock::now();
  simulated.result =
      options.resume ? resumed(*options.resume, plan, controls, simulation) : simulation(plan, controls, {});
  simulated.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (simulated.batches() < 2)
    throw NoAnswer(fmt::format(
        "stopped with {} of {} batches done; two are needed for an interval{}", simulated.batches(),
        plan.batches * plan.replications,
        options.checkpoint ? fmt::format(" (--resume {} goes on)", *options.checkpoint) : std::string()));
  return simulated;
}

Context part_of(const Context& context, std::size_t done, std::size_t all) {
  Context part = context;
  if (context.timed_progress && all > 1)
    part.timed_progress = [&context, done, all](double fraction, double) {
      context.timed_progress((static_cast<double>(done) + fraction) / static_cast<double>(all), 0);
    };
  return part;
}

void describe_simulation(Json& document, const Simulated& simulated) {
  document["complete"] = simulated.result.complete;
  document["seed"] = simulated.plan.seed;
  document[fmt::format("{}s", simulated.unit)] = simulated.plan.batch_slots() * simulated.plan.batches;
  document["warmup"] = simulated.plan.warmup;
  document["replications"] = simulated.plan.replications;
  document["batches"] = simulated.batches();
  document[fmt::format("batch_{}s", simulated.unit)] = simulated.plan.batch_slots();
}

std::string plan_in_words(const Simulated& simulated) {
  const sim::RunPlan& plan = simulated.plan;
  return fmt::format("{} replication{} of {} {}s after a warm-up of {} ({}), seed {}", plan.replications,
                     plan.replications == 1 ? "" : "s", plan.batch_slots() * plan.batches, simulated.unit,
                     plan.warmup, simulated.automatic_warmup ? "by rule" : "as told", plan.seed);
}

std::string course_in_words(const Simulated& simulated) {
  const int all = simulated.plan.batches * simulated.plan.replications;
  const std::string time = fmt::format(
      "{:.1f} s on {} thread{}", simulated.seconds, std::min(simulated.threads, simulated.plan.replications),
      std::min(simulated.threads, simulated.plan.replications) == 1 ? "" : "s");
  return simulated.result.complete
             ? time
             : fmt::format("stopped after {}, with {} of {} batches done", time, simulated.batches(), all);
}

}  // namespace tailbound::cli
