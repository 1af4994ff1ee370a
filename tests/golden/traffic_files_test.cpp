#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <tests/golden/folder.hpp>
#include <tests/golden/run_json.hpp>

#include <string>

// The example files of data/traffic, and the statements of docs/files.md about them.

namespace {

using nlohmann::json;
using tailbound::golden::content;
using tailbound::golden::Folder;
using tailbound::golden::lower_of;
using tailbound::golden::run_line;
using tailbound::golden::run_result;

const std::string traffic_folder = std::string(TAILBOUND_DATA_DIR) + "/traffic/";

}  // namespace

TEST_CASE("traffic files: matrices as JSON and CSV equal two bursty inputs") {
  const json sources =
      run_result("buffer --inputs 2 --load 0.6 --burst 4 --destination per-packet --drop 1e-9");
  for (const char* form : {"json", "csv"}) {
    const json read = run_result("buffer --blocks " + traffic_folder + "two_inputs." + form + " --drop 1e-9");
    CHECK(read["load"] == "0.6");
    CHECK(read["buffer"] == sources["buffer"]);
    CHECK(lower_of(read["probability"]) == Approx(lower_of(sources["probability"])).epsilon(1e-9));
    CHECK(lower_of(read["mean_occupancy"]) == Approx(lower_of(sources["mean_occupancy"])).epsilon(1e-9));
  }
  const std::string levels = " --levels 0,3,12";
  CHECK(run_result("occupancy --blocks " + traffic_folder + "two_inputs.json" + levels)["tail"] ==
        run_result("occupancy --blocks " + traffic_folder + "two_inputs.csv" + levels)["tail"]);
}

TEST_CASE("traffic files: the matrices of the manual equal those of the examples") {
  const Folder folder;
  const std::string manual = content(std::string(TAILBOUND_DATA_DIR) + "/../docs/files.md");
  const auto listing = [&](const std::string& form) {
    const std::string fence = "```" + form + "\n";
    const std::size_t from = manual.find(fence) + fence.size();
    return manual.substr(from, manual.find("```", from) - from);
  };
  for (const std::string form : {"json", "csv"}) {
    const std::string file = folder.file("listing." + form, listing(form));
    CHECK(run_line("buffer --drop 1e-9 --quiet --blocks " + file).out == "16\n");
    CHECK(run_result("buffer --drop 1e-9 --blocks " + file)["probability"] ==
          run_result("buffer --drop 1e-9 --blocks " + traffic_folder + "two_inputs." + form)["probability"]);
  }
}

TEST_CASE("traffic files: probabilities, one per line") {
  const json read =
      run_result("buffer --pmf " + traffic_folder + "dice.txt --packets-per-slot 2 --drop 1e-9");
  const json formula =
      run_result("buffer --arrivals 1/2+1/6*z+1/6*z^2+1/6*z^3 --packets-per-slot 2 --drop 1e-9");
  for (const char* key : {"buffer", "probability", "mean_occupancy", "load"})
    CHECK(read[key] == formula[key]);
  const Folder folder;
  CHECK(run_line("buffer --drop 1e-9 --packets-per-slot 2 --quiet --pmf " +
                 folder.file("list", "[1/2, 1/6, 1/6, 1/6]\n"))
            .out ==
        run_line("buffer --drop 1e-9 --packets-per-slot 2 --quiet --pmf " + traffic_folder + "dice.txt").out);
}
