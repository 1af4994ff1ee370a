#pragma once

#include <CLI/App.hpp>
#include <cli/command.hpp>
#include <cli/formats.hpp>
#include <tailbound/answers/simulation.hpp>

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

using answers::Simulation;
using answers::Workload;

/// As asked for by --slots (or --cycles, `least` at least), --warmup, --replications and --seed.
/// \throws InvalidArgument
[[nodiscard]] answers::RunLength read_run_length(const SimulationOptions& options, std::int64_t least = 16);
/// The plan for that length.  \throws InvalidArgument
[[nodiscard]] sim::RunPlan read_plan(const SimulationOptions& options, const Workload& workload);

/// A thread for each core.
[[nodiscard]] int all_cores();
/// --threads, all cores unless told.  \throws InvalidArgument
[[nodiscard]] int read_threads(const SimulationOptions& options);

/// While one of these lives, a simulation is run as the options say: threads, progress, Ctrl-C, checkpoints.
/// A checkpoint file that is there must be one of the very simulation: no other is overwritten.
class SimulationRun {
 public:
  /// \param context  outlives this
  /// \throws InvalidArgument  a file that cannot be read or written
  SimulationRun(const SimulationOptions& options, const Context& context);
  SimulationRun(const SimulationRun&) = delete;
  SimulationRun& operator=(const SimulationRun&) = delete;

  [[nodiscard]] const answers::Run& run() const { return run_; }

  /// What `ask(run)` returns, errors of the files named as the options name them.
  template <class Ask>
  auto operator()(const Ask& ask) const {
    try {
      return ask(run_);
    } catch (...) {
      rethrow_named();
    }
  }

 private:
  [[noreturn]] void rethrow_named() const;

  void keep_checkpoints(const Context& context);

  const SimulationOptions& options_;
  answers::Run run_;
};

/// With the unit in which its lengths are shown.
struct Simulated : answers::Simulated {
  const char* unit = "slot";
};

/// Runs the simulation under Ctrl-C, with progress and checkpoints. A checkpoint file is replaced as a whole,
/// as often as told (every minute) and when the run is stopped.
/// \throws InvalidArgument  a file cannot be read or written, or a checkpoint does not fit
/// \throws Stopped          before two batches were done
[[nodiscard]] Simulated simulate(const SimulationOptions& options, const sim::RunPlan& plan,
                                 const Simulation& simulation, const Context& context);

/// The context of one of several runs: its progress is shown as part of all.
/// \param context  outlives the result
[[nodiscard]] Context part_of(const Context& context, std::size_t done, std::size_t all);

/// The plan, for a JSON document: all that the result depends on, and so not the threads.
/// \param unit  of the plan's lengths
void describe_simulation(Json& document, const answers::Simulated& simulated, const char* unit = "slot");
inline void describe_simulation(Json& document, const Simulated& simulated) {
  describe_simulation(document, simulated, simulated.unit);
}

/// "4 replications of 6400 slots after a warm-up of 832 (by rule), seed 1"; of a run cut short, "stopped with 13
/// of 64 batches of 400 slots, ..", for what was planned was not run.
[[nodiscard]] std::string plan_in_words(const answers::Simulated& simulated, const char* unit = "slot");
[[nodiscard]] inline std::string plan_in_words(const Simulated& simulated) {
  return plan_in_words(simulated, simulated.unit);
}

/// "3.2 s on 2 threads"; or what was stopped, and after how much.
[[nodiscard]] std::string course_in_words(const answers::Simulated& simulated);

}  // namespace tailbound::cli
