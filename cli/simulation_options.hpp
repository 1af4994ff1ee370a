#pragma once

#include <CLI/App.hpp>
#include <cli/command.hpp>
#include <cli/formats.hpp>
#include <tailbound/sim/run.hpp>

#include <functional>
#include <optional>
#include <string>

/// The options of every simulation, and how one is carried out: progress, Ctrl-C, checkpoint files.
namespace tailbound::cli {

/// As typed; an option that was not given is empty.
struct SimulationOptions {
  const char* unit = "slot";  ///< of time: "cycle" makes --slots to --cycles
  std::optional<std::string> slots{}, seed{}, threads{}, warmup{}, replications{}, checkpoint{},
      checkpoint_every{}, resume{};
};

/// --slots (or --cycles) --seed --threads --warmup --replications --checkpoint --checkpoint-every --resume.
/// `options` must outlive the parse.
void add_simulation_options(CLI::App& command, SimulationOptions& options);

/// What the plan depends on apart from the options.
struct Workload {
  double utilization = 0;      ///< of the busiest queue
  int hops = 1;                ///< queues on the longest way
  double steps_per_slot = 1;   ///< packet-hops a slot, or what takes as long
  double steps = 3e8;          ///< of all replications together, unless --slots says otherwise
  sim::SourceMemory memory{};  ///< of the sources
};

/// The plan: as asked for, the rest by the rules of sim/run.hpp. Unless --slots says otherwise, so many that
/// `steps` are taken, or more where that would be less than 100 relaxation times a replication (but not
/// beyond 10 times the steps). It depends on nothing but the inputs, so that the result does not. \throws
/// InvalidArgument
[[nodiscard]] sim::RunPlan read_plan(const SimulationOptions& options, const Workload& workload);

/// A thread for each core.
[[nodiscard]] int all_cores();
/// --threads, all cores unless told.  \throws InvalidArgument
[[nodiscard]] int read_threads(const SimulationOptions& options);

struct Simulated {
  sim::RunResult result;
  sim::RunPlan plan;
  bool automatic_warmup = true;
  const char* unit = "slot";
  int threads = 1;
  double seconds = 0;

  [[nodiscard]] std::size_t batches() const { return result.all().size(); }
};

using Simulation = std::function<sim::RunResult(const sim::RunPlan& plan, const sim::RunControls& controls,
                                                std::string_view resume)>;

/// Runs the simulation under Ctrl-C, with progress and checkpoints. A checkpoint file is replaced as a whole,
/// as often as told (every minute) and when the run is stopped.
/// \throws InvalidArgument  a file cannot be read or written, or a checkpoint does not fit
/// \throws NoAnswer         stopped before two batches were done
[[nodiscard]] Simulated simulate(const SimulationOptions& options, const sim::RunPlan& plan,
                                 const Simulation& simulation, const Context& context);

/// The context of one of several runs: its progress is shown as part of all.
/// \param context  outlives the result
[[nodiscard]] Context part_of(const Context& context, std::size_t done, std::size_t all);

/// The plan, for a JSON document: all that the result depends on, and so not the threads.
void describe_simulation(Json& document, const Simulated& simulated);

/// "4 replications of 6400 slots after a warm-up of 832 (by rule), seed 1"
[[nodiscard]] std::string plan_in_words(const Simulated& simulated);
/// "3.2 s on 2 threads"; or what was stopped, and after how much.
[[nodiscard]] std::string course_in_words(const Simulated& simulated);

}  // namespace tailbound::cli
