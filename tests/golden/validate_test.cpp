#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <tests/golden/csv_rows.hpp>
#include <tests/golden/folder.hpp>
#include <tests/golden/run_json.hpp>

#include <algorithm>
#include <cmath>
#include <string>

// Results depend only on the seed, so that these tests cannot fail by chance.

namespace {

using nlohmann::json;
using tailbound::golden::at;
using tailbound::golden::content;
using tailbound::golden::Folder;
using tailbound::golden::in_one_line;
using tailbound::golden::networks;
using tailbound::golden::Outcome;
using tailbound::golden::rows_of;
using tailbound::golden::run_json;
using tailbound::golden::run_line;
using tailbound::golden::run_result;

double number(const json& value) {
  return value.is_string() ? std::stod(value.get<std::string>()) : value.get<double>();
}

/// The expected verdict, from the numbers in the row.
std::string expected_verdict(const json& row) {
  const json& analysis = row["prediction"];
  if (!row["count"].is_null() && number(row["simulation"]["lower"]) == 0) return "too rare";
  // A bound is judged by its value, like an unproved number.
  const bool one = analysis.is_number() || analysis["kind"] == "bound" || analysis["kind"] == "approximation";
  const auto end = [&](const char* key) {
    return analysis.is_number() ? analysis.get<double>() : number(analysis[one ? "value" : key]);
  };
  const double low = end("lower"), high = end("upper");
  if (high < number(row["simulation"]["lower"])) return "below";
  if (!row["simulation"]["upper"].is_null() && low > number(row["simulation"]["upper"])) return "above";
  return "inside";
}

void check_verdicts(const json& document) {
  std::size_t below = 0;
  for (const json& row : document["rows"]) {
    INFO(row.dump());
    CHECK(row["verdict"] == expected_verdict(row));
    if (row["verdict"] == "below") ++below;
  }
  CHECK(document["below"] == below);
  CHECK(document["underestimated_rows"] == below);
}

}  // namespace

TEST_CASE("validate: a single hop is inside the intervals") {
  const json document = run_json("validate buffer --inputs 4 --load 0.8 --slots 3e5", 0);
  CHECK(document["command"] == "validate buffer");
  CHECK(document["query"]["inputs"] == 4);
  REQUIRE(document["results"].size() == 1);
  const json& buffer = document["results"][0];
  check_verdicts(buffer);
  CHECK(buffer["verdict_of_all"] == "agrees");
  REQUIRE(buffer["rows"].size() >= 10);
  CHECK(buffer["rows"].back()["quantity"] == "mean_occupancy");
  // The default levels reach down to 1e-6.
  CHECK(number(buffer["rows"][0]["prediction"]["lower"]) <= 0.5);
  const json& last = buffer["rows"][buffer["rows"].size() - 2];
  CHECK(number(last["prediction"]["lower"]) <= 1e-6);
  CHECK(number(last["prediction"]["lower"]) >= 1e-7);

  const json delay = run_result("validate delay --radix 8 --levels 1 --load 0.7 --slots 1e5", 0);
  check_verdicts(delay);
  CHECK(delay["verdict_of_all"] == "agrees");
  CHECK(delay["too_rare"] >= 1);  // 1e-6 is too rare for so few slots
}

TEST_CASE("validate: the rows' intervals hold jointly") {
  const json buffer = run_result("validate buffer --inputs 4 --load 0.8 --slots 5e4 --levels 0:8:1", 0);
  REQUIRE(buffer["rows"].size() == 10);  // nine levels and the mean
  CHECK(buffer["rows"][0]["simulation"]["confidence"].get<double>() == Approx(1 - 0.05 / 10));
  CHECK(buffer["rows"][3]["level"] == 3);
  CHECK(buffer["confidence_of_all_rows"] == "0.95");
}

