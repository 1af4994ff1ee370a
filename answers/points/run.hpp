#pragma once

#include <tailbound/run/executor.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <utility>

/// How a query is executed. Nothing here changes an answer, except that a stop truncates it, which the answer
/// then reports.
namespace tailbound::sim {
struct FinishedReplications;
}

namespace tailbound::answers {

struct Run {
  int threads = 1;         ///< of simulations, unless there is an executor
  std::stop_token stop{};  ///< a request ends the run at the next opportunity
  /// Called from time to time with the fraction done, 0 to 1, and the seconds left (0 while unknown), on the
  /// calling thread or that of its piece.
  std::function<void(double done, double seconds_left)> progress{};
  std::function<void(const std::string& bytes)> checkpoint{};  ///< of simulations: bytes to resume from
  std::chrono::milliseconds checkpoint_interval{60'000};       ///< and once more when the run is stopped
  std::string resume{};  ///< bytes of a checkpoint of the same query, or empty
  /// Called at the start of a simulation with a description of it; throws if its checkpoints must not be
  /// written.
  std::function<void(const std::string& simulation)> checkpoint_of{};
  /// Executes a piece of work that does not check `stop`; false if it was aborted because of a stop. It then
  /// writes no more to anything visible to the caller. Empty: pieces are called directly.
  /// CONTRACT  one piece at a time, perhaps on another thread, for which the caller waits; exceptions of a
  /// piece
  ///           reach the caller; a nested piece is part of the outer one (answers/points/points.hpp makes
  ///           pieces).
  std::function<bool(const std::function<void()>& work)> piece{};
  std::function<void()> cut{};  ///< called when a stop has truncated the answer
  /// Executes the replications of simulations and the points of lists, with the same results; null: threads.
  /// Outlives the run.
  run::Executor* executor = nullptr;
  /// For a simulation extended by further replications: those of the previous run, and afterwards those of
  /// this one.
  sim::FinishedReplications* finished = nullptr;
};

/// The run of one of several parts of a query, with its progress as part of the total.
/// \param run  outlives the result
[[nodiscard]] inline Run part_of(const Run& run, std::size_t done, std::size_t all) {
  Run part = run;
  if (run.progress && all > 1)
    part.progress = [&run, done, all](double fraction, double) {
      run.progress((static_cast<double>(done) + fraction) / static_cast<double>(all), 0);
    };
  return part;
}

/// The run of one of several points that are computed at the same time.
[[nodiscard]] inline Run run_of_point(const Run& run) {
  Run part = run;
  part.progress = {};
  part.piece = {};
  part.cut = {};
  return part;
}

}  // namespace tailbound::answers
