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

/// What is kept together costs about so much to find: less than is noticed where a process is killed, more than
/// a step of the store.
constexpr double seconds_between_steps = 0.05;
constexpr std::size_t most_claimed = 64;
/// Workers that are killed are replaced as long as points are finished in between.
constexpr int most_failures_in_a_row = 3;
/// Of an executor that was not made here: of more ranks the rest would have nothing to do.
constexpr std::size_t most_workers = 1024;

std::vector<std::size_t> missing(const SweepQuestion& question) {
  std::vector<std::size_t> places;
  SweepStore store(question.store, question.version, SweepStore::Use::write);
  for (std::size_t i = 0; i < question.keys.size(); ++i)
    if (!store.has(question.keys[i])) places.push_back(i);
  return places;
}

/// Rows that could not be kept, on their way to whoever shows them.
std::string unkept(const std::string& why, const std::vector<SweepRow>& rows) {
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

/// Asks points that nobody else asks until there are none, or it is told to stop.
run::Piece work(const SweepQuestion& question, const std::vector<std::size_t>& places, run::Look& look) {
  SweepStore store(question.store, question.version, SweepStore::Use::write);
  const AskSweepPoint ask = question.asker();
  std::vector<std::string> keys;
  for (const std::size_t place : places) keys.push_back(question.keys[place]);
  std::size_t cursor = 0, most = 1;
  std::vector<SweepRow> rows;
  std::string full;  ///< why rows are not kept
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
      claimed = store.keep_and_claim(rows, keys, cursor, most);
    } catch (const run::StoreFull& error) {
      return {.bytes = unkept(error.what(), rows), .finished = true};
    }
    rows.clear();
    if (claimed.empty()) return {.bytes = {}, .finished = true};
    Clock::time_point kept = Clock::now();
    for (std::size_t i = 0; i < claimed.size(); ++i) {
      const double done = static_cast<double>(cursor) / static_cast<double>(keys.size());
      if (look.at(std::min(done, 1.0)) == run::Look::Wish::stop) {
        if (!keep()) return {.bytes = unkept(full, rows), .finished = true};
        return {};
      }
      rows.push_back(ask(question.points[places[claimed[i]]]));
      rows.back().key = keys[claimed[i]];
      const double spent = std::chrono::duration<double>(Clock::now() - kept).count();
      if (i + 1 < claimed.size() && spent > seconds_between_steps) {  // costlier than those before
        if (!keep()) return {.bytes = unkept(full, rows), .finished = true};
        kept = Clock::now();
        most = 1;
      } else if (i + 1 == claimed.size()) {
        most = 2 * spent < seconds_between_steps ? std::min(2 * most, most_claimed)
               : spent > seconds_between_steps   ? (most + 1) / 2
                                                 : most;
      }
    }
  }
}

}  // namespace

std::size_t SweepAnswer::count(SweepStatus status) const {
  return static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [&](const SweepRow& row) { return row.status == status; }));
}

SweepAnswer look_up(const SweepQuestion& question) {
  SweepAnswer answer;
  SweepStore store(question.store, question.version, SweepStore::Use::write);
  for (const std::string& key : question.keys) {
    std::optional<SweepRow> row = store.find(key);
    if (row) ++answer.found;
    answer.rows.push_back(row ? *std::move(row) : SweepRow{.key = key});
  }
  return answer;
}

SweepAnswer answer(const SweepQuestion& question, int workers, const Run& run) {
  std::vector<std::size_t> places = missing(question);
  const std::size_t first = places.size();
  Unkept unkept_rows;
  run::Controls controls{.stop = run.stop};
  const auto carry_out = [&](run::Executor& executor, std::size_t pieces) {
    const double before = static_cast<double>(question.keys.size() - places.size());
    const double now = static_cast<double>(places.size());
    if (run.progress)
      controls.progress = [&run, &question, before, now](const run::Progress& progress) {
        run.progress((before + now * progress.done) / static_cast<double>(question.keys.size()),
                     progress.left.count());
      };
    // Each piece is all that is missing: claims deal it out.
    const run::Job job{
        .identity = "sweep",
        .pieces = pieces,
        .work = [&](std::size_t, std::string_view, run::Look& look) { return work(question, places, look); },
        .alone = true};
    for (const run::Piece& piece : executor.carry_out(job, controls).pieces)
      if (piece.finished && !piece.bytes.empty()) unkept_rows.add(piece.bytes);
  };
  if (run.executor != nullptr) {
    carry_out(*run.executor, most_workers);  // once, as everybody who is in it does
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
    } catch (const std::runtime_error& error) {  // a worker was killed: others go on where it was
      failure = error.what();
    } catch (
        const std::bad_alloc& error) {  // of a worker or of this process, which others may soon give back
      failure = error.what();
      no_memory = true;
    }
    if (!unkept_rows.why.empty()) break;
    std::vector<std::size_t> left = missing(question);
    const bool advanced = left.size() < places.size();
    places = std::move(left);
    if (!failure.empty() && (failures = advanced ? 0 : failures + 1) >= most_failures_in_a_row) {
      if (no_memory) throw std::bad_alloc();
      throw Error(failure);
    }
    // Others are at what is left.
    if (failure.empty() && !advanced && !places.empty())
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  SweepAnswer answer = look_up(question);
  answer.found = question.keys.size() - first;
  answer.cannot_be_written = unkept_rows.why;
  for (SweepRow& row : answer.rows)
    if (const auto its = unkept_rows.rows.find(row.key);
        its != unkept_rows.rows.end() && row.status == SweepStatus::missing) {
      row = its->second;
      ++answer.unkept;
    }
  answer.stopped = answer.count(SweepStatus::missing) > 0 && answer.cannot_be_written.empty();
  if (answer.stopped && run.cut) run.cut();
  return answer;
}

}  // namespace tailbound::answers