TEST_CASE("validate buffer: packets of several sizes, as in `buffer --sizes` and `simulate switch`") {
  const std::string packets = "--inputs 4 --load 0.7 --sizes 64:1,128:1 --cell-bytes 64 ";
  const std::string run = "--slots 100000 --seed 3";
  for (const std::string arrive : {"whole", "cells"}) {
    CAPTURE(arrive);
    const std::string all = packets + "--arrive " + arrive + " ";
    const json both = run_result("validate buffer " + all + "--levels 3,12 " + run, 0);
    check_verdicts(both);
    CHECK(both["verdict_of_all"] == "agrees");
    CHECK(both["arrive"] == arrive);
    REQUIRE(both["rows"].size() == 3);
    const json proved = run_result("buffer " + all + "--capacity 12", 0);
    const json seen = run_result("simulate switch " + all + "--occupancy 3,12 " + run, 0);
    const json& tail = both["rows"][1];
    CHECK(tail["quantity"] == "occupancy_tail");
    CHECK(tail["what"] == "P(Q > 12)");
    CHECK(number(tail["prediction"]["upper"]) ==
          Approx(number(proved["probability"]["upper"])).epsilon(1e-9));
    CHECK(tail["simulation"]["value"] == seen["tail"][1]["queue"]["value"]);
    CHECK(both["rows"][2]["quantity"] == "mean_occupancy");
    CHECK(both["rows"][2]["prediction"] == proved["mean_occupancy"]);
    CHECK(both["rows"][2]["unit"] == "cells");

    const json lost = run_result("validate buffer " + all + "--capacity 6 " + run, 0);
    const json proved_lost = run_result("buffer " + all + "--criterion loss --capacity 6", 0);
    const json seen_lost = run_result("simulate switch " + all + "--buffer 6 " + run, 0);
    check_verdicts(lost);
    REQUIRE(lost["rows"].size() == 2);
    const json &cells = lost["rows"][0], &whole = lost["rows"][1];
    CHECK(cells["quantity"] == "cell_loss");
    CHECK(cells["level"] == 6);
    CHECK(cells["prediction"] == proved_lost["cell_loss"]);
    CHECK(cells["simulation"]["value"] == seen_lost["cell_loss"]["value"]);
    CHECK(whole["quantity"] == "packet_loss");
    CHECK(whole["prediction"] == proved_lost["packet_loss"]);
    CHECK(whole["simulation"]["value"] == seen_lost["loss"]["value"]);
    CHECK(lost["inside"] == 2);
  }
}

TEST_CASE("validate buffer: the proved bound for imix cells exceeds the simulation") {
  const std::string line =
      "validate buffer --inputs 16 --load 0.8 --sizes imix --arrive cells --levels 38,60 --slots 200000";
  const json both = run_result(line, 0);
  check_verdicts(both);
  CHECK(both["verdict_of_all"] == "conservative");
  CHECK(both["above"] == 3);
  CHECK(both["inside"] == 0);
  CHECK(both["rows"][0]["prediction"]["kind"] == "bound");
  CHECK(both["rows"][0]["approximation"]["kind"] == "model");
  CHECK(std::abs(number(both["rows"][0]["approximation_error"]["value"])) < 0.05);
  const std::string table = run_line(line).out;
  CHECK(table.find("The bound is conservative in 3 of 3 rows and underestimates in none") !=
        std::string::npos);
  CHECK(in_one_line(table).find("cell by cell") != std::string::npos);
  // Lists, CSV and a picture.
  const std::string list =
      "validate buffer --inputs 4 --load 0.6,0.8 --sizes imix --arrive whole,cells --levels 20 --slots 50000";
  const auto rows = rows_of(run_line(list + " --format csv").out);
  REQUIRE(rows.size() == 1 + 4 * 2);
  CHECK(at(rows, 1, "sizes") == "imix");
  CHECK(at(rows, 1, "prediction_kind") == "enclosure");
  CHECK(at(rows, 8, "arrive") == "cells");
  CHECK(at(rows, 8, "prediction_kind") == "bound");
  const Folder folder;
  const std::string picture = folder / "sizes.svg";
  CHECK(run_line(line + " --plot " + picture).status == 0);
  CHECK(content(picture).find("approximation") != std::string::npos);
  CHECK(run_line(list + " --plot " + picture).status == 0);
  CHECK(content(picture).find("analysis, cells") != std::string::npos);
  CHECK(
      run_line("validate buffer --inputs 4 --load 0.6,0.8 --sizes imix --capacity 50 --slots 50000 --plot " +
               picture)
          .err.find("a picture of losses shows one queue") != std::string::npos);
}

