#include <catch2/catch.hpp>
#include <tests/golden/child.hpp>
#include <tests/golden/folder.hpp>
#include <tests/golden/run_command.hpp>

#include <chrono>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

// Queries whose parts are computed separately: merged, they equal the whole byte for byte.

namespace {

using tailbound::golden::Child;
using tailbound::golden::content;
using tailbound::golden::Folder;
using tailbound::golden::Outcome;
using tailbound::golden::run_line;

const std::string tree = "simulate tree --radix 4 --levels 2 --load 0.8 --slots 3000";
const std::string worm =
    "simulate wormhole --topology mesh --nodes 16 --flits 8 --fractions 20%,50% --cycles 4000";
const std::string multistage = "simulate multistage --nodes 16 --hot 0.08 --loads 0.3,0.5 --slots 4000";
const std::string rare = "simulate tree --radix 4 --levels 2 --load 0.5 --rare 1e-6,20 --slots 20000";
const std::string list = "buffer --inputs 4,16 --load 0.5:0.8:0.1 --drop 1e-9";
const std::string validated = "validate buffer --inputs 4 --load 0.5,0.8 --levels 0:10:5 --slots 2000";
const std::string search =
    "simulate wormhole --topology mesh --nodes 16 --flits 1,2 --saturation --precision 50% --replications 2";

/// The part files of a query in a folder; the words that name them.
std::string part_files(const Folder& folder, const std::string& query, int parts,
                       const std::string& more = {}) {
  std::string names;
  for (int i = 1; i <= parts; ++i) {
    const std::string file = folder / ("part" + std::to_string(i) + ".json");
    const Outcome part = run_line(query + " --part " + std::to_string(i) + "/" + std::to_string(parts) +
                                  " --output " + file + more);
    INFO(part.err);
    REQUIRE(part.status == 0);
    CHECK(part.out.empty());
    names += " " + file;
  }
  return names;
}

Outcome merged(const std::string& query, int parts, const std::string& format) {
  const Folder folder;
  return run_line("merge" + part_files(folder, query, parts) + format);
}

/// Without the line with run time and workers.
std::string without_course(const std::string& text) {
  return std::regex_replace(text, std::regex("[^\n]*took[^\n]*\n"), "");
}

}  // namespace

TEST_CASE("parts: merged, they give the bytes of the complete answer") {
  for (const std::string& query : {tree, worm, multistage, rare, list, validated}) {
    INFO(query);
    const std::string json = " --format json";
    const Outcome whole = run_line(query + json);
    REQUIRE((whole.status == 0 || whole.status == 1));
    for (const int parts : {1, 3, 7}) {
      const Outcome together = merged(query, parts, json);
      INFO(together.err);
      CHECK(together.status == whole.status);
      CHECK(together.out == whole.out);
    }
  }
}

TEST_CASE("parts: in every format") {
  for (const std::string& query : {tree, list}) {
    const Folder folder;
    const std::string files = part_files(folder, query, 2);
    for (const std::string& format : {std::string(), std::string(" --format csv"),
                                      std::string(" --format markdown"), std::string(" --quiet")})
      CHECK(without_course(run_line("merge" + files + format).out) ==
            without_course(run_line(query + format).out));
    const std::string out = folder / "answer.csv";
    CHECK(run_line("merge" + files + " --format csv --output " + out).status == 0);
    CHECK(content(out) == run_line(query + " --format csv").out);
  }
}

TEST_CASE("parts: each simulation is the same for any number of threads") {
  for (const std::string& query : {tree, worm, multistage, rare}) {
    const std::string one = run_line(query + " --format json --threads 1").out;
    REQUIRE(one.size() > 100);
    for (const int threads : {2, 3, 8})
      CHECK(run_line(query + " --format json --threads " + std::to_string(threads)).out == one);
  }
}

TEST_CASE("parts: searches for saturation are split by whole searches") {
  const Outcome whole = run_line(search + " --format json");
  REQUIRE(whole.status == 0);
  CHECK(merged(search, 3, " --format json").out == whole.out);
  const Outcome rejected = run_line(
      "simulate wormhole --topology mesh --nodes 16 --flits 4 --fractions 50% --of simulated --part 1/2");
  CHECK(rejected.status == 2);
  CHECK(rejected.err.find("--of is simulated; it must be model, or loads instead of fractions, for a run in "
                          "parts") != std::string::npos);
}

