#include <catch2/catch.hpp>
#include <tests/golden/csv_rows.hpp>
#include <tests/golden/folder.hpp>
#include <tests/golden/run_command.hpp>
#include <tests/golden/run_json.hpp>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

// Command lines on simulated broadcasts in hypercubes: answers in each format, and errors. Results depend
// only on the seed, so that these tests cannot fail by chance.

namespace {

using tailbound::golden::holds;
using tailbound::golden::in_one_line;
using tailbound::golden::Outcome;
using tailbound::golden::run_json;
using tailbound::golden::run_line;
using tailbound::golden::value_of;

const std::string simulated =
    "simulate hypercube --dimensions 4 --virtual-channels 3 --flits 16 --broadcast 0.02 ";

TEST_CASE(
    "simulate hypercube: JSON with estimates, everything offered is delivered, independent of threads") {
  const std::string line = simulated + "--rates 0.005,0.02 --cycles 60000 --seed 4 --percentiles 50,99 ";
  const auto answer = run_json(line + "--threads 1");
  CHECK(answer["command"] == "simulate hypercube");
  CHECK(answer["query"]["buffer_flits"] == 1);
  CHECK(answer["query"]["startup"] == "1");
  CHECK(answer["query"]["rate"][1] == "0.02");
  REQUIRE(answer["results"].size() == 2);
  CHECK(answer["results"][0]["model_saturation_rate"] ==
        run_json("broadcast --dimensions 4 --virtual-channels 3 --flits 16 --broadcast "
                 "0.02")["results"][0]["saturation_rate"]);
  for (const auto& point : answer["results"]) {
    for (const char* key : {"unicast_latency", "broadcast_latency", "unicast_wait", "copy_latency",
                            "copy_wait", "busy_channels", "throughput"})
      CHECK(point[key]["kind"] == "estimate");
    // (1 + b (N - 2)) M lg
    const double offered = (1 + 0.02 * 14) * 16 * std::stod(point["rate"].get<std::string>());
    CHECK(point["offered_throughput"]["kind"] == "exact");
    CHECK(std::stod(point["offered_throughput"]["lower"].get<std::string>()) ==
          Approx(offered).epsilon(1e-14));
    CHECK(value_of(point["generated_throughput"]) == Approx(value_of(point["throughput"])).epsilon(0.01));
    CHECK(point["throughput"]["lower"].get<double>() <= offered);
    CHECK(point["throughput"]["upper"].get<double>() >= offered);
    // A unicast crosses (n / 2) N / (N - 1) links; a broadcast takes at least n steps of M flits and a
    // start-up.
    CHECK(value_of(point["mean_links"]) == Approx(2.0 * 16 / 15).epsilon(0.01));
    CHECK(value_of(point["broadcast_latency"]) > 4 * (16 + 1));
    CHECK(value_of(point["unicast_latency"]) > 16 + 2.0 * 16 / 15 - 1 + value_of(point["unicast_wait"]));
    // Flits on a link, and the mean number of virtual channels, dimension by dimension.
    REQUIRE(point["channels"].size() == 4);
    double flits = 0, busy = 0;
    for (const auto& dimension : point["channels"]) {
      flits += value_of(dimension["flits_per_cycle"]) / 4;
      busy += value_of(dimension["busy_channels"]) / 4;
    }
    const double messages = 0.98 * 2 * (16.0 / 15) / 4 + 0.02 * 15.0 / 4;  // on a link, for each generated
    CHECK(flits == Approx(messages * 16 * std::stod(point["rate"].get<std::string>())).epsilon(0.03));
    CHECK(busy == Approx(value_of(point["busy_channels"])).epsilon(1e-12));
    CHECK(busy > flits);  // a head holds its channel before its flits cross
    CHECK(value_of(point["percentiles"][0]["unicast_latency"]) <
          value_of(point["percentiles"][1]["unicast_latency"]));
    CHECK(value_of(point["percentiles"][0]["broadcast_latency"]) >
          value_of(point["percentiles"][0]["unicast_latency"]));
    CHECK(point["seed"] == 4);
  }
  CHECK(value_of(answer["results"][0]["unicast_latency"]) <
        value_of(answer["results"][1]["unicast_latency"]));
  CHECK(run_line(line + "--threads 2 --format json").out == run_line(line + "--threads 1 --format json").out);
}

TEST_CASE(
    "simulate hypercube: fractions of the model's rate, tables, CSV, and kinds of message that are not "
    "sent") {
  const auto both = run_json(simulated + "--fractions 50%,0.6 --cycles 4000");
  CHECK(value_of(both["results"][0]["fraction_of_saturation"]) == Approx(0.5).epsilon(1e-8));
  const double saturation = value_of(both["results"][1]["model_saturation_rate"]);
  CHECK(std::stod(both["results"][1]["rate"].get<std::string>()) == Approx(0.6 * saturation).epsilon(1e-8));
  // A fraction above 1 is simulated too; here the network does not carry it.
  const Outcome above = run_line(simulated + "--fractions 1.1 --cycles 4000");
  CHECK(above.status == 1);
  const std::string rejected = "saturated at rate ";
  REQUIRE(holds(above.err, rejected));
  CHECK(std::stod(above.err.substr(above.err.find(rejected) + rejected.size())) ==
        Approx(1.1 * saturation).epsilon(1e-5));
  const Outcome table = run_line(simulated + "--rates 0.01 --cycles 20000");
  for (const char* words : {"4-dimensional hypercube (16 nodes) with 3 virtual channels", "occupied channels",
                            " generated; expected 0.2048, a broadcast counted once per receiver",
                            "start-up 1, buffers of 1 flit"})
    CHECK(holds(in_one_line(table.out), words));
  const auto csv =
      tailbound::golden::rows_of(run_line(simulated + "--rates 0.01,0.02 --cycles 20000 --format csv").out);
  REQUIRE(csv.size() == 1 + 2 * (2 + 4));  // one row per percentile and one per dimension
  for (const auto& row : csv) CHECK(row.size() == csv[0].size());
  for (const char* name : {"rate", "fraction_of_saturation", "offered_throughput", "unicast_latency_kind",
                           "broadcast_latency_lower", "cycles", "seed", "batches", "table",
                           "percentiles_unicast_latency_upper", "channels_busy_channels", "stopped"})
    CHECK(std::find(csv[0].begin(), csv[0].end(), name) != csv[0].end());
  const std::string rest = "--virtual-channels 2 --flits 8 --rates 0.01 --cycles 20000 --dimensions 3 ";
  const auto unicasts = run_json("simulate hypercube --broadcast 0 " + rest)["results"][0];
  CHECK(unicasts["broadcast_latency"].is_null());
  CHECK(unicasts["copies"] == 0);
  const auto broadcasts = run_json("simulate hypercube --broadcast 1 --startup 5 " + rest)["results"][0];
  CHECK(broadcasts["unicast_latency"].is_null());
  // Three steps of a start-up and eight flits, plus waits; without the start-up, 15 cycles less except for
  // waits.
  CHECK(value_of(broadcasts["broadcast_latency"]) > 3 * (8 + 5));
  const auto at_once = run_json("simulate hypercube --broadcast 1 --startup 0 " + rest)["results"][0];
  CHECK(value_of(broadcasts["broadcast_latency"]) - value_of(at_once["broadcast_latency"]) ==
        Approx(15).margin(1));
}

TEST_CASE("simulate hypercube: a resumed checkpoint gives the answer of the complete run") {
  const tailbound::golden::Folder folder;
  const std::string line = simulated + "--rates 0.02 --cycles 150000 --format json ";
  const std::string whole = run_line(line).out, state = folder / "state";
  CHECK(run_line(line + "--checkpoint-every 0.02 --checkpoint " + state).out == whole);
  CHECK(run_line(line + "--resume " + state).out == whole);
  for (const char* other : {"--seed 2", "--startup 2", "--buffer-flits 2"}) {
    const Outcome rejected = run_line(line + other + " --resume " + state);
    CHECK(rejected.status == 2);
    CHECK(rejected.err.find("--resume") != std::string::npos);
  }
}

TEST_CASE("simulate hypercube: two nodes carry one message every M cycles each") {
  const std::string line =
      "simulate hypercube --dimensions 1 --virtual-channels 2 --flits 8 --broadcast 0 --saturation "
      "--precision 2% ";
  const auto answer = run_json(line);
  REQUIRE(answer["results"].size() == 1);
  const auto& found = answer["results"][0];
  CHECK(value_of(found["max_stable_rate"]) < 0.126);
  CHECK(value_of(found["min_unstable_rate"]) > 0.124);
  CHECK(value_of(found["min_unstable_rate"]) < 1.02 * value_of(found["max_stable_rate"]) + 1e-12);
  CHECK(value_of(found["error"]) ==
        Approx(value_of(found["model_saturation_rate"]) / value_of(found["max_stable_rate"]) - 1)
            .margin(1e-14));
  CHECK(found["max_stable_rate"]["kind"] == "estimate");
  CHECK(found["max_stable_rate"]["upper"].is_null());  // without an interval
  REQUIRE(found["probes"].size() > 3);
  for (const auto& probe : found["probes"])
    CHECK(value_of(probe["delivered"]) <= 1.03 * std::stod(probe["rate"].get<std::string>()));
  const Outcome table = run_line(line);
  CHECK(table.out.find("maximum stable    0.12") != std::string::npos);
  CHECK(table.out.find("messages/cycle/node") != std::string::npos);
  const auto csv = tailbound::golden::rows_of(run_line(line + "--format csv").out);
  CHECK(csv.size() == 1 + found["probes"].size());
  for (const char* name : {"rate", "delivered", "max_stable_rate", "not_carried", "stable"})
    CHECK(std::find(csv[0].begin(), csv[0].end(), name) != csv[0].end());
}

TEST_CASE("validate broadcast: both latencies by the model and by simulation") {
  const std::string options = " --dimensions 5 --virtual-channels 4 --flits 32 --broadcast 0.02 ";
  const std::string line = "validate broadcast" + options + "--rates 0.003,0.02 --cycles 60000 ";
  const Outcome outcome = run_line(line + "--format json");
  const auto answer = nlohmann::json::parse(outcome.out);
  REQUIRE(answer["results"].size() == 2);
  std::size_t below = 0, counted = 0;
  for (const auto& point : answer["results"]) {
    INFO(point.dump());
    const auto model =
        run_json("broadcast" + options + "--rates " + point["rate"].get<std::string>())["results"][0];
    REQUIRE(point["rows"].size() == 2);
    for (const auto& row : point["rows"]) {
      CHECK(row["prediction"] == model[row["quantity"].get<std::string>()]);
      const double predicted = value_of(row["prediction"]);
      const auto& simulation = row["simulation"];
      CHECK(value_of(row["error"]) == Approx(predicted / value_of(simulation) - 1).margin(1e-14));
      const char* verdict = predicted < simulation["lower"].get<double>()   ? "below"
                            : predicted > simulation["upper"].get<double>() ? "above"
                                                                            : "inside";
      CHECK(row["verdict"] == verdict);
      if (row["verdict"] == "below") ++below;
    }
    counted += point["underestimated_rows"].get<std::size_t>();
    CHECK(point["model_assumes"].empty());
  }
  CHECK(counted == below);
  CHECK(outcome.status == (below > 0 ? 1 : 0));

  const Outcome agreeing = run_line("validate broadcast" + options + "--rates 0.008 --cycles 20000 ");
  CHECK(agreeing.status == 0);
  CHECK(agreeing.out.find("The model agrees with simulation in both rows.") != std::string::npos);
  CHECK(agreeing.out.find("assume") == std::string::npos);
  const auto csv = tailbound::golden::rows_of(run_line(line + "--format csv").out);
  CHECK(csv.size() == 1 + 2 * 2);
  for (const char* name :
       {"rate", "fraction_of_saturation", "quantity", "prediction", "simulation_kind", "verdict"})
    CHECK(std::find(csv[0].begin(), csv[0].end(), name) != csv[0].end());
  const Outcome deep =
      run_line("validate broadcast" + options + "--rates 0.003 --cycles 20000 --buffer-flits 4");
  CHECK(deep.out.find("buffers of 1 flit (simulated: 4)") != std::string::npos);
}

TEST_CASE("simulate hypercube, validate broadcast: pictures") {
  const tailbound::golden::Folder folder;
  const auto drawn = [&](const std::string& line) {
    const std::string picture = folder / "latency.svg";
    CHECK(run_line(line + " --plot " + picture).status <= 1);
    return tailbound::golden::content(picture);
  };
  const std::string cube =
      " --dimensions 3 --virtual-channels 2 --flits 8 --broadcast 0.05 --rates 0.005,0.02 --cycles 20000";
  const std::string points = drawn("simulate hypercube" + cube), curves = drawn("validate broadcast" + cube);
  for (const char* words :
       {">broadcast<", ">unicast<", "2 virtual channels", "messages of 8 flits", "0.05 of them broadcast"})
    CHECK(points.find(words) != std::string::npos);
  for (const char* words : {"unicast, model", "broadcast, model", "broadcast, simulation"})
    CHECK(curves.find(words) != std::string::npos);
}

TEST_CASE("simulate hypercube, validate broadcast: errors name the option, the value and the legal range") {
  const std::string command = GENERATE("simulate hypercube ", "validate broadcast ");
  struct Case {
    const char* line;
    int status;
    std::vector<std::string> words;
  };
  const std::string cube = "--dimensions 3 --virtual-channels 2 --flits 8 --broadcast 0.1 ";
  const std::vector<Case> whole{
      {"--dimensions 0 --virtual-channels 2 --flits 8 --broadcast 0",
       2,
       {"--dimensions is 0", "from 1 to 16"}},
      {"--dimensions 17 --virtual-channels 2 --flits 8 --broadcast 0", 2, {"--dimensions is 17", "1 to 16"}},
      {"--dimensions 40 --virtual-channels 2 --flits 8 --broadcast 0", 2, {"--dimensions is 40", "1 to 16"}},
      {"--virtual-channels 2 --flits 8 --broadcast 0", 2, {"--dimensions", "missing", "1 to 16"}},
      {"--dimensions 3 --virtual-channels 1 --flits 8 --broadcast 0",
       2,
       {"--virtual-channels is 1", "2 to 64"}},
      {"--dimensions 3 --virtual-channels 65 --flits 8 --broadcast 0",
       2,
       {"--virtual-channels is 65", "2 to 64"}},
      {"--dimensions 3 --virtual-channels 2 --flits 0 --broadcast 0", 2, {"--flits is 0", "1 to 1000000"}},
      {"--dimensions 3 --virtual-channels 2 --flits 2e6 --broadcast 0",
       2,
       {"--flits is 2e6", "1 to 1000000"}},
      {"--dimensions 3 --virtual-channels 2 --flits 8 --broadcast 1.5", 2, {"--broadcast is 1.5", "0 to 1"}},
      {"--dimensions 3 --virtual-channels 2 --flits 8 --broadcast -0.1",
       2,
       {"--broadcast is -0.1", "0 to 1"}},
      {"--dimensions 3 --virtual-channels 2 --flits 8", 2, {"--broadcast", "missing"}},
  };
  const std::vector<Case> more{
      {"--startup 1.5", 2, {"--startup is 1.5", "integer"}},
      {"--startup -1", 2, {"--startup is -1"}},
      {"--rates 0", 2, {"--rates is 0", "above 0 and at most 1 message/cycle/node"}},
      {"--rates 1.5", 2, {"--rates is 1.5", "at most 1 message/cycle/node"}},
      {"--rates 5%", 2, {"--rates", "5%"}},
      {"--fractions 0", 2, {"--fractions is 0", "above 0"}},
      {"--fractions 100", 2, {"--fractions is 100", "where the rate is 1 message/cycle/node"}},
      {"--rates 0.01 --fractions 0.1", 2, {"--rates", "--fractions"}},
      {"--buffer-flits 0", 2, {"--buffer-flits is 0", "from 1 to 1000000"}},
      {"--rates 0.01,0.02 --checkpoint state", 2, {"--checkpoint", "single simulation"}},
      {"--rates 0.01 --resume /nowhere", 2, {"--resume is /nowhere"}},
      {"--rates 0.01 --cycles 1", 2, {"--cycles is 1"}},
      {"--rates 0.12 --cycles 20000", 1, {"saturated at rate 0.12 messages/cycle/node", "--saturation"}},
  };
  std::vector<std::pair<std::string, Case>> lines;
  for (const Case& rejection : whole) lines.emplace_back(command + rejection.line, rejection);
  for (const Case& rejection : more) lines.emplace_back(command + cube + rejection.line, rejection);
  if (command[0] == 's')
    for (const Case& rejection : std::vector<Case>{
             {"--percentiles 100 --rates 0.01", 2, {"--percentiles is 100"}},
             {"--saturation --rates 0.1",
              2,
              {"--rates is not allowed with --saturation", "chooses its own rates and run lengths"}},
             {"--saturation --fractions 0.1", 2, {"--fractions is not allowed with --saturation"}},
             {"--saturation --cycles 1000", 2, {"--cycles is not allowed with --saturation"}},
             {"--saturation --percentiles 50", 2, {"--percentiles is not allowed with --saturation"}},
             {"--saturation --precision 0", 2, {"--precision is 0", "0.05%"}},
             {"--precision 1% --rates 0.01", 2, {"--precision", "--saturation"}}})
      lines.emplace_back(command + cube + rejection.line, rejection);
  for (const auto& [line, rejection] : lines) {
    const Outcome outcome = run_line(line);
    INFO(line << "\n" << outcome.err);
    CHECK(outcome.status == rejection.status);
    CHECK(outcome.out.empty());
    for (const std::string& word : rejection.words) {
      INFO(word);
      CHECK(outcome.err.find(word) != std::string::npos);
    }
  }
}

}  // namespace
