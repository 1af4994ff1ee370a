#include <catch2/catch.hpp>
#include <cli/process/limits.hpp>
#include <nlohmann/json.hpp>
#include <tailbound/core/error.hpp>
#include <tests/golden/child.hpp>
#include <tests/golden/folder.hpp>
#include <tests/golden/run_command.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>
#include <string>

// --time-limit and --memory-limit: an error that names the limit, with the finished part, and nothing left
// behind.

namespace {

using nlohmann::json;
using tailbound::cli::Limits;
using tailbound::cli::LimitWatch;
using tailbound::cli::read_limits;
using tailbound::golden::Child;
using tailbound::golden::content;
using tailbound::golden::Folder;
using tailbound::golden::long_analysis;
using tailbound::golden::long_simulation;
using tailbound::golden::run_line;

struct Ended {
  int status = 0;
  std::string err, answer;
  bool alone = true;  ///< only the answer is in the folder
};

/// In a separate process, writing "answer" in a folder.
Ended ended(const std::string& line) {
  const Folder folder, expected;
  Child child(Child::words_of(line + " --output " + (folder / "answer")),
              {.out = {}, .err = expected / "err"});
  Ended result;
  result.status = child.wait();
  result.err = content(expected / "err");
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    result.alone = result.alone && entry.path().filename() == "answer";
    if (entry.path().filename() == "answer") result.answer = content(entry.path().string());
  }
  return result;
}

}  // namespace

