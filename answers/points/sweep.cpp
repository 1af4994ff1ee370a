#include <tailbound/answers/points/sweep.hpp>
#include <tailbound/run/bytes.hpp>
#include <tailbound/run/processes.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <new>
#include <stdexcept>
#include <thread>
#include <utility>

namespace tailbound::answers {
namespace {

using Clock = std::chrono::steady_clock;

/// Computation time between writes: short enough that little is lost when a process is killed, but longer
/// than a write to the store.
constexpr double seconds_between_steps = 0.05;
constexpr std::size_t max_claimed = 64;
/// Killed workers are replaced while points are still being finished.
constexpr int max_failures_in_a_row = 3;
/// Limit for an external executor: with more ranks the others would be idle.
constexpr std::size_t max_workers = 1024;

std::vector<std::size_t> missing(const SweepQuery& query) {
  std::vector<std::size_t> places;
  SweepStore store(query.store, query.version, SweepStore::Use::write);
  for (std::size_t i = 0; i < query.keys.size(); ++i)
    if (!store.has(query.keys[i])) places.push_back(i);
  return places;
}

/// Rows that could not be stored, sent to the process that shows them.
std::string unsaved(const std::string& why, const std::vector<SweepRow>& rows) {
  run::ByteWriter to;
  to.put(std::string_view(why));
  to.put<std::uint64_t>(rows.size());
  for (const SweepRow& row : rows) {
    to.put(static_cast<std::uint8_t>(row.status));
    for (const std::string* text : {&row.key, &row.message, &row.answer, &row.json})
      to.put(std::string_view(*text));
  }
  return to.take();
}

struct Unkept {
  std::string why{};
  std::map<std::string, SweepRow> rows{};

