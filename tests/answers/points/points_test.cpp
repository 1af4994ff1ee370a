#include <catch2/catch.hpp>
#include <tailbound/answers/points/points.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

// Lists of points with a stop: finished points are kept, others are omitted.

namespace tailbound::answers {
namespace {

/// An answer that is not sent between processes.
struct Number {
  static constexpr bool stored = false;
  std::size_t value;

  friend bool operator==(const Number&, const Number&) = default;
};

/// A run whose stop is requested before or during the point of this index.
struct StoppedRun {
  std::stop_source stop;
  int cuts = 0;
  Run run{.stop = stop.get_token(), .cut = [this] { ++cuts; }};
};

TEST_CASE("points: all of them, in order, with progress") {
  std::vector<double> reported;
  const Run run{.progress = [&](double done, double) { reported.push_back(done); }};
  const auto points = for_each_point(4, run, [](std::size_t i) { return Number{10 * i}; });
  CHECK(points.finished == std::vector<Number>{{0}, {10}, {20}, {30}});
  CHECK_FALSE(points.stopped);
  CHECK(std::ranges::is_sorted(reported));
  CHECK_FALSE(reported.empty());
  CHECK(for_each_point(0, run, [](std::size_t i) { return Number{i}; }).finished.empty());
}

TEST_CASE("points: a stop keeps the finished points, and is reported") {
  StoppedRun stopped;
  std::atomic<int> before = 0;
  const auto points = for_each_point(500, stopped.run, [&](std::size_t i) {
    if (i < 2) ++before;
    while (i == 2 && before < 2) std::this_thread::yield();
    if (i == 2) stopped.stop.request_stop();  // and continues to its end
    if (i > 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return Number{i};
  });
  CHECK(points.finished.size() >= 3);
  CHECK(points.finished.size() < 500);
  for (std::size_t i = 0; i < points.finished.size(); ++i) CHECK(points.finished[i] == Number{i});
  CHECK(points.stopped);
  CHECK(stopped.cuts == 1);
}

TEST_CASE("points: an aborted piece is not included") {
  StoppedRun stopped;
  // With several processors the list is one piece, otherwise each point.
  int pieces = 0;
  const bool parallel = run::all_cores() > 1;
  stopped.run.piece = [&](const std::function<void()>& work) {
    if (!parallel && ++pieces == 3) return false;
    work();
    return !parallel;
  };
  std::atomic<int> before = 0;
  const auto points = for_each_point(5, stopped.run, [&](std::size_t i) {
    if (i < 2) ++before;
    if (parallel && i == 2) {
      while (before < 2) std::this_thread::yield();
      stopped.stop.request_stop();
      throw Stopped("stopped on request");
    }
    return Number{i};
  });
  CHECK(points.finished == std::vector<Number>{{0}, {1}});
  CHECK(points.stopped);
  CHECK(stopped.cuts == 1);
}

TEST_CASE("points: a stop before the first leaves none") {
  StoppedRun stopped;
  stopped.stop.request_stop();
  CHECK_THROWS_AS(for_each_point(5, stopped.run, [](std::size_t i) { return Number{i}; }), Stopped);
  CHECK_THROWS_AS(as_piece(stopped.run, [] { return 1; }), Stopped);
  CHECK(stopped.cuts == 0);
}

TEST_CASE("points: exceptions of a point reach the caller") {
  const auto second_fails = [](std::size_t i) {
    if (i == 1) throw NoAnswer("unstable");
    return Number{i};
  };
  CHECK_THROWS_AS(for_each_point(3, Run{}, second_fails), NoAnswer);
  const auto most_fail = [](std::size_t i) {
    if (i == 7) throw NoAnswer("unstable");
    if (i > 7) throw LimitExceeded("too much");
    return Number{i};
  };
  for (int i = 0; i < 20; ++i) CHECK_THROWS_AS(for_each_point(100, Run{}, most_fail), NoAnswer);
}

TEST_CASE("simulated points: the last may be partial, or omitted if too short") {
  const auto simulate = [](StoppedRun& stopped, bool enough) {
    return for_each_simulation(4, stopped.run, [&](std::size_t i, const Run& part) {
      if (i == 1) {
        stopped.stop.request_stop();
        if (!enough) throw Stopped("stopped with 1 of 64 batches done");
        part.cut();
      }
      return i;
    });
  };
  StoppedRun cut, too_little;
  const auto short_last = simulate(cut, true);
  CHECK(short_last.finished == std::vector<std::size_t>{0, 1});
  CHECK(short_last.stopped);
  CHECK(cut.cuts == 1);
  const auto without_last = simulate(too_little, false);
  CHECK(without_last.finished == std::vector<std::size_t>{0});
  CHECK(without_last.stopped);
  CHECK(too_little.cuts == 1);
}

TEST_CASE("rows: a point without an answer keeps its place, with the reason") {
  const auto rows = simulate_rows(3, Run(), [](std::size_t i, const Run&) {
    if (i == 1) throw LoadTooHigh("load 1");
    return i;
  });
  REQUIRE(rows.finished.size() == 3);
  CHECK(rows.finished[2].answer == std::size_t{2});
  CHECK_FALSE(rows.finished[1].answer);
  CHECK(rows.finished[1].refusal.place == 1);
  CHECK(rows.finished[1].refusal.reason == "load 1");
  CHECK(rows.finished[1].refusal.load_too_high);
  const AnsweredLoads<std::size_t> loads = answered_loads(rows);
  CHECK(loads.points == std::vector<std::size_t>{0, 2});
  CHECK(loads.refused.size() == 1);
}

TEST_CASE("rows: the error of a single point, and bad input, end the list") {
  const auto rejected = [](std::size_t, const Run&) -> int { throw NoAnswer("none"); };
  CHECK_THROWS_WITH(simulate_rows(1, Run(), rejected), "none");
  CHECK_THROWS_WITH(answered_loads(simulate_rows(2, Run(), rejected)), "none");
  const auto bad = [](std::size_t i, const Run&) -> int {
    throw InvalidArgument("n", std::to_string(i), "1");
  };
  CHECK_THROWS_AS(simulate_rows(2, Run(), bad), InvalidArgument);
}

TEST_CASE("simulated points: the last one finished in spite of the stop") {
  StoppedRun stopped;
  const auto simulate = [&](std::size_t i, const Run&) {
    if (i == 2) stopped.stop.request_stop();
    return i;
  };
  const auto whole = for_each_simulation(3, stopped.run, simulate);
  CHECK(whole.finished.size() == 3);
  CHECK_FALSE(whole.stopped);
  CHECK(stopped.cuts == 0);
  CHECK_THROWS_AS(for_each_simulation(3, stopped.run,
                                      [](std::size_t, const Run&) -> int {
                                        throw Stopped("stopped with 0 of 64 batches done");
                                      }),
                  Stopped);
}

}  // namespace
}  // namespace tailbound::answers
