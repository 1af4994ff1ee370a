#pragma once

#include <tailbound/answers/points/run.hpp>
#include <tailbound/answers/points/sweep_plan.hpp>
#include <tailbound/run/store/point_store.hpp>

#include <functional>
#include <string>
#include <vector>

/// The points of a plan, asked one by one and kept in a store: what is there is not asked again.
///
/// RESULT    the same rows whoever asked them, in whatever order, and however often that was interrupted
/// TESTS     tests/run/point_store_test.cpp, tests/golden/sweep_test.cpp
namespace tailbound::answers {

using SweepStatus = run::PointStatus;
using SweepRow = run::PointRow;
using SweepStore = run::PointStore;

/// Asks a point; what it throws is no row's but ends the sweep, so it says itself what has become of the point.
using AskSweepPoint = std::function<SweepRow(const SweepPoint& point)>;

struct SweepQuestion {
  std::vector<SweepPoint> points;  ///< all different
  std::vector<std::string> keys;   ///< of each, in the store
  std::string store;               ///< a file
  std::string version;             ///< of the program
  /// Makes what asks; called where it will be asked.
  std::function<AskSweepPoint()> asker;
};

struct SweepAnswer {
  std::vector<SweepRow>
      rows;                ///< of each point, in the order of the question; missing where a stop came first
  std::size_t found = 0;   ///< that were in the store before
  std::size_t unkept = 0;  ///< rows that are here and not in the store, as it could not be written
  std::string cannot_be_written{};  ///< why, naming the store
  bool stopped = false;

  [[nodiscard]] std::size_t count(SweepStatus status) const;
};

/// What the store has of these points; nothing is asked.
[[nodiscard]] SweepAnswer look_up(const SweepQuestion& question);

/// Asks what is missing.
/// \param workers  that ask at once, where `run` has no executor: processes of their own
/// \throws as SweepStore;  Error  all workers have been killed again and again
[[nodiscard]] SweepAnswer answer(const SweepQuestion& question, int workers, const Run& run = {});

}  // namespace tailbound::answers
