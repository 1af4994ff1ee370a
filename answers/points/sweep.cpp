#include <tailbound/answers/points/sweep.hpp>
#include <tailbound/run/bytes.hpp>
#include <tailbound/run/processes.hpp>

#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <set>
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
/// Workers that have ended are replaced while points are still being finished.
constexpr int max_ends_in_a_row = 3;
/// Limit for an external executor: with more ranks the others would be idle.
constexpr std::size_t max_workers = 1024;

/// Of other sweeps: pause between looks, and between messages about the same points.
constexpr auto look_again = std::chrono::milliseconds(200);
constexpr auto say_again = std::chrono::minutes(1);

std::vector<std::size_t> missing(const SweepQuery& query) {
  std::vector<std::size_t> places;
  SweepStore store(query.store, query.version, SweepStore::Use::write);
  for (std::size_t i = 0; i < query.keys.size(); ++i)
    if (!store.has(query.keys[i])) places.push_back(i);
  return places;
}

run::Claimant claimant_of(const SweepQuery& query, std::int64_t sweep) {
  run::Claimant claimant = query.claimant();
  claimant.sweep = sweep;
  return claimant;
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

/// What a worker reports of points that it has not computed, although no other worker of its sweep has.
constexpr std::string_view some_are_left = "left";

/// Waits while other sweeps compute points of this one.
class OthersWatch {
 public:
  OthersWatch(const SweepQuery& query, const std::vector<run::PointKey>& keys, SweepStore& store)
      : query_(query), store_(store) {
    for (const run::PointKey& key : keys) keys_.insert(key.text);
  }

  void wait(run::PieceMonitor& monitor) {
    while (monitor.at(1) != run::PieceMonitor::Directive::stop) {
      std::vector<run::Claim> claims = store_.claims();
      std::erase_if(claims, [this](const run::Claim& claim) { return !keys_.contains(claim.key); });
      if (claims.empty()) return;
      tell(claims);
      std::this_thread::sleep_for(look_again);
    }
  }

 private:
  void tell(const std::vector<run::Claim>& claims) {
    const run::Claim& first = claims.front();
    std::string what = "waiting for the point \"" + first.key + "\"";
    if (claims.size() > 1) what += " and " + std::to_string(claims.size() - 1) + " more";
    what += ", claimed by process " + std::to_string(first.who.process) + " on host " + first.who.host +
            " since " + utc_in_words(first.since);
    if (!query_.waiting || (what == told_ && Clock::now() - at_ < say_again)) return;
    query_.waiting(what);
    told_ = std::move(what);
    at_ = Clock::now();
  }

  const SweepQuery& query_;
  SweepStore& store_;
  std::set<std::string, std::less<>> keys_;
  std::string told_;
  Clock::time_point at_{};
};

/// Computes points that no other worker has claimed until none is left, or a stop is requested. The first
/// piece then waits for other sweeps.
/// \param state  the number of the sweep
run::Piece work(const SweepQuery& query, const std::vector<std::size_t>& places, std::size_t piece,
                std::string_view state, run::PieceMonitor& monitor) {
  const run::Claimant claimant = claimant_of(query, run::ByteReader(state).get<std::int64_t>());
  SweepStore store(query.store, query.version, SweepStore::Use::write, claimant);
  const run::Lease lease(query.store, query.version, claimant, query.lease, piece == 0);
  const RunSweepPoint run_point = query.runner();
  std::vector<run::PointKey> keys;
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
    if (claimed.empty()) {
      if (piece > 0) return {.bytes = {}, .finished = true};
      OthersWatch(query, keys, store).wait(monitor);
      const bool all =
          std::all_of(keys.begin(), keys.end(), [&store](const auto& key) { return store.has(key); });
      return {.bytes = std::string(all ? std::string_view() : some_are_left), .finished = true};
    }
    Clock::time_point kept = Clock::now();
    for (std::size_t i = 0; i < claimed.size(); ++i) {
      const double done = static_cast<double>(cursor) / static_cast<double>(keys.size());
      if (monitor.at(std::min(done, 1.0)) == run::PieceMonitor::Directive::stop) {
        if (!keep()) return {.bytes = unsaved(full, rows), .finished = true};
        store.give_up_own();
        return {.bytes = std::string(state), .finished = false};
      }
      rows.push_back(run_point(query.points[places[claimed[i]]]));
      rows.back().key = keys[claimed[i]].text;
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

/// Frees the claims of workers that have been ended; otherwise they expire. Returns why the store cannot be
/// written.
std::string give_up(const SweepQuery& query, std::int64_t sweep) {
  try {
    SweepStore(query.store, query.version, SweepStore::Use::write, claimant_of(query, sweep)).give_up_own();
  } catch (const run::StoreFull& error) {
    return error.what();
  } catch (const std::exception&) {  // the first error is reported
  }
  return {};
}

/// A random number, by which claims are known to be of this sweep.
std::int64_t new_number() {
  std::random_device random;
  return static_cast<std::int64_t>((std::uint64_t{random()} << 31U) ^ random());
}

}  // namespace

SweepAnswer look_up(const SweepQuery& query) {
  SweepAnswer answer;
  SweepStore store(query.store, query.version, SweepStore::Use::write);
  for (const run::PointKey& key : query.keys) {
    std::optional<SweepRow> row = store.find(key.text);
    if (row) ++answer.found;
    answer.rows.push_back(row ? *std::move(row) : SweepRow{.key = key.text});
  }
  return answer;
}

SweepAnswer answer(const SweepQuery& query, int workers, const Run& run) {
  std::vector<std::size_t> places = missing(query);
  const std::size_t first = places.size();
  Unkept unkept_rows;
  run::Controls controls{.stop = run.stop};
  int ends = 0;  ///< of workers, one after the other without a point between them
  std::size_t left = first;
  const auto begins_again = [&](int status) {
    if (WIFEXITED(status) && WEXITSTATUS(status) == ended_after_point) {
      ends = 0;
      return true;
    }
    const std::size_t now = missing(query).size();
    ends = now < left ? 1 : ends + 1;
    left = now;
    return ends < max_ends_in_a_row;
  };
  /// Are points left that others did not finish?
  const auto carry_out = [&](run::Executor& executor, std::size_t pieces) {
    const double before = static_cast<double>(query.keys.size() - places.size());
    const double now = static_cast<double>(places.size());
    if (run.progress)
      controls.progress = [&run, &query, before, now](const run::Progress& progress) {
        run.progress((before + now * progress.done) / static_cast<double>(query.keys.size()),
                     progress.left.count());
      };
    // Each piece covers all missing points; claims distribute them.
    const run::Job job{
        .identity = "sweep",
        .pieces = pieces,
        .work = [&](std::size_t piece, std::string_view state,
                    run::PieceMonitor& monitor) { return work(query, places, piece, state, monitor); },
        .attentive = false,
        .begins_again = begins_again};
    const std::int64_t number = new_number();
    run::ByteWriter state;
    state.put(number);
    const run::Piece begun{.bytes = state.take(), .finished = false};
    bool again = false;
    try {
      for (const run::Piece& piece :
           executor.carry_out(job, controls, std::vector<run::Piece>(pieces, begun)).pieces) {
        if (!piece.finished || piece.bytes.empty()) continue;
        if (piece.bytes == some_are_left)
          again = true;
        else
          unkept_rows.add(piece.bytes);
      }
    } catch (...) {
      unkept_rows.why = give_up(query, number);
      if (unkept_rows.why.empty()) throw;
    }
    // Of workers that a stop has abandoned.
    if (run.stop.stop_requested() && &executor != run.executor) static_cast<void>(give_up(query, number));
    return again && unkept_rows.why.empty() && !run.stop.stop_requested();
  };
  if (run.executor != nullptr) {  // as often in every participating process
    while (carry_out(*run.executor, max_workers)) {
    }
    places.clear();
  }
  run::Processes processes(workers);
  while (!places.empty() && unkept_rows.why.empty() && !run.stop.stop_requested()) {
    try {
      static_cast<void>(carry_out(processes, std::min(places.size(), static_cast<std::size_t>(workers))));
    } catch (const Error&) {
      throw;
    } catch (const std::runtime_error& error) {
      throw Error(error.what());
    }
    if (unkept_rows.why.empty()) left = (places = missing(query)).size();
  }
  SweepAnswer answer = look_up(query);
  answer.found = query.keys.size() - first;
  answer.cannot_be_written = unkept_rows.why;
  for (SweepRow& row : answer.rows)
    if (const auto its = unkept_rows.rows.find(row.key);
        its != unkept_rows.rows.end() && row.status == SweepStatus::missing) {
      row = its->second;
      if (row.message.empty()) row.message = "not stored: " + unkept_rows.why;
      ++answer.unsaved;
    }
  answer.stopped = answer.cannot_be_written.empty() && !missing(query).empty();
  if (answer.stopped && run.cut) run.cut();
  return answer;
}

}  // namespace tailbound::answers
