#include <tailbound/core/error.hpp>
#include <tailbound/run/processes.hpp>
#include <tailbound/run/store/parts.hpp>
#include <tailbound/run/threads.hpp>
#include <tests/run/steps.hpp>

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

namespace tailbound::run {
namespace {

using test::steps_job;

/// Two simulations, the first one requested twice, and two lists of points, as in one query.
std::vector<Job> query() {
  Job other = steps_job(5);
  other.identity = "other steps";
  other.work = [work = other.work](std::size_t i, std::string_view state, PieceMonitor& monitor) {
    return work(i + 20, state, monitor);
  };
  std::vector<Job> jobs{steps_job(4), other, steps_job(4)};
  for (const std::size_t shift : {std::size_t{0}, std::size_t{100}}) {
    Job list{.identity = "a list", .pieces = 3, .work = {}, .attentive = false, .identified = false};
    list.work = [shift](std::size_t i, std::string_view, PieceMonitor&) {
      return Piece{"point " + std::to_string(i + shift), true};
    };
    jobs.push_back(list);
  }
  return jobs;
}

std::vector<std::vector<Piece>> execute(Executor& executor) {
  std::vector<std::vector<Piece>> answers;
  for (const Job& job : query()) try {
      answers.push_back(executor.carry_out(job, {.progress = {}, .checkpoint = {}, .threads = 2}).pieces);
    } catch (const MissingPart&) {
    }
  return answers;
}

Part part_of(PartNumber number, Executor* workers = nullptr) {
  PartOfRun part(number, workers);
  CHECK(execute(part).empty());
  CHECK_FALSE(part.cut());
  return {.version = "1.0",
          .query = {"simulate", "--seed=1"},
          .files = {{"net.toml", 3, 77, "abc"}},
          .number = number,
          .complete = true,
          .jobs = part.jobs()};
}

std::vector<NamedPart> parts_of(int of) {
  std::vector<NamedPart> parts;
  for (int i = of; i >= 1; --i) parts.push_back({std::to_string(i) + ".json", part_of({i, of})});
  return parts;
}

TEST_CASE("parts: merged parts equal the whole run, for any number of parts") {
  Threads threads(2);
  const auto whole = execute(threads);
  for (const int of : {1, 3, 7, 25}) {
    const std::vector<NamedPart> parts = parts_of(of);
    CHECK_NOTHROW(require_whole(parts, "1.0"));
    Recorded recorded(parts);
    CHECK(execute(recorded) == whole);
    std::size_t pieces = 0;
    for (const NamedPart& part : parts) {
      std::size_t own = 0;
      for (const JobResults& job : part.part.jobs) own += job.results.size();
      CHECK(own <= 15 / static_cast<std::size_t>(of) + 1);  // distributed evenly over all jobs
      pieces += own;
    }
    CHECK(pieces == 4 + 5 + 3 + 3);  // each once; the simulation requested twice as well
  }
  Processes processes(2);
  CHECK(part_of({2, 3}, &processes).jobs[0].results == part_of({2, 3}).jobs[0].results);
}

TEST_CASE("parts: files round-trip, and any damage is detected") {
  Part part = part_of({2, 3});
  part.files.push_back({"big.csv", std::uint64_t{1} << 40U, ~std::uint64_t{0}, {}});
  for (int length = 0; length < 9; ++length)
    part.jobs[0].results[static_cast<std::size_t>(length)] =
        std::string(static_cast<std::size_t>(length), '\xfe');
  const std::string text = to_text(part);
  CHECK(read_part(text, "a.json") == part);
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string damaged = text;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    try {
      if (!(read_part(damaged, "a.json") == part)) FAIL("damage at " << at << " is not seen");
    } catch (const ParseError&) {
    }
  }
  for (std::size_t length = 0; length + 1 < text.size(); length += 17)
    CHECK_THROWS_AS(read_part(text.substr(0, length), "a.json"), ParseError);
  CHECK_THROWS_WITH(read_part("[]", "a.json"), "a.json: not a part file written by --part");
}

TEST_CASE("parts: parts of different queries are rejected and named") {
  const auto rejection = [](std::vector<NamedPart> parts, const std::string& version = "1.0") {
    try {
      require_whole(parts, version);
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string("taken");
  };
  const std::vector<NamedPart> good = parts_of(7);  // from the last to the first
  const auto with = [&](const auto& change) {
    std::vector<NamedPart> parts = good;
    change(parts);
    return rejection(parts);
  };
  CHECK(rejection(good) == "taken");
  CHECK(rejection(good, "2.0") == "7.json is of tailbound version 1.0; it must be of this version, 2.0");
  CHECK(with([](auto& parts) { parts[3].part.query[1] = "--seed=2"; }) ==
        "4.json is of another query (--seed=2, where 7.json has --seed=1); it must be of the same query");
  CHECK(with([](auto& parts) { parts[3].part.query.push_back("--reorder"); }) ==
        "4.json is of another query (--reorder, where 7.json has nothing); it must be of the same query");
  CHECK(with([](auto& parts) { parts[3].part.files[0].checksum = 78; }) ==
        "4.json is of a different net.toml than 7.json; it must be of the same file");
  CHECK(with([](auto& parts) {
          parts[3].part.number = {3, 8};
        }) == "4.json is part 3/8; it must be part of the same division as 7.json, part 7/7");
  CHECK(with([](auto& parts) { parts[3].part.complete = false; }) ==
        "4.json is incomplete because its run was stopped; it must be complete: run part 4/7 again");
  CHECK(with([](auto& parts) { parts.erase(parts.begin() + 4, parts.end() - 1); }) ==
        "the computation is given by 5 of its 7 parts; it must be given by all; missing: 2, 3");
  CHECK(with([](auto& parts) { parts.erase(parts.begin() + 1, parts.end() - 2); }) ==
        "the computation is given by 3 of its 7 parts; it must be given by all; missing: 3 .. 6");
  CHECK(with([](auto& parts) { parts.push_back({"twin.json", parts[2].part}); }) == "taken");
  CHECK(with([](auto& parts) { parts[1] = parts[2]; }).find("repeats part") != std::string::npos);
  CHECK(with([](auto& parts) {
          parts.push_back({"twin.json", parts.back().part});
          parts.back().part.jobs[0].results.begin()->second += 'x';
        }) == "twin.json is part 1/7 with other results than 1.json; it must be given once");
  CHECK(rejection({}) == "the list of parts is empty; it must be the files of all parts");
}

TEST_CASE("parts: lost pieces and pieces of other jobs are detected") {
  std::vector<NamedPart> lost = parts_of(3);
  lost[1].part.jobs[1].results.erase(lost[1].part.jobs[1].results.begin());
  Recorded recorded(lost);
  CHECK_THROWS_AS(execute(recorded), InvalidArgument);
  std::vector<NamedPart> other = parts_of(3);
  for (NamedPart& part : other) part.part.jobs[1].identity = "steps of another seed";
  Recorded foreign(other);
  CHECK_THROWS_AS(execute(foreign), InvalidArgument);
}

TEST_CASE("parts: a stopped part reports its state and resumes from it") {
  const Job job = steps_job(6, 10'000);
  Threads one(1);
  const std::vector<Piece> whole = one.carry_out(job, {}).pieces;
  std::stop_source stop;
  stop.request_stop();
  std::vector<Piece> kept;
  Controls controls{.stop = stop.get_token(), .progress = {}, .checkpoint = {}};
  controls.checkpoint = [&](const std::vector<Piece>& pieces) { kept = pieces; };
  PartOfRun cut({2, 3});
  std::vector<Piece> begun(6);
  begun[0] = whole[0];  // done by another worker
  CHECK_THROWS_AS(cut.carry_out(job, controls, begun), MissingPart);
  CHECK(cut.cut());
  CHECK(cut.jobs()[0].results.empty());
  REQUIRE(kept.size() == 6);
  CHECK(kept[0] == whole[0]);
  PartOfRun again({2, 3});
  CHECK_THROWS_AS(again.carry_out(job, {}, kept), MissingPart);
  CHECK_FALSE(again.cut());
  CHECK(again.jobs()[0].results ==
        std::map<std::size_t, std::string>{{1, whole[1].bytes}, {4, whole[4].bytes}});
}

TEST_CASE("parts: numbers out of range") {
  for (const PartNumber bad : {PartNumber{0, 3}, PartNumber{4, 3}, PartNumber{1, 0}, PartNumber{1, 100'001}})
    CHECK_THROWS_AS(PartOfRun(bad), InvalidArgument);
}

}  // namespace
}  // namespace tailbound::run
