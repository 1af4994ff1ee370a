#include <tailbound/core/error.hpp>
#include <tailbound/run/message.hpp>
#include <tailbound/run/processes.hpp>
#include <tailbound/run/threads.hpp>
#include <tests/golden/folder.hpp>
#include <tests/run/steps.hpp>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace tailbound::run {
namespace {

using test::steps_job;

std::unique_ptr<Executor> threads(int n) {
  return std::make_unique<Threads>(n);
}
std::unique_ptr<Executor> processes(int n) {
  return std::make_unique<Processes>(n);
}

/// One after the other, without an executor.
std::vector<Piece> plain(const Job& job) {
  class Never final : public PieceMonitor {
   public:
    Directive at(double) override { return Directive::go_on; }
    void keep(std::string) override {}
  } never;
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < job.pieces; ++i) pieces.push_back(job.work(i, {}, never));
  return pieces;
}

TEST_CASE("executors: the same results in the same order for all workers") {
  const Job job = steps_job(150);
  const std::vector<Piece> expected = plain(job);
  for (const int count : {1, 2, 3, 8}) {
    CHECK(threads(count)->carry_out(job, {}).pieces == expected);
    CHECK(processes(count)->carry_out(job, {}).pieces == expected);
  }
  CHECK(threads(3)->carry_out(steps_job(0), {}).complete());
}

TEST_CASE("executors: short pieces that do not check for requests") {
  Job job{.identity = "squares", .pieces = 2000, .work = {}, .attentive = false};
  job.work = [](std::size_t i, std::string_view, PieceMonitor&) {
    return Piece{std::to_string(i * i), true};
  };
  for (const auto& executor : {threads(4), processes(3)}) {
    const Outcome outcome = executor->carry_out(job, {});
    REQUIRE(outcome.complete());
    for (std::size_t i = 0; i < job.pieces; ++i) REQUIRE(outcome.pieces[i].bytes == std::to_string(i * i));
  }
}

/// Requests a stop at the check with this number.
class Impatient final : public PieceMonitor {
 public:
  Impatient(PieceMonitor& monitor, int max_looks) : look_(monitor), max_looks_(max_looks) {}
  Directive at(double done) override { return --max_looks_ < 0 ? Directive::stop : look_.at(done); }
  void keep(std::string state) override { look_.keep(std::move(state)); }

 private:
  PieceMonitor& look_;
  int max_looks_;
};

