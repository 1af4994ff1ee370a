#pragma once

#include <cli/command.hpp>
#include <cli/options/options.hpp>
#include <tailbound/answers/simulation/simulation.hpp>
#include <tailbound/core/quantity.hpp>
#include <tailbound/numeric/rational.hpp>

#include <optional>
#include <string>
#include <variant>
#include <vector>

/// The options of every simulation, and how one is carried out: progress, Ctrl-C, checkpoint files.
namespace tailbound::cli {

/// As typed; an option that was not given is empty.
struct SimulationOptions {
  const char* unit = "slot";  ///< of time: "cycle" makes --slots to --cycles
  std::optional<std::string> slots{}, seed{}, threads{}, warmup{}, replications{}, checkpoint{},
      checkpoint_every{}, resume{}, half_width{};
};

/// --slots (or --cycles) --seed --threads --warmup --replications --checkpoint --checkpoint-every --resume.
/// `options` must outlive the parse.
void add_simulation_options(OptionTable& table, SimulationOptions& options);

/// As asked for by --slots (or --cycles, `least` at least), --warmup, --replications and --seed.
/// \throws InvalidArgument
[[nodiscard]] answers::RunLength read_run_length(const SimulationOptions& options, std::int64_t least = 16);

/// Of --rare: probabilities below 1, and levels from 1 to `most` packets, as the numbers are.  \throws InvalidArgument
[[nodiscard]] std::vector<std::variant<Packets, numeric::Rational>> read_rare(const std::string& text,
                                                                              std::int64_t most);

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

}  // namespace tailbound::cli
