#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <tests/golden/csv_rows.hpp>
#include <tests/golden/run_command.hpp>
#include <tests/golden/run_json.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

// Command lines on combining multistage networks: answers in each format, and errors.

namespace {

using nlohmann::json;
using tailbound::golden::at;
using tailbound::golden::in_one_line;
using tailbound::golden::Outcome;
using tailbound::golden::rows_of;
using tailbound::golden::run_line;
using tailbound::golden::value_of;

json document(const std::string& line, int status = 0) {
  const Outcome outcome = run_line(line + " --format json");
  INFO(line << "\n" << outcome.err);
  REQUIRE(outcome.status == status);
  return json::parse(outcome.out);
}

const std::string stage_network = "--nodes 64 --switch 2 --buffer 4 --hot 0.08 --combining 2 --links any ";

bool reads_as_number(const std::string& text) {
  std::size_t end = 0;
  static_cast<void>(std::stod(text, &end));
  return end == text.size();
}

TEST_CASE("multistage: JSON and CSV") {
  const json answer = document("multistage " + stage_network + "--loads 0.3,4/5");
  CHECK(answer["command"] == "multistage");
  CHECK(answer["query"]["hot"] == "0.08");
  CHECK(answer["query"]["load"] == json({"0.3", "0.8"}));
  REQUIRE(answer["results"].size() == 2);
  const json& point = answer["results"][1];
  CHECK(point["saturation_bound"]["value"] == "1");
  CHECK(point["links"] == "any");
  CHECK(point["load"] == "0.8");
  CHECK(point["throughput"]["kind"] == "model");
  CHECK(value_of(point["throughput"]) > 0.7);
  CHECK(value_of(point["hot_delay"]) > value_of(point["delay"]));
  CHECK(point["hot_path"].size() == 6);
  CHECK(point["iteration"] == "converged");
  const Outcome csv = run_line("multistage " + stage_network + "--loads 0.3,0.8 --format csv");
  const auto rows = rows_of(csv.out);
  REQUIRE(rows.size() == 13);  // one row per stage
  CHECK(at(rows, 1, "load") == "0.3");
  CHECK(at(rows, 1, "throughput_kind") == "model");
  CHECK(at(rows, 1, "throughput").rfind("0.29", 0) == 0);
  CHECK(at(rows, 12, "load") == "0.8");
  CHECK(at(rows, 12, "stage") == "5");
  CHECK(at(rows, 12, "combining") == "2");
  for (std::size_t row = 1; row < rows.size(); ++row)
    for (const char* key : {"load", "hot", "throughput", "delay", "hot_delay", "cold_delay", "occupancy",
                            "hot_path_combining", "utilization"}) {
      INFO(key);
      CHECK(reads_as_number(at(rows, row, key)));
    }
}

TEST_CASE("multistage: the model reports its convergence, and scales with the service") {
  const json one = document("multistage " + stage_network + "--loads 0.5")["results"][0];
  CHECK(one["iteration"] == "converged");
  CHECK(value_of(one["delay"]) == Approx(8.272).epsilon(0.02));  // simulated
  const json five = document("multistage " + stage_network + "--loads 0.5 --service 5/2")["results"][0];
  CHECK(value_of(five["delay"]) == Approx(2.5 * value_of(one["delay"])).epsilon(1e-12));
  CHECK(five["throughput"] == one["throughput"]);
  for (const char* loads : {"--loads 0.8", "--loads 0.3,0.8"}) {
    const Outcome table = run_line("multistage " + stage_network + loads);
    INFO(table.out);
    CHECK(table.out.find("load 0.73") != std::string::npos);
    CHECK(in_one_line(table.out).find("links pass any number at a time") != std::string::npos);
    CHECK(table.out.find("converged after") != std::string::npos);
  }
  const Outcome full = run_line("multistage --nodes 64 --hot 0.08 --combining 1 --links any --loads 0.8");
  CHECK(full.out.find("at most 0.28736, exact") != std::string::npos);
}

TEST_CASE("multistage: links pass one request at a time by default") {
  const Outcome one = run_line("multistage --nodes 64 --hot 0.08 --combining 1 --loads 0.5");
  CHECK(one.out.find("links pass one request at a time") != std::string::npos);
  CHECK(one.out.find("at most 0.16556, exact") != std::string::npos);
  const std::string line = "--nodes 64 --hot 0.08 --combining 1 --loads 0.5";
  const json point = document("multistage " + line)["results"][0];
  CHECK(point["links"] == "one");
  CHECK(value_of(point["throughput"]) <= 25.0 / 151);
  CHECK(document("simulate multistage " + line + " --slots 300")["query"]["links"] == "one");
  // The search depends on the network, not on the loads.
  const json coarse = document("multistage --nodes 64 --hot 0.08 --loads 0.1:1:0.1")["results"];
  const json fine = document("multistage --nodes 64 --hot 0.08 --loads 0.52,0.53")["results"];
  CHECK(coarse[9]["saturation_load"] == fine[0]["saturation_load"]);
}

TEST_CASE("multistage: lists of every option, percentages, and default loads") {
  const json answer = document(
      "multistage --nodes 16,64 --hot 0%,8% --buffer 2:4:2 --combining 1,unlimited "
      "--loads 0.5");
  REQUIRE(answer["results"].size() == 16);
  CHECK(answer["query"]["nodes"] == json({16, 64}));
  CHECK(answer["query"]["hot"] == json({"0", "0.08"}));
  CHECK(answer["query"]["buffer"] == json({2, 4}));
  CHECK(answer["query"]["combining"] == json({"1", "unlimited"}));
  const json single =
      document("multistage --nodes 64 --hot 0.08 --buffer 4 --combining unlimited --loads 0.5")["results"][0];
  CHECK(std::count(answer["results"].begin(), answer["results"].end(), single) == 1);
  CHECK(document("multistage --nodes 16 --hot 8%")["results"].size() == 10);
  CHECK(document("simulate multistage --nodes 16 --hot 0.1,0.2 --wiring baseline,omega --loads 0.2 "
                 "--slots 400")["results"]
            .size() == 4);
  const Outcome table = run_line("multistage --nodes 16 --hot 0,0.1 --loads 0.2,0.4 --format markdown");
  CHECK(table.out.find("| hot") != std::string::npos);
}

TEST_CASE("multistage: the headline has the saturation loads, and how many networks have none") {
  const Outcome three = run_line("multistage --nodes 16 --hot 0 --buffer 4,64,150 --links any --loads 0.2");
  CHECK(three.out.starts_with(
      "About 0.7554 requests per processor and service time is the saturation load; 2 of 3 networks do not\n"
      "saturate.\n"));
  CHECK(three.out.find("Queues on the path of hot requests") == std::string::npos);
}

TEST_CASE("multistage: without hot requests, or with only hot ones, the delay is missing") {
  CHECK(document("multistage --nodes 16 --hot 0 --loads 0.5")["results"][0]["hot_delay"].is_null());
  CHECK(document("multistage --nodes 16 --hot 1 --loads 0.5")["results"][0]["cold_delay"].is_null());
  CHECK(document("multistage --nodes 16 --hot 1 --combining unlimited --loads 0.5")["query"]["combining"] ==
        "unlimited");
}

TEST_CASE("simulate multistage: estimates are independent of threads") {
  const std::string line = "simulate multistage " + stage_network + "--loads 0.3,0.5 --slots 2000 --seed 4";
  const json answer = document(line + " --threads 1");
  CHECK(answer == document(line + " --threads 2"));
  const json& point = answer["results"][1];
  CHECK(point["throughput"]["kind"] == "estimate");
  CHECK(value_of(point["delay"]) == Approx(8.272).epsilon(0.03));
  CHECK(point["delay"]["lower"].get<double>() < point["delay"]["upper"].get<double>());
  CHECK(point["hot_path"].size() == 6);
  CHECK(point["slots"].get<std::int64_t>() >= 2000);
  const json omega = document(line + " --wiring omega");
  CHECK(omega["query"]["wiring"] == "omega");
  CHECK(value_of(omega["results"][1]["delay"]) == Approx(8.272).epsilon(0.03));
  const json one = document(
      "simulate multistage --nodes 64 --hot 0.08 --combining 1 --links one --loads 1 "
      "--slots 2000");
  CHECK(one["query"]["links"] == "one");
  CHECK(value_of(one["results"][0]["throughput"]) == Approx(1 / 6.04).epsilon(0.02));
  const auto rows = rows_of(run_line(line + " --format csv").out);
  REQUIRE(rows.size() == 13);
  for (const char* key : {"seed", "slots", "throughput", "throughput_lower", "delay_upper", "stalled"})
    CHECK(reads_as_number(at(rows, 8, key)));
}

TEST_CASE("validate multistage: the model and the simulation") {
  // The model slightly underestimates delays here, which the narrow interval shows.
  const json answer = document("validate multistage " + stage_network + "--loads 0.5 --slots 20000", 1);
  const json& point = answer["results"][0];
  CHECK(point["underestimated_rows"].get<int>() > 0);
  CHECK(point["rows"][1]["verdict"] == "below");
  REQUIRE(point["rows"].size() == 4);
  const json& delay = point["rows"][1];
  CHECK(delay["quantity"] == "delay");
  CHECK(std::abs(value_of(delay["error"])) < 0.03);
  CHECK(value_of(delay["error"]) ==
        Approx(value_of(delay["prediction"]) / value_of(delay["simulation"]) - 1).epsilon(1e-9));
  const auto rows = rows_of(
      run_line("validate multistage " + stage_network + "--loads 0.3,0.5 --slots 2000 --format csv").out);
  REQUIRE(rows.size() == 9);
  CHECK(at(rows, 5, "load") == "0.5");
  CHECK(at(rows, 5, "quantity") == "throughput");
  for (const char* key : {"simulation", "simulation_lower", "prediction", "error"})
    CHECK(reads_as_number(at(rows, 5, key)));
}

TEST_CASE("multistage: no throughput above the exact bound, and loads of one network have one note") {
  const Outcome outcome =
      run_line("multistage --nodes 256 --hot 5% --combining 1 --loads 0.0725,0.073,0.0735,0.075");
  CHECK(outcome.status == 1);
  CHECK(in_one_line(outcome.err).find("the throughput is at most 4/55") != std::string::npos);
  const std::string text = in_one_line(outcome.out);
  CHECK(text.find("2 of 4 points have no answer") != std::string::npos);
  const std::size_t note = text.find("not measured for this network");
  CHECK(note != std::string::npos);
  CHECK(text.find("not measured for this network", note + 1) == std::string::npos);
  // What converges, or stays within the bound, is answered.
  CHECK(run_line("multistage --nodes 256 --hot 5% --combining 1 --loads 0.0727,0.075").status == 0);
}

TEST_CASE("multistage: errors name the option, its value and the legal range") {
  struct Rejection {
    std::string line;
    int status;
    std::vector<const char*> expected;
  };
  const std::string rest = " --hot 0.1 --loads 0.5";
  for (const std::string command : {"multistage", "simulate multistage", "validate multistage"})
    for (const Rejection& rejection : std::vector<Rejection>{
             {"", 2, {"--nodes", "missing"}},
             {" --nodes 64 --loads 0.5", 2, {"--hot", "missing"}},
             {" --nodes 60" + rest, 2, {"--nodes", "60", "power of the switch size 2"}},
             {" --nodes 64 --switch 3" + rest, 2, {"--nodes", "64", "27 or 81"}},
             {" --nodes x" + rest, 2, {"--nodes", "x", "power of the switch size"}},
             {" --nodes 64 --switch 1" + rest, 2, {"--switch", "1", "from 2 to 512"}},
             {" --nodes 64 --buffer 0" + rest, 2, {"--buffer", "0", "from 1"}},
             {" --nodes 64 --buffer x" + rest, 2, {"--buffer", "x", "from 1 to 10000"}},
             {" --nodes 64 --combining 0" + rest, 2, {"--combining", "0", "unlimited"}},
             {" --nodes 64 --combining 1.5" + rest, 2, {"--combining", "1.5", "from 1", "unlimited"}},
             {" --nodes 64 --combining many" + rest, 2, {"--combining", "many", "unlimited"}},
             {" --nodes 64 --service 0" + rest, 2, {"--service", "0", "above 0"}},
             {" --nodes 64 --hot -0.1 --loads 0.5", 2, {"--hot", "-0.1", "from 0 to 1"}},
             {" --nodes 64 --hot 1.1 --loads 0.5", 2, {"--hot", "1.1", "from 0 to 1"}},
             {" --nodes 64 --hot 0.1 --loads 0", 2, {"--loads", "0", "above 0 and at most 1"}},
             {" --nodes 64 --hot 0.1 --loads 0.5,1.1", 2, {"--loads", "1.1", "above 0 and at most 1"}},
             {" --nodes 64 --hot 0.1 --loads 0.5 --curve up", 2, {"--curve", "up", "delay"}}}) {
      const Outcome outcome = run_line(command + rejection.line);
      INFO(command << rejection.line << "\n" << outcome.err);
      CHECK(outcome.status == rejection.status);
      CHECK(outcome.out.empty());
      for (const char* text : rejection.expected) {
        INFO(text);
        CHECK(outcome.err.find(text) != std::string::npos);
      }
    }
  CHECK(run_line("multistage --nodes 64 --buffer 2000" + rest).status == 1);
  CHECK(run_line("simulate multistage --nodes 64 --wiring loose" + rest).status == 2);
  CHECK(run_line("simulate multistage --nodes 64 --links two" + rest).status == 2);
  CHECK(run_line("simulate multistage --nodes 64 --hot 0.1 --loads 0.1,0.2 --checkpoint x").status == 2);
}

}  // namespace