  void add(std::string_view bytes) {
    run::ByteReader from(bytes);
    why = from.get_text();
    for (auto left = from.get<std::uint64_t>(); left > 0; --left) {
      SweepRow row;
      row.status = static_cast<SweepStatus>(from.get<std::uint8_t>());
      for (std::string* text : {&row.key, &row.message, &row.answer, &row.json}) *text = from.get_text();
      rows[row.key] = std::move(row);
    }
  }
};

/// Computes points that no other worker has claimed until none is left, or a stop is requested.
run::Piece work(const SweepQuery& query, const std::vector<std::size_t>& places, run::PieceMonitor& monitor) {
  SweepStore store(query.store, query.version, SweepStore::Use::write);
  const RunSweepPoint run_point = query.runner();
  std::vector<std::string> keys;
  for (const std::size_t place : places) keys.push_back(query.keys[place]);
  std::size_t cursor = 0, maximum = 1;
  std::vector<SweepRow> rows;
  std::string full;  ///< why rows are not stored
  const auto keep = [&] {
    std::size_t none = 0;
    try {
      static_cast<void>(store.keep_and_claim(rows, keys, none, 0));
    } catch (const run::StoreFull& error) {
      full = error.what();
      return false;
    }
    rows.clear();
    return true;
  };
  while (true) {
    std::vector<std::size_t> claimed;
    try {
      claimed = store.keep_and_claim(rows, keys, cursor, maximum);
    } catch (const run::StoreFull& error) {
      return {.bytes = unsaved(error.what(), rows), .finished = true};
    }
    rows.clear();
    if (claimed.empty()) return {.bytes = {}, .finished = true};
    Clock::time_point kept = Clock::now();
    for (std::size_t i = 0; i < claimed.size(); ++i) {
      const double done = static_cast<double>(cursor) / static_cast<double>(keys.size());
      if (monitor.at(std::min(done, 1.0)) == run::PieceMonitor::Directive::stop) {
        if (!keep()) return {.bytes = unsaved(full, rows), .finished = true};
        return {};
      }
      rows.push_back(run_point(query.points[places[claimed[i]]]));
      rows.back().key = keys[claimed[i]];
      const double spent = std::chrono::duration<double>(Clock::now() - kept).count();
      if (i + 1 < claimed.size() && spent > seconds_between_steps) {  // more expensive than the previous ones
        if (!keep()) return {.bytes = unsaved(full, rows), .finished = true};
        kept = Clock::now();
        maximum = 1;
      } else if (i + 1 == claimed.size()) {
        maximum = 2 * spent < seconds_between_steps ? std::min(2 * maximum, max_claimed)
                  : spent > seconds_between_steps   ? (maximum + 1) / 2
                                                    : maximum;
      }
    }
  }
}

}  // namespace

SweepAnswer look_up(const SweepQuery& query) {
  SweepAnswer answer;
  SweepStore store(query.store, query.version, SweepStore::Use::write);
  for (const std::string& key : query.keys) {
    std::optional<SweepRow> row = store.find(key);
    if (row) ++answer.found;
    answer.rows.push_back(row ? *std::move(row) : SweepRow{.key = key});
  }
  return answer;
}

SweepAnswer answer(const SweepQuery& query, int workers, const Run& run) {
  std::vector<std::size_t> places = missing(query);
  const std::size_t first = places.size();
  Unkept unkept_rows;
  run::Controls controls{.stop = run.stop};
  const auto carry_out = [&](run::Executor& executor, std::size_t pieces) {
    const double before = static_cast<double>(query.keys.size() - places.size());
    const double now = static_cast<double>(places.size());
    if (run.progress)
      controls.progress = [&run, &query, before, now](const run::Progress& progress) {
        run.progress((before + now * progress.done) / static_cast<double>(query.keys.size()),
                     progress.left.count());
      };
    // Each piece covers all missing points; claims distribute them.
    const run::Job job{.identity = "sweep",
                       .pieces = pieces,
                       .work = [&](std::size_t, std::string_view,
                                   run::PieceMonitor& monitor) { return work(query, places, monitor); },
                       .attentive = false};
    for (const run::Piece& piece : executor.carry_out(job, controls).pieces)
      if (piece.finished && !piece.bytes.empty()) unkept_rows.add(piece.bytes);
  };
  if (run.executor != nullptr) {
    carry_out(*run.executor, max_workers);  // exactly once, as in every participating process
    places.clear();
  }
  run::Processes processes(workers);
  int failures = 0;
  while (!places.empty() && unkept_rows.why.empty() && !run.stop.stop_requested()) {
    std::string failure;
    bool no_memory = false;
    try {
      carry_out(processes, std::min(places.size(), static_cast<std::size_t>(workers)));
    } catch (const Error&) {
      throw;
    } catch (const std::runtime_error& error) {  // a worker was killed: others take over its points
      failure = error.what();
    } catch (const std::bad_alloc& error) {  // of a worker or of this process; others may soon free memory
      failure = error.what();
      no_memory = true;
    }
    if (!unkept_rows.why.empty()) break;
    std::vector<std::size_t> left = missing(query);
    const bool advanced = left.size() < places.size();
    places = std::move(left);
    if (!failure.empty() && (failures = advanced ? 0 : failures + 1) >= max_failures_in_a_row) {
      if (no_memory) throw std::bad_alloc();
      throw Error(failure);
    }
    // Other workers have the remaining points.
    if (failure.empty() && !advanced && !places.empty())
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  SweepAnswer answer = look_up(query);
  answer.found = query.keys.size() - first;
  answer.cannot_be_written = unkept_rows.why;
  for (SweepRow& row : answer.rows)
    if (const auto its = unkept_rows.rows.find(row.key);
        its != unkept_rows.rows.end() && row.status == SweepStatus::missing) {
      row = its->second;
      ++answer.unsaved;
    }
  answer.stopped = answer.count(SweepStatus::missing) > 0 && answer.cannot_be_written.empty();
  if (answer.stopped && run.cut) run.cut();
  return answer;
}

}  // namespace tailbound::answers
