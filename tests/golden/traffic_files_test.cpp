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
using tailbound::golden::in_one_line;
using tailbound::golden::lower_of;
using tailbound::golden::run_json;
using tailbound::golden::run_line;
using tailbound::golden::run_result;

/// Of a document with one result or several.
json run_result_of_first(const std::string& line, int status) {
  return run_json(line, status)["results"][0];
}

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

TEST_CASE("traffic files: a fit that is not trusted changes headline, status and data") {
  const Folder folder;
  const auto fitted = [&](bool trusted) {
    return folder.file(
        "fit.json",
        std::string(
            R"({"traffic": "on-off sources", "trace": "x.csv", "slot_ns": 512.0, "cell_bytes": 64, "trusted": )") +
            (trusted ? "true" : "false") +
            R"(, "sources": {"count": 4, "load": "118195607/1000000000", "on_rate": "503374577/1000000000", "burst": "6477593783/1000000000"}})");
  };
  for (const std::string command :
       {"buffer --drop 1e-3 --traffic-file ", "buffer --capacity 9 --traffic-file ",
        "buffer --drop 1e-3,1e-4 --traffic-file ", "occupancy --levels 0,9 --traffic-file "}) {
    INFO(command);
    const auto trusted = run_line(command + fitted(true));
    CHECK(trusted.status == 0);
    CHECK(trusted.out.find("trusted") == std::string::npos);
    CHECK(run_result_of_first(command + fitted(true), 0)["trusted_fit"] == true);
    const auto untrusted = run_line(command + fitted(false));
    CHECK(untrusted.status == 1);
    CHECK(untrusted.out.starts_with("Not trusted, as the model does not fit its trace: "));
    CHECK(in_one_line(untrusted.out).find("fit TRACE --buffer LIST gives the loss of the trace itself") !=
          std::string::npos);
    CHECK(run_result_of_first(command + fitted(false), 1)["trusted_fit"] == false);
    CHECK(run_line(command + fitted(false) + " --format csv").out.find("trusted_fit") != std::string::npos);
  }
  CHECK(run_result("buffer --inputs 4 --load 0.5 --drop 1e-3").count("trusted_fit") == 0);
}

TEST_CASE("traffic files: rounded probabilities are normalized by one rule in every file") {
  const Folder folder;
  const std::string levels = " --levels 0,3 ";
  struct Row {
    std::string option, exact, doubles, coarse, words;
  };
  // Thirds exactly, as doubles, and with five decimals.
  for (const Row& row :
       {Row{"--pmf", folder.file("p0", "2/3\n0\n1/3\n"),
            folder.file("p1", "0.6666666666666666\n0\n0.3333333333333333\n"),
            folder.file("p2", "0.66666\n0\n0.33333\n"), "their sum is"},
        Row{"--blocks", folder.file("b0", "1/3,1/3\n1/5,3/10\n\n1/6,1/6\n4/10,1/10\n"),
            folder.file("b1",
                        "0.3333333333333333,0.3333333333333333\n0.2,0.3\n\n0.16666666666666666,"
                        "0.16666666666666666\n0.4,0.1\n"),
            folder.file("b2", "0.33333,0.33333\n0.2,0.3\n\n0.16667,0.16666\n0.4,0.1\n"), "a row sums to"},
        Row{"--joint", folder.file("j0", "0,0,1/3\n1,0,1/3\n0,1,1/3\n"),
            folder.file("j1", "0,0,0.3333333333333333\n1,0,0.3333333333333333\n0,1,0.3333333333333333\n"),
            folder.file("j2", "0,0,0.33333\n1,0,0.33333\n0,1,0.33333\n"), "their sum is"}}) {
    const std::string command = "occupancy " + row.option + " ";
    INFO(command);
    const bool same_thirds = row.option != "--blocks";
    const auto exact = run_line(command + row.exact + levels);
    CHECK(exact.status == 0);
    CHECK(exact.out.find("normalized") == std::string::npos);
    const auto doubles = run_line(command + row.doubles + levels);
    CHECK(doubles.status == 0);
    CHECK(in_one_line(doubles.out).find("(normalized; " + row.words + " 1 -") != std::string::npos);
    CHECK(run_line(command + row.doubles + levels + "--exact").status == 2);
    const auto refused = run_line(command + row.coarse + levels);
    CHECK(refused.status == 2);
    CHECK(refused.err.find(" below 1; they must sum to 1 up to rounding") != std::string::npos);
    const auto normalized = run_line(command + row.coarse + levels + "--normalize");
    CHECK(normalized.status == 0);
    CHECK(in_one_line(normalized.out).find("(normalized; " + row.words + " 1 - 1e-05)") != std::string::npos);
    if (same_thirds)
      CHECK(run_json(command + row.exact + levels)["results"][0]["tail"] ==
            run_json(command + row.coarse + levels + "--normalize")["results"][0]["tail"]);
    CHECK(run_line(command + row.exact + levels + "--exact --normalize").status == 2);
  }
  // Floats: 24 bits, so 3e-8 is rounding.
  const std::string floats = folder.file("f", "0.41234568\n0.3330217\n0.12345679\n0.13117586\n");
  CHECK(
      in_one_line(run_line("occupancy --pmf " + floats + levels).out).find("(normalized; their sum is 1 +") !=
      std::string::npos);
  CHECK(run_line("occupancy --inputs 4 --load 0.5 --normalize" + levels).err.find("--traffic-file") !=
        std::string::npos);
}