TEST_CASE("limits: as typed") {
  const Limits usual{.time = std::chrono::seconds(60), .bytes = 4'000'000'000};
  const auto bytes = [&](const char* text) { return read_limits({}, text, usual).bytes; };
  CHECK(bytes("500") == 500'000'000U);
  CHECK(bytes("500MB") == 500'000'000U);
  CHECK(bytes("1.5GB") == 1'500'000'000U);
  CHECK(bytes("1 GiB") == std::uint64_t{1} << 30U);
  CHECK(bytes("none") == std::nullopt);
  CHECK(read_limits({}, {}, usual).bytes == usual.bytes);
  CHECK(read_limits("1/2", {}, usual).time == std::chrono::milliseconds(500));
  CHECK(read_limits("none", {}, usual).time == std::nullopt);
  for (const char* text : {"", "15MB", "5 kB", "GB", "-1", "1e30", "MB5"})
    CHECK_THROWS_AS(read_limits({}, text, usual), tailbound::InvalidArgument);
  for (const char* text : {"", "0", "-1", "1e-9", "1e10", "1 s"})
    CHECK_THROWS_AS(read_limits(text, {}, usual), tailbound::InvalidArgument);
  // The legal range is that of a limit, not of any number.
  for (const char* text : {"abc", "1/0", "1e999999999", "0"}) {
    CHECK_THROWS_WITH(read_limits(text, {}, usual), Catch::Contains("from 0.001 to 1e9 seconds, or none"));
    CHECK_THROWS_WITH(read_limits({}, text, usual), Catch::Contains("megabytes from 16 on"));
  }
}

TEST_CASE("limits: the message names the limit and the remedy") {
  const LimitWatch watch({.time = std::chrono::nanoseconds(1), .bytes = {}, .requested = "tailbound buffer"});
  while (watch.look() == LimitWatch::Limit::none) {
  }
  CHECK(watch.look() == LimitWatch::Limit::time);
  CHECK_FALSE(watch.far_beyond());
  const LimitWatch both({.time = std::chrono::milliseconds(2500), .bytes = 500'000'000});
  CHECK(both.look() == LimitWatch::Limit::none);
  CHECK(both.rejection(LimitWatch::Limit::time) == "no answer within the time limit of 2.5 s (--time-limit)");
  CHECK(both.rejection(LimitWatch::Limit::memory, "with 1 of 9 points") ==
        "no answer within the memory limit of 500 MB (--memory-limit); with 1 of 9 points");
  CHECK_FALSE(LimitWatch({}).any());
}

TEST_CASE("limits: an analysis that does not check for stops is ended, with nothing left behind") {
  const Ended run = ended(long_analysis + " --time-limit 0.3");
  CHECK(run.status == 1);
  // And what is known anyway, unless that takes long too.
  INFO(run.err);
  CHECK(std::regex_match(
      run.err, std::regex("tailbound buffer: no answer within the time limit of 0.3 s \\(--time-limit\\)(; a "
                          "buffer of [0-9]+ packets suffices \\(proved\\))?\n")));
  CHECK(run.alone);
  CHECK(run.answer.empty());
}

TEST_CASE("limits: they are the reported reason if no bound can be proved either") {
  const Ended run = ended("buffer --inputs 16 --load 0.9999 --burst 1e40 --drop 1e-3 --time-limit 0.3");
  CHECK(run.status == 1);
  CHECK(run.err == "tailbound buffer: no answer within the time limit of 0.3 s (--time-limit)\n");
}

TEST_CASE("limits: a list shows what is finished, and why it is incomplete") {
  const Ended run =
      ended("buffer --inputs 4,32 --load 0.6 --burst 1000 --drop 1e-3 --format json --time-limit 4");
  CHECK(run.status == 1);
  CHECK(run.alone);
  if (run.answer.empty()) return;  // a slow machine
  const json answer = json::parse(run.answer);
  CHECK(answer["stopped"] == true);
  if (answer["results"][0].value("status", "") == "missing") return;
  CHECK(answer["stopped_after"] == "1 of 2 points, at the time limit of 4 s");
  CHECK(run.err == "tailbound buffer: the time limit of 4 s is reached; what is finished is shown\n");
}

TEST_CASE("limits: a simulation shows its result so far, and how to continue") {
  const Folder states;
  const Ended run =
      ended(long_simulation + " --format json --time-limit 1.5 --checkpoint " + (states / "state"));
  CHECK(run.status == 1);
  CHECK(run.alone);
  CHECK(run.err.find("the time limit of 1.5 s") != std::string::npos);
  CHECK(run.err.find("Go on with:") != std::string::npos);
  if (!run.answer.empty()) CHECK(json::parse(run.answer)["stopped"] == true);
}

TEST_CASE("limits: memory, with and without pieces that can be aborted") {
  for (const char* line :
       {"buffer --inputs 4 --load 0.5 --burst 80000 --drop 1e-9",
        "simulate hypercube --dimensions 16 --virtual-channels 64 --flits 16 --broadcast 0.01 --rates 1e-6 "
        "--cycles 1e9"}) {
    const Ended run = ended(std::string(line) + " --memory-limit 60MB");
    CHECK(run.status == 1);
    INFO(run.err);
    CHECK(run.err.find("no answer within the memory limit of 60 MB") != std::string::npos);
    CHECK(run.err.find("(--memory-limit)") != std::string::npos);
    CHECK(run.alone);
    CHECK(run.answer.empty());
  }
}

TEST_CASE("limits: in a sweep they apply to each point, and the other points are answered") {
  const Folder folder;
  std::ofstream(folder / "plan.toml")
      << "[[query]]\ncommand = \"buffer\"\ninputs = [32, 4]\nload = 0.6\nburst = 1000\ndrop = 1e-3\n";
  const Ended run = ended("sweep " + (folder / "plan.toml") + " --store " + (folder / "points.db") +
                          " --jobs 2 --format json --time-limit 3");
  CHECK(run.status == 1);
  CHECK(run.alone);
  const json answer = json::parse(run.answer);
  REQUIRE(answer["results"].size() == 2);
  CHECK(answer["results"][0]["status"] == "no answer");
  CHECK(run.answer.find("no answer within the time limit of 3 s") != std::string::npos);
  if (answer["results"][1]["status"] != "answered")  // a slow machine
    CHECK(answer["results"][1]["status"] == "no answer");
}

TEST_CASE("limits: answers within them are unchanged") {
  const std::string line = "buffer --inputs 16 --load 0.9 --drop 1e-15 ";
  const auto plain = run_line(line), limited = run_line(line + "--time-limit 1000 --memory-limit 2GB");
  CHECK(limited.status == 0);
  CHECK(limited.out == plain.out);
}

TEST_CASE("limits: fast answers are not delayed") {
  // Each of these took minutes or gigabytes.
  CHECK(run_line("buffer --inputs 16 --load 15.9 --packets-per-slot 16 --drop 1e-15 --quiet").out == "16\n");
  CHECK(run_line("buffer --inputs 4 --load 0.5 --burst 100000 --destination per-packet --drop 1e-9 --quiet")
            .out == "1745\n");
  CHECK(run_line("pgf --inputs 3000 --load 0.5 --quiet").out ==
        "Q(z) = 1/2*(z - 1)*(5999/6000 + 1/6000*z)^3000/(z - (5999/6000 + 1/6000*z)^3000)\n");
  const auto endless = run_line("simulate tree --radix 4 --levels 1 --load 0.5 --resume /dev/zero");
  CHECK(endless.status == 2);
  CHECK(endless.err.find("64 MiB") != std::string::npos);
}
