#pragma once

#include <tailbound/answers/points/run.hpp>
#include <tailbound/answers/points/sweep_plan.hpp>
#include <tailbound/run/store/lease.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

/// The points of a plan, computed one by one and kept in a store. Points in the store are not computed again.
///
/// RESULT    the same rows regardless of worker, order and interruptions
/// TESTS     tests/run/point_store_test.cpp, tests/golden/sweep_test.cpp
namespace tailbound::answers {

using SweepStatus = run::PointStatus;
using SweepRow = run::PointRow;
using SweepStore = run::PointStore;

/// Computes a point. An exception ends the sweep instead of becoming a row, so the function itself must
/// record failures.
using RunSweepPoint = std::function<SweepRow(const SweepPoint& point)>;

/// Exit status of a worker process that has stored a row for its point, and had to end in the middle of it.
inline constexpr int ended_after_point = 10;

struct SweepQuery {
  std::vector<SweepPoint> points;   ///< all different
  std::vector<run::PointKey> keys;  ///< the key of each point in the store, with its limits
  std::string store;                ///< file name
  std::string version;              ///< of the program
  /// Creates the function that computes points; called in the process that uses it.
  std::function<RunSweepPoint()> runner;
  /// Called when points in progress elsewhere are waited for, again when these change, and each minute;
  /// perhaps in a worker process.
  std::function<void(const std::string& what)> waiting{};
  run::LeaseTimes lease{};
  /// Who claims points; called in each worker process.
  std::function<run::Claimant()> claimant = [] { return run::Claimant{}; };
};

struct SweepAnswer {
  std::vector<SweepRow> rows;       ///< one per point, in the order of the query; missing after a stop
  std::size_t found = 0;            ///< number of rows already in the store
  std::size_t unsaved = 0;          ///< number of rows that could not be written to the store
  std::string cannot_be_written{};  ///< the reason, with the name of the store
  bool stopped = false;

  [[nodiscard]] std::size_t count(SweepStatus status) const {
    return static_cast<std::size_t>(
        std::count_if(rows.begin(), rows.end(), [&](const SweepRow& row) { return row.status == status; }));
  }
};

/// The rows in the store; nothing is computed.
[[nodiscard]] SweepAnswer look_up(const SweepQuery& query);

/// Computes the missing points.
/// \param workers  number of concurrent worker processes, if `run` has no executor
/// \throws as SweepStore;  Error, std::bad_alloc  workers have ended repeatedly, and why
[[nodiscard]] SweepAnswer answer(const SweepQuery& query, int workers, const Run& run = {});

}  // namespace tailbound::answers
