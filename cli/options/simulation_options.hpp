#pragma once

#include <fmt/format.h>
#include <cli/command.hpp>
#include <cli/options/options.hpp>
#include <tailbound/answers/simulation/simulation.hpp>
#include <tailbound/core/quantity.hpp>
#include <tailbound/files/file_lock.hpp>
#include <tailbound/numeric/rational.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// The options common to all simulations, and how one is executed: progress, Ctrl-C, checkpoint files.
namespace tailbound::cli {

inline constexpr std::int64_t max_slots = 1'000'000'000'000;

/// --slots (or --cycles) --seed --threads --warmup --replications --checkpoint --checkpoint-every --resume
struct SimulationOptions {
  const char* unit = "slot";  ///< of time: "cycle" turns --slots into --cycles
  OptionTable rows{};
  OptionGroup group{rows, "Simulation"};
  Integer slots{group, fmt::format("--{}s", unit), "N", integer(16, max_slots),
                fmt::format("{}s measured in each replication.\nDefault: as many as take seconds", unit)};
  One<std::uint64_t> seed{group, "--seed", "S", integer<std::uint64_t>(0).by_default("1"),
                          "seed of the random numbers (default {})"};
  One<int> threads{group, "--threads", "T", integer<int>(1, 1024),
                   "number of threads (default all cores).\nThe result does not depend on it"};
  Integer warmup{group, "--warmup", "N", integer(0, max_slots),
                 fmt::format("{}s of warm-up of each replication.\nDefault: by a rule", unit)};
  One<int> replications{group, "--replications", "R", integer<int>(1, 1024).by_default("4").slider(2, 64, 1),
                        "independent runs (default {}), --threads at a time"};
  Text checkpoint{group, "--checkpoint", "FILE",
                  "file that keeps the state of the simulation.\nAlso written at Ctrl-C"};
  Number checkpoint_every{group, "--checkpoint-every", "S",
                          number().by_default("60").such_that(
                              [](const numeric::Rational& seconds) {
                                return seconds >= numeric::Rational(1) / 1000 && seconds <= 1'000'000;
                              },
                              "from 0.001 to 1000000 seconds"),
                          "seconds between checkpoints (default {})"};
  Text resume{group, "--resume", "FILE", "checkpoint file to resume, with the same options"};

  /// --half-width, where the command has it (precision.hpp)
  OptionTable precision_rows{};
  Number half_width{OptionGroup(precision_rows, "Simulation"), "--half-width", "W",
                    share().must_be("above 0 and at most 100%"),
                    "relative half-width of all intervals, such as 2%.\nReplications are added until it is "
                    "reached, at most --replications (default 256)"};
};

/// Without --half-width.
void add_simulation_options(OptionTable& table, SimulationOptions& options);

/// From --slots (or --cycles, at least `minimum`), --warmup, --replications and --seed.
/// \throws InvalidArgument
[[nodiscard]] answers::RunLength read_run_length(const SimulationOptions& options, std::int64_t minimum = 16);

/// Of --rare: numbers below 1 are probabilities, numbers from 1 to `maximum` levels in packets.
using RareLevel = std::variant<Packets, numeric::Rational>;
[[nodiscard]] Accepted<std::vector<RareLevel>> rare_levels(std::int64_t maximum);
/// \throws InvalidArgument
[[nodiscard]] std::vector<RareLevel> read_rare(const std::string& text, std::int64_t maximum);

/// --threads, default: all cores.  \throws InvalidArgument
[[nodiscard]] int read_threads(const SimulationOptions& options);

/// During its lifetime a simulation runs as the options say: threads, progress, Ctrl-C, checkpoints. An
/// existing checkpoint file must belong to this simulation: others are not overwritten, nor one that another
/// process writes.
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
  std::optional<files::FileLock> lock_;  ///< of the checkpoints
  answers::Run run_;
};

}  // namespace tailbound::cli
