#pragma once

#include <tailbound/run/executor.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <utility>

/// How a question is carried out. Nothing here changes an answer, except that a stop cuts it short, which the
/// answer then says.
namespace tailbound::sim {
struct FinishedReplications;
}

namespace tailbound::answers {

struct Run {
  int threads = 1;         ///< of simulations, unless there is an executor
  std::stop_token stop{};  ///< a request ends the run at the next opportunity
  /// Called now and then with the fraction done, 0 to 1, and the seconds left (0 while unknown), on the
  /// thread that asked.
  std::function<void(double done, double seconds_left)> progress{};
  std::function<void(const std::string& bytes)> checkpoint{};  ///< of simulations: bytes to resume from
  std::chrono::milliseconds checkpoint_interval{60'000};       ///< and once more when the run is stopped
  std::string resume{};  ///< bytes from a checkpoint of the same question, or empty
  /// Told at the start of a simulation what its checkpoints are of; throws where they must not be written.
  std::function<void(const std::string& simulation)> checkpoint_of{};
  /// Carries out a piece of the work that does not look at `stop`; false if it was given up because of a
  /// stop, and then it writes no more to anything that the caller sees. Empty: pieces are called as they are.
  /// CONTRACT  one piece at a time, perhaps on another thread, for which the caller waits; what a piece throws
  ///           reaches the caller; a piece within a piece is part of it (answers/points/points.hpp makes pieces).
  std::function<bool(const std::function<void()>& work)> piece{};
  std::function<void()>
      cut{};  ///< told when a stop has cut the answer short, which the answer says itself too
  /// Who does the replications of simulations and the points of lists, with the same results; null: threads,
  /// and points one after the other. Outlives the run.
  run::Executor* executor = nullptr;
  /// Of a simulation that grows by replications: those of the run before, and afterwards those of this one.
  sim::FinishedReplications* finished = nullptr;
};

/// The run of one of several parts of a question: its progress is shown as part of all.
/// \param run  outlives the result
[[nodiscard]] inline Run part_of(const Run& run, std::size_t done, std::size_t all) {
  Run part = run;
  if (run.progress && all > 1)
    part.progress = [&run, done, all](double fraction, double) {
      run.progress((static_cast<double>(done) + fraction) / static_cast<double>(all), 0);
    };
  return part;
}

}  // namespace tailbound::answers
