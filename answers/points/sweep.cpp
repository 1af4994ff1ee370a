#include <tailbound/answers/points/sweep.hpp>
#include <tailbound/run/processes.hpp>

#include <algorithm>
#include <chrono>
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

/// Asks points that nobody else asks until there are none, or it is told to stop.
run::Piece work(const SweepQuestion& question, const std::vector<std::size_t>& places, run::Look& look) {
  SweepStore store(question.store, question.version, SweepStore::Use::write);
  const AskSweepPoint ask = question.asker();
  std::vector<std::string> keys;
  for (const std::size_t place : places) keys.push_back(question.keys[place]);
  std::size_t cursor = 0, most = 1;
  std::vector<SweepRow> rows;
  const auto keep = [&] {
    std::size_t none = 0;
    static_cast<void>(store.keep_and_claim(rows, keys, none, 0));
    rows.clear();
  };
  while (true) {
    const std::vector<std::size_t> claimed = store.keep_and_claim(rows, keys, cursor, most);
    rows.clear();
    if (claimed.empty()) return {.bytes = {}, .finished = true};
    Clock::time_point kept = Clock::now();
    for (std::size_t i = 0; i < claimed.size(); ++i) {
      const double done = static_cast<double>(cursor) / static_cast<double>(keys.size());
      if (look.at(std::min(done, 1.0)) == run::Look::Wish::stop) {
        keep();
        return {};
      }
      rows.push_back(ask(question.points[places[claimed[i]]]));
      rows.back().key = keys[claimed[i]];
      const double spent = std::chrono::duration<double>(Clock::now() - kept).count();
      if (i + 1 < claimed.size() && spent > seconds_between_steps) {  // costlier than those before
        keep();
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
    static_cast<void>(executor.carry_out(job, controls));
  };
  if (run.executor != nullptr) {
    carry_out(*run.executor, most_workers);  // once, as everybody who is in it does
    places.clear();
  }
  run::Processes processes(workers);
  int failures = 0;
  while (!places.empty() && !run.stop.stop_requested()) {
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
  answer.stopped = answer.count(SweepStatus::missing) > 0;
  if (answer.stopped && run.cut) run.cut();
  return answer;
}

}  // namespace tailbound::answers