TEST_CASE("parts: the files of a query are included") {
  const Folder folder;
  const std::string network = folder / "net.toml";
  const auto write = [&](const std::string& text) { std::ofstream(network) << text; };
  const std::string text =
      "hosts = [\"a\", \"b\"]\nswitches = [\"s\"]\n[[link]]\nfrom = \"a\"\nto = \"s\"\n[[link]]\nfrom = "
      "\"s\"\n"
      "to = \"b\"\n[[flow]]\nfrom = \"a\"\nto = \"b\"\nrate = 0.5\n";
  write(text);
  const std::string query = "simulate tree --network " + network + " --slots 2000";
  const Outcome whole = run_line(query + " --format json");
  INFO(whole.err);
  REQUIRE(whole.status == 0);
  const std::string files = part_files(folder, query, 2);
  write("# another\n");
  CHECK(run_line("merge" + files + " --format json").out == whole.out);
  write(text + "# another\n");
  REQUIRE(run_line(query + " --part 2/2 --output " + (folder / "part2.json")).status == 0);
  const Outcome rejected = run_line("merge" + files);
  CHECK(rejected.status == 2);
  CHECK(rejected.err.find("part2.json is of a different ") != std::string::npos);
}

TEST_CASE("parts: parts that cannot be merged are rejected by name") {
  const Folder folder;
  const std::string files = part_files(folder, tree, 2);
  const std::string first = folder / "part1.json", other = folder / "other.json";
  const auto rejection = [&](const std::string& line) {
    const Outcome outcome = run_line(line);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    return outcome.err;
  };
  CHECK(rejection("merge " + first).find("1 of its 2 parts; it must be given by all; missing: 2") !=
        std::string::npos);
  REQUIRE(run_line(tree + " --seed 2 --part 2/2 --output " + other).status == 0);
  CHECK(rejection("merge " + first + " " + other)
            .find("other.json is of another query (--seed=2, where " + first + " has nothing)") !=
        std::string::npos);
  std::string damaged = content(folder / "part2.json");
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 1);
  std::ofstream(other) << damaged;
  CHECK(rejection("merge " + first + " " + other).find("other.json: ") != std::string::npos);
  CHECK(rejection("merge " + first + " " + folder.path() + "/none").find("none") != std::string::npos);
  for (const auto& [part, why] :
       {std::pair{"3", "--part is 3; it must be I/N"}, std::pair{"0/3", "I of --part is 0"},
        std::pair{"4/3", "I of --part is 4"}, std::pair{"1/x", "N of --part is x"}})
    CHECK(rejection(tree + " --part " + part).find(why) != std::string::npos);
  CHECK(rejection(tree + " --part 1/3 --format json").find("--format is not allowed with --part") !=
        std::string::npos);
  CHECK(rejection("pgf --inputs 2 --load 0.5 --part 1/3").find("unknown option --part") != std::string::npos);
}

TEST_CASE(
    "parts: a stopped part is marked and rejected, and continues from its checkpoint, or from a complete "
    "run's") {
  const Folder folder;
  const std::string state = folder / "state", part = folder / "part1.json";
  const std::string query = "simulate tree --radix 4 --levels 3 --load 0.8 --warmup 640 --slots 80000";
  const Outcome whole = run_line(query + " --format json");
  Child child(Child::words_of(query + " --part 1/2 --checkpoint-every 0.02 --checkpoint " + state +
                              " --output " + part),
              {});
  REQUIRE(child.wait_for_file(state, 1));
  child.send(SIGTERM);
  const int status = child.wait();
  REQUIRE(run_line(query + " --part 2/2 --output " + (folder / "part2.json")).status == 0);
  const std::string merge = "merge " + part + " " + (folder / "part2.json") + " --format json";
  if (status != 0) {  // a fast machine may already have finished
    CHECK(status == 4);
    const Outcome rejected = run_line(merge);
    CHECK(rejected.status == 2);
    CHECK(rejected.err.find("part1.json is incomplete because its run was stopped; it must be complete: run "
                            "part 1/2 again") != std::string::npos);
  }
  REQUIRE(run_line(query + " --part 1/2 --resume " + state + " --output " + part).status == 0);
  CHECK(run_line(merge).out == whole.out);
  // The checkpoint of a part is also one of the complete run.
  CHECK(run_line(query + " --threads 2 --format json --resume " + state).out == whole.out);
}

TEST_CASE("parts: a thousand are merged within seconds", "[.full]") {
  const Folder folder;
  const std::string query =
      "simulate tree --radix 4 --levels 2 --load 0.5 --slots 16 --warmup 0 --replications 1000";
  const std::string files = part_files(folder, query, 1000, " --threads 1");
  const auto start = std::chrono::steady_clock::now();
  const Outcome together = run_line("merge" + files + " --format json");
  WARN(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() << " s");
  CHECK(together.out == run_line(query + " --format json").out);
}