TEST_CASE("executors: work interrupted anywhere is resumed by others with the same results") {
  const Job job = steps_job(12, 10'000);
  const std::vector<Piece> expected = plain(job);
  std::mt19937 random(3);
  for (int trial = 0; trial < 4; ++trial) {
    std::vector<Piece> pieces;
    int turns = 0;
    for (bool complete = false; !complete; ++turns) {
      Job cut = job;
      cut.work = [&, max_looks = static_cast<int>(random() % 60)](std::size_t i, std::string_view state,
                                                                  PieceMonitor& monitor) {
        Impatient impatient(monitor, max_looks);
        return job.work(i, state, impatient);
      };
      const int workers = 1 + (trial + turns) % 3;
      Outcome outcome =
          ((trial + turns) % 2 == 0 ? threads(workers) : processes(workers))->carry_out(cut, {}, pieces);
      complete = outcome.complete();
      pieces = std::move(outcome.pieces);
    }
    CHECK(turns > 1);
    CHECK(pieces == expected);
  }
}

TEST_CASE("executors: a stop returns the states of all pieces") {
  for (const auto& executor : {threads(2), processes(2)}) {
    std::stop_source stop;
    Job job{.identity = "until stopped", .pieces = 3, .work = {}};
    job.work = [](std::size_t i, std::string_view, PieceMonitor& monitor) {
      while (monitor.at(0.5) != PieceMonitor::Directive::stop)
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      return Piece{"state of " + std::to_string(i), false};
    };
    Controls controls{.stop = stop.get_token(), .progress = {}, .checkpoint = {}};
    controls.progress_interval = std::chrono::milliseconds(1);
    controls.progress = [&](const Progress& progress) {
      if (progress.done > 0.3) stop.request_stop();  // two have checked
    };
    const Outcome outcome = executor->carry_out(job, controls, {{}, {}, {"as it was", false}});
    CHECK(outcome.pieces == std::vector<Piece>{{"state of 0"}, {"state of 1"}, {"as it was"}});
  }
}

TEST_CASE("executors: intermediate states lead to the same results") {
  const Job job = steps_job(9, 400'000);
  const std::vector<Piece> expected = plain(job);
  for (const auto& executor : {threads(2), processes(2)}) {
    std::vector<std::vector<Piece>> states;
    int reports = 0;
    double last = 0;
    Controls controls{.progress = {}, .checkpoint = {}};
    controls.checkpoint = [&](const std::vector<Piece>& pieces) { states.push_back(pieces); };
    controls.checkpoint_interval = std::chrono::milliseconds(2);
    controls.progress_interval = std::chrono::milliseconds(1);
    controls.progress = [&](const Progress& progress) {
      ++reports;
      CHECK(progress.done >= last);
      last = progress.done;
    };
    CHECK(executor->carry_out(job, controls).pieces == expected);
    CHECK(reports > 0);
    CHECK(last == 1);
    for (std::size_t i = 0; i < states.size(); i += 1 + states.size() / 3)
      CHECK(threads(2)->carry_out(job, {}, states[i]).pieces == expected);
  }
}

TEST_CASE("executors: exceptions of pieces are rethrown, the first one in order") {
  for (const bool attentive : {true, false})
    for (const auto& executor : {threads(2), processes(2)}) {
      Job job = steps_job(20);
      job.attentive = attentive;
      job.work = [work = job.work](std::size_t i, std::string_view state, PieceMonitor& monitor) -> Piece {
        if (i == 7) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        if (i == 7) throw InvalidArgument("load", "2", "below 1");
        if (i == 8 || i == 15) throw LimitExceeded("too much");
        return work(i, state, monitor);
      };
      if (attentive)
        CHECK_THROWS_AS(executor->carry_out(job, {}), Error);
      else
        CHECK_THROWS_AS(executor->carry_out(job, {}), InvalidArgument);
    }
  Controls controls{.progress = [](const Progress&) { throw NoAnswer("enough"); }, .checkpoint = {}};
  controls.progress_interval = std::chrono::milliseconds(1);
  for (const auto& executor : {threads(2), processes(2)})
    CHECK_THROWS_AS(executor->carry_out(steps_job(50, 100'000), controls), NoAnswer);
}

TEST_CASE("executors: a stop abandons pieces that do not check, and keeps finished ones") {
  std::stop_source stop;
  Job job{.identity = "endless", .pieces = 6, .work = {}, .attentive = false};
  job.work = [](std::size_t i, std::string_view, PieceMonitor&) {
    while (i > 2) pause();
    return Piece{"done", true};
  };
  Controls controls{.stop = stop.get_token(), .progress = {}, .checkpoint = {}};
  controls.progress_interval = std::chrono::milliseconds(5);
  controls.progress = [&](const Progress& progress) {
    if (progress.done > 0.49) stop.request_stop();
  };
  const Outcome outcome = Processes(2).carry_out(job, controls);
  for (std::size_t i = 0; i < 6; ++i) CHECK(outcome.pieces[i].finished == (i <= 2));
}

TEST_CASE("executors: a process that is killed ends the job with a message") {
  Job job = steps_job(4);
  job.work = [](std::size_t i, std::string_view, PieceMonitor&) -> Piece {
    if (i == 2) kill(getpid(), SIGKILL);
    return {"done", true};
  };
  CHECK_THROWS_WITH(Processes(2).carry_out(job, {}), "a worker process was ended by signal 9 (SIGKILL)");
}

TEST_CASE("executors: a process that is killed is replaced on request, and the others go on") {
  const golden::Folder folder;
  Job job = steps_job(6);
  // Each piece leaves a file per attempt; the third kills its process in the first two.
  job.work = [&folder](std::size_t i, std::string_view, PieceMonitor&) -> Piece {
    const auto mark = [&](int attempt) {
      return folder / (std::to_string(i) + "." + std::to_string(attempt));
    };
    int attempt = 0;
    while (std::filesystem::exists(mark(attempt))) ++attempt;
    golden::write(mark(attempt), "");
    if (i == 2 && attempt < 2) kill(getpid(), SIGKILL);
    return {"done " + std::to_string(i), true};
  };
  int ends = 0;
  job.begins_again = [&ends](int status) {
    CHECK(WTERMSIG(status) == SIGKILL);
    return ++ends < 3;
  };
  const Outcome outcome = Processes(2).carry_out(job, {});
  CHECK(ends == 2);
  for (std::size_t i = 0; i < 6; ++i) CHECK(outcome.pieces[i] == Piece{"done " + std::to_string(i), true});
}

TEST_CASE("executors: a job within a piece is part of it") {
  Job outer = steps_job(4);
  Processes executor(2);
  outer.work = [&executor](std::size_t i, std::string_view, PieceMonitor&) {
    return executor.carry_out(steps_job(3 + i), {}).pieces.back();
  };
  const Outcome outcome = executor.carry_out(outer, {});
  for (std::size_t i = 0; i < 4; ++i) CHECK(outcome.pieces[i] == plain(steps_job(3 + i)).back());
}

TEST_CASE("executors: messages survive encoding and decoding") {
  Message message{.kind = Message::Kind::kept, .piece = 7, .done = 0.25, .bytes = std::string("a\0b", 3)};
  const Message back = decoded(encoded(message));
  CHECK(back.kind == message.kind);
  CHECK(back.piece == 7);
  CHECK(back.done == 0.25);
  CHECK(back.bytes == message.bytes);
  const auto through = [](const std::exception_ptr& failure) {
    return decoded(encoded({.kind = Message::Kind::failed, .failure = failure})).failure;
  };
  const auto thrown = [&](auto error) { std::rethrow_exception(through(std::make_exception_ptr(error))); };
  CHECK_THROWS_WITH(thrown(InvalidArgument("load", "2", "below 1")), "load is 2; it must be below 1");
  CHECK_THROWS_AS(thrown(InvalidArgument("load", "2", "below 1")), InvalidArgument);
  CHECK_THROWS_WITH(thrown(ParseError("a.toml", 3, 4, "no such key")), "a.toml:3:4: no such key");
  CHECK_THROWS_AS(thrown(ParseError("a.toml", 3, 4, "no such key")), ParseError);
  CHECK_THROWS_AS(thrown(Stopped("stopped")), Stopped);
  CHECK_THROWS_AS(thrown(LimitExceeded("too much")), LimitExceeded);
  CHECK_THROWS_AS(thrown(Unstable("1.2", 1)), NoAnswer);
  CHECK_THROWS_WITH(thrown(std::out_of_range("there")), "there");
  for (std::size_t cut = 0; cut < encoded(message).size(); ++cut)
    CHECK_THROWS_AS(decoded(encoded(message).substr(0, cut)), ParseError);
}

TEST_CASE("executors: numbers of workers out of range") {
  CHECK_THROWS_AS(Threads(0), InvalidArgument);
  CHECK_THROWS_AS(Threads(1025), InvalidArgument);
  CHECK_THROWS_AS(Processes(0), InvalidArgument);
}

}  // namespace
}  // namespace tailbound::run