TEST_CASE("validate: the analysis is that of the command delay") {
  const std::string tree =
      " --radix 4 --levels 2 --load 0.6 --routing nearest-ancestor --ccdf 2,6 --percentiles 99 "
      "--hops independent";
  const Outcome outcome = run_line("validate delay --slots 20000 --format json" + tree);
  REQUIRE(outcome.status <= 1);
  const json rows = json::parse(outcome.out)["results"][0]["rows"];
  const json delay = run_result("delay" + tree, 0);
  for (std::size_t i = 0; i < 2; ++i)
    CHECK(number(rows[i]["prediction"]["value"]) ==
          Approx(number(delay["ccdf"][i]["probability"]["value"])).epsilon(1e-9));
  CHECK(rows[2]["prediction"] == delay["percentiles"][0]["queueing_slots"]);
  // The same comparison by hand: the error as shown.
  CHECK(number(rows[0]["error"]["value"]) ==
        Approx(number(rows[0]["prediction"]["value"]) / number(rows[0]["simulation"]["value"]) - 1));
}

TEST_CASE("validate: all flows of a network together") {
  const Outcome outcome =
      run_line("validate delay --hops independent --slots 50000 --format json --ccdf 0 --network " +
               networks + "bundle.toml");
  REQUIRE(outcome.status <= 1);
  const json document = json::parse(outcome.out)["results"][0];
  check_verdicts(document);
  // P(D > 0) of all flows is the mean of theirs, weighted by their rates.
  const json flows =
      run_json("delay --hops independent --ccdf 0 --network " + networks + "bundle.toml", 0)["results"];
  double sum = 0, rates = 0;
  for (const json& flow : flows) {
    const std::string rate = flow["rate"];
    const auto slash = rate.find('/');
    const double value =
        std::stod(rate) / (slash == std::string::npos ? 1 : std::stod(rate.substr(slash + 1)));
    sum += value * number(flow["ccdf"][0]["probability"]["lower"]);
    rates += value;
  }
  CHECK(number(document["rows"][0]["prediction"]["lower"]) == Approx(sum / rates).epsilon(1e-9));
}

TEST_CASE("validate: independent of threads; CSV, quiet table, picture") {
  const std::string line = "validate buffer --inputs 4 --load 0.5 --slots 20000 --levels 1,2";
  CHECK(run_line(line + " --format json --threads 1").out ==
        run_line(line + " --format json --threads 2").out);
  const Outcome csv = run_line(line + " --format csv");
  const auto rows = rows_of(csv.out);
  REQUIRE(rows.size() == 4);
  CHECK(at(rows, 1, "load") == "0.5");
  CHECK(at(rows, 2, "quantity") == "occupancy_tail");
  CHECK(at(rows, 2, "level") == "2");
  CHECK(at(rows, 2, "prediction_lower").rfind("0.", 0) == 0);
  CHECK(at(rows, 2, "simulation_kind") == "estimate");
  CHECK(std::stod(at(rows, 2, "error")) < 1);
  CHECK(at(rows, 2, "verdict") == "inside");
  CHECK(at(rows, 3, "quantity") == "mean_occupancy");
  const std::string quiet = run_line(line + " --quiet").out;
  CHECK(std::count(quiet.begin(), quiet.end(), '\n') == 3);
  const std::string markdown = run_line(line + " --format markdown").out;
  CHECK(markdown.find("| P(Q > 2) | ") != std::string::npos);
  const Folder folder;
  const std::string picture = folder / "validate.svg";
  CHECK(run_line(line + " --plot " + picture).status == 0);
  CHECK(content(picture).find("analysis") != std::string::npos);
}

