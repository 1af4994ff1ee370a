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

/// The options common to all simulations, and how one is executed: progress, Ctrl-C, checkpoint files.
namespace tailbound::cli {

/// As typed; empty if not given.
struct SimulationOptions {
  const char* unit = "slot";  ///< of time: "cycle" turns --slots into --cycles
  std::optional<std::string> slots{}, seed{}, threads{}, warmup{}, replications{}, checkpoint{},
      checkpoint_every{}, resume{}, half_width{};
};

/// --slots (or --cycles) --seed --threads --warmup --replications --checkpoint --checkpoint-every --resume.
/// `options` must outlive the parse.
void add_simulation_options(OptionTable& table, SimulationOptions& options);

/// From --slots (or --cycles, at least `minimum`), --warmup, --replications and --seed.
/// \throws InvalidArgument
[[nodiscard]] answers::RunLength read_run_length(const SimulationOptions& options, std::int64_t minimum = 16);

/// Of --rare: numbers below 1 are probabilities, numbers from 1 to `maximum` levels in packets.  \throws
/// InvalidArgument
[[nodiscard]] std::vector<std::variant<Packets, numeric::Rational>> read_rare(const std::string& text,
                                                                              std::int64_t maximum);

/// --threads, default: all cores.  \throws InvalidArgument
[[nodiscard]] int read_threads(const SimulationOptions& options);

/// During its lifetime a simulation runs as the options say: threads, progress, Ctrl-C, checkpoints. An
/// existing checkpoint file must belong to this simulation: others are not overwritten.
class SimulationRun {
 public:
  /// \param context  outlives this
  /// \throws InvalidArgument  a file that cannot be read or written
  SimulationRun(const SimulationOptions& options, const Context& context);
  SimulationRun(const SimulationRun&) = delete;
  SimulationRun& operator=(const SimulationRun&) = delete;

  [[nodiscard]] const answers::Run& run() const { return run_; }

  /// The result of `simulate(run)`; errors of files name the options.
  template <class Simulate>
  auto operator()(const Simulate& simulate) const {
    try {
      return simulate(run_);
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
