#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <tests/golden/folder.hpp>
#include <tests/golden/run_command.hpp>

#include <string>

// --half-width: the precision reached is reported. Its correctness is tested in
// tests/answers/simulation/precision_test.cpp.

namespace {

using nlohmann::json;
using tailbound::golden::Folder;
using tailbound::golden::in_one_line;
using tailbound::golden::run_line;

double half_width(const json& estimate) {
  return (estimate["upper"].get<double>() - estimate["lower"].get<double>()) / 2 /
         estimate["value"].get<double>();
}

}  // namespace

TEST_CASE("half-width: every simulation, until every interval is narrow") {
  for (const auto& [line, key] :
       {std::pair<std::string, std::string>{
            "simulate tree --radix 4 --levels 2 --load 0.6 --slots 500 --percentiles 50",
            "mean_queueing_slots"},
        {"simulate switch --inputs 4 --load 0.6 --slots 500 --occupancy 0", "mean_queue"},
        {"simulate wormhole --topology mesh --nodes 16 --flits 8 --loads 0.05,0.1 --cycles 2000", "latency"},
        {"simulate multistage --nodes 64 --loads 0.3 --hot 0.05 --slots 500", "throughput"},
        {"simulate hypercube --dimensions 3 --virtual-channels 3 --flits 8 --broadcast 0.1 --fractions "
         "30%,60% "
         "--cycles 2000",
         "broadcast_latency"}}) {
    INFO(line);
    const json wide = json::parse(run_line(line + " --replications 4 --format json").out);
    const auto outcome = run_line(line + " --half-width 15% --format json --threads 2");
    CHECK(outcome.status == 0);
    const json found = json::parse(outcome.out);
    REQUIRE(found["results"].size() == wide["results"].size());
    for (const json& result : found["results"]) {
      REQUIRE(result.contains(key));
      CHECK(half_width(result[key]) <= 0.15);
      CHECK(result[key]["confidence"].get<double>() == Approx(1 - 0.05 / 7));
      CHECK(result["replications"].get<int>() >= 4);
    }
    const std::string notes = found["notes"].dump();
    CHECK(notes.find("a half-width of at most") != std::string::npos);
    CHECK(notes.find("Repeated checks are accounted for") != std::string::npos);
    CHECK(run_line(line + " --half-width 15% --format json --threads 1").out == outcome.out);
  }
}

TEST_CASE("half-width: a limit reports the wider intervals; errors") {
  const std::string line = "simulate tree --radix 4 --levels 2 --load 0.6 --slots 200 --percentiles 50";
  const auto limited = run_line(line + " --half-width 0.01% --replications 8");
  CHECK(limited.status == 0);
  CHECK(limited.out.find("The limit was reached") != std::string::npos);
  CHECK(limited.out.find("Still wider:") != std::string::npos);
  CHECK(in_one_line(limited.out).find("after 8 replications") != std::string::npos);
  const Folder folder;
  for (const std::string more :
       {" --half-width 0", " --half-width 2", " --half-width wide", " --half-width 2% --replications 300",
        " --half-width 2% --replications 2"}) {
    INFO(more);
    CHECK(run_line(line + more).status == 2);
  }
  CHECK(run_line(line + " --half-width 2% --checkpoint " + (folder / "state")).err.find("--checkpoint") !=
        std::string::npos);
  CHECK(run_line(line + " --half-width 2% --part 1/2 --output " + (folder / "part")).status == 2);
  CHECK(run_line("simulate wormhole --topology mesh --nodes 16 --half-width 2% --saturation").status == 2);
  CHECK(run_line("simulate hypercube --dimensions 3 --half-width 2% --saturation").status == 2);
}