TEST_CASE("validate: lists, units") {
  const std::string line =
      "validate buffer --inputs 2,4 --load 0.5,0.6 --slots 4000 --levels 1 --packet-bytes 64 --link-gbps 10";
  const Outcome outcome = run_line(line + " --format json");
  REQUIRE(outcome.status <= 1);
  const json results = json::parse(outcome.out)["results"];
  REQUIRE(results.size() == 4);
  CHECK(results[3]["inputs"] == 4);
  CHECK(results[3]["load"] == "0.6");
  for (const json& result : results) {
    check_verdicts(result);
    CHECK(number(result["rows"][1]["simulation_bytes"]["value"]) ==
          Approx(64 * number(result["rows"][1]["simulation"]["value"])));
    CHECK(result["rows"][0]["simulation_bytes"].is_null());
  }
  const Folder folder;
  const std::string picture = folder / "sweep.svg";
  CHECK(run_line(line + " --plot " + picture).status <= 1);
  CHECK(content(picture).find("analysis, inputs 4") != std::string::npos);

  const Outcome delays = run_line(
      "validate delay --radix 4 --levels 1,2 --load 0.5 --slots 4000 --ccdf 1 --packet-bytes 64 --link-gbps "
      "10 "
      "--format json");
  REQUIRE(delays.status <= 1);
  const json both = json::parse(delays.out)["results"];
  REQUIRE(both.size() == 2);
  CHECK(both[1]["levels"] == 2);
  CHECK(both[1]["rows"][0]["level_ns"] == "51.2");
  const json& mean = both[1]["rows"].back();
  CHECK(number(mean["simulation_ns"]["value"]) == Approx(51.2 * number(mean["simulation"]["value"])));
}

TEST_CASE("validate: errors") {
  struct Rejection {
    std::string options;
    int status;
    std::vector<std::string> expected;
  };
  const std::string tree = "delay --radix 4 --levels 2 --load 0.8";
  for (const Rejection& rejection : std::vector<Rejection>{
           {"", 2, {"missing", "delay, buffer"}},
           {"nothing", 2, {"nothing", "delay", "buffer"}},
           {"delay", 2, {"--radix", "missing"}},
           {"delay --radix 4 --levels 2 --load 1", 1, {"unstable"}},
           {tree + " --ccdf -1", 2, {"--ccdf is -1"}},
           {tree + " --percentiles 0", 2, {"--percentiles is 0"}},
           {tree + " --slots 1", 2, {"--slots is 1"}},
           {tree + " --seed a", 2, {"--seed", "a"}},
           {tree + " --buffer 5", 2, {"--buffer"}},
           {tree + " --network x", 2, {"--network"}},
           {tree + " --resume /nowhere", 2, {"--resume is /nowhere"}},
           {"buffer", 2, {"--inputs"}},
           {"buffer --inputs 4", 2, {"--load"}},
           {"buffer --inputs 4 --load 1", 1, {"unstable"}},
           {"buffer --inputs 4 --load x", 2, {"--load", "x"}},
           {"buffer --inputs 4 --load 0.5 --levels -1", 2, {"--levels is -1"}},
           {"buffer --inputs 4 --load 0.5 --levels 1.5", 2, {"--levels is"}},
           {"buffer --inputs 4 --load 0.5 --cell-bytes 64", 2, {"--cell-bytes", "--sizes"}},
           {"buffer --inputs 4 --load 0.5 --arrive cells", 2, {"--arrive", "--sizes"}},
           {"buffer --inputs 4 --load 0.5 --capacity 5", 2, {"--capacity needs --sizes"}},
           {"buffer --inputs 4 --load 0.5 --sizes imix --capacity 0", 2, {"--capacity is 0", "1000000"}},
           {"buffer --inputs 4 --load 0.5 --sizes imix --capacity 9 --levels 3",
            2,
            {"--levels", "--capacity"}},
           {"buffer --inputs 4 --load 0.5 --sizes imix --arrive some", 2, {"--arrive is some", "whole"}},
           {"buffer --inputs 4 --load 0.5 --sizes imix --burst 8", 2, {"--burst", "--sizes"}},
           {"buffer --inputs 4 --load 0.5 --sizes imix --packet-bytes 64", 2, {"--packet-bytes", "--sizes"}},
           {"buffer --inputs 4 --load 0 --sizes imix", 2, {"--load is 0"}},
           {"buffer --inputs 4 --load 1 --sizes imix", 1, {"unstable"}},
       }) {
    const Outcome outcome = run_line("validate " + rejection.options);
    INFO("validate " << rejection.options << "\n" << outcome.err);
    CHECK(outcome.status == rejection.status);
    CHECK(outcome.out.empty());
    for (const std::string& expected : rejection.expected)
      CHECK(outcome.err.find(expected) != std::string::npos);
  }
}
