#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <tests/golden/run_command.hpp>

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

// Command lines on combining multistage networks: answers in each format, and refusals.

namespace {

using nlohmann::json;
using tailbound::golden::Outcome;
using tailbound::golden::run_line;

json document(const std::string& line, int status = 0) {
  const Outcome outcome = run_line(line + " --format json");
  INFO(line << "\n" << outcome.err);
  REQUIRE(outcome.status == status);
  return json::parse(outcome.out);
}

const std::string network = "--nodes 64 --switch 2 --buffer 4 --hot 0.08 --combining 2 ";

TEST_CASE("multistage: the published variant in JSON and CSV") {
  const json answer = document("multistage " + network + "--variant published --loads 0.3,4/5");
  CHECK(answer["command"] == "multistage");
  CHECK(answer["kind"] == "model");
  CHECK(answer["inputs"]["hot"] == "2/25");
  CHECK(answer["saturation"]["without_combining"] == "25/87");
  REQUIRE(answer["points"].size() == 2);
  const json& point = answer["points"][1];
  CHECK(point["load"] == "4/5");
  CHECK(point["kind"] == "model");
  CHECK(point["throughput"].get<double>() == Approx(0.6916).margin(1e-5));
  CHECK(point["delay"].get<double>() == Approx(12.14402).margin(1e-5));
  CHECK(point["hot_delay"].get<double>() == Approx(14.51753).margin(1e-5));
  CHECK(point["hot_path"].size() == 6);
  CHECK(point["iteration"]["stop"] == "direct");
  const Outcome csv = run_line("multistage " + network + "--variant published --loads 0.3 --format csv");
  CHECK(csv.out.rfind("load,kind,throughput,delay,hot_delay,cold_delay,iteration\n3/10,model,0.29", 0) == 0);
}

TEST_CASE("multistage: the blocking variant is the default, says how it ended, and scales with the service") {
  const json one = document("multistage " + network + "--loads 0.5");
  CHECK(one["inputs"]["variant"] == "blocking");
  CHECK(one["points"][0]["iteration"]["stop"] == "converged");
  CHECK(one["points"][0]["delay"].get<double>() == Approx(8.272).epsilon(0.02));  // simulated
  const json five = document("multistage " + network + "--loads 0.5 --service 5/2");
  CHECK(five["points"][0]["delay"].get<double>() ==
        Approx(2.5 * one["points"][0]["delay"].get<double>()).epsilon(1e-12));
  CHECK(five["points"][0]["throughput"] == one["points"][0]["throughput"]);
  const Outcome table = run_line("multistage " + network + "--loads 0.8");
  CHECK(table.out.find("saturation  from load 0.8 on") != std::string::npos);
  CHECK(table.out.find("converged after") != std::string::npos);
  const Outcome full = run_line("multistage --nodes 64 --hot 0.08 --combining 1 --loads 0.8");
  CHECK(full.out.find("full from load 0.28736 on") != std::string::npos);
}

TEST_CASE("multistage: no hot requests, or hot ones alone, have no such delay") {
  CHECK(document("multistage --nodes 16 --hot 0 --loads 0.5")["points"][0]["hot_delay"].is_null());
  CHECK(document("multistage --nodes 16 --hot 1 --loads 0.5")["points"][0]["cold_delay"].is_null());
  CHECK(document("multistage --nodes 16 --hot 1 --combining unlimited --loads 0.5")["inputs"]["combining"] ==
        "unlimited");
}

TEST_CASE("simulate multistage: estimates whatever the threads") {
  const std::string line = "simulate multistage " + network + "--loads 0.3,0.5 --slots 2000 --seed 4";
  const json answer = document(line + " --threads 1");
  CHECK(answer == document(line + " --threads 2"));
  const json& point = answer["points"][1];
  CHECK(point["throughput"]["kind"] == "estimate");
  CHECK(point["delay"]["value"].get<double>() == Approx(8.272).epsilon(0.03));
  CHECK(point["delay"]["lower"].get<double>() < point["delay"]["upper"].get<double>());
  CHECK(point["hot_path"].size() == 6);
  CHECK(point["slots"].get<std::int64_t>() >= 2000);
  const json omega = document(line + " --wiring omega");
  CHECK(omega["inputs"]["wiring"] == "omega");
  CHECK(omega["points"][1]["delay"]["value"].get<double>() == Approx(8.272).epsilon(0.03));
  const json one = document(
      "simulate multistage --nodes 64 --hot 0.08 --combining 1 --links one --loads 1 "
      "--slots 2000");
  CHECK(one["inputs"]["links"] == "one");
  CHECK(one["points"][0]["throughput"]["value"].get<double>() == Approx(1 / 6.04).epsilon(0.02));
}

TEST_CASE("validate multistage: both models beside the simulation") {
  // Delays of blocking are a little short here, which the narrow interval shows.
  const json answer = document("validate multistage " + network + "--loads 0.5 --slots 20000", 1);
  CHECK(answer["optimistic_rows"].get<int>() > 0);
  CHECK(answer["rows"][1]["blocking"]["optimistic"] == true);
  REQUIRE(answer["rows"].size() == 4);
  const json& delay = answer["rows"][1];
  CHECK(delay["quantity"] == "delay");
  CHECK(std::abs(delay["blocking"]["error"].get<double>()) < 0.03);
  CHECK(std::abs(delay["published"]["error"].get<double>()) > 0.05);
}

TEST_CASE("multistage: refusals name the option, its value and what is legal") {
  struct Refusal {
    std::string line;
    int status;
    std::vector<const char*> said;
  };
  const std::string rest = " --hot 0.1 --loads 0.5";
  for (const std::string command : {"multistage", "simulate multistage", "validate multistage"})
    for (const Refusal& refusal : std::vector<Refusal>{
             {"", 2, {"--nodes", "missing"}},
             {" --nodes 64 --loads 0.5", 2, {"--hot", "missing"}},
             {" --nodes 64 --hot 0.1", 2, {"--loads", "missing"}},
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
      const Outcome outcome = run_line(command + refusal.line);
      INFO(command << refusal.line << "\n" << outcome.err);
      CHECK(outcome.status == refusal.status);
      CHECK(outcome.out.empty());
      for (const char* text : refusal.said) {
        INFO(text);
        CHECK(outcome.err.find(text) != std::string::npos);
      }
    }
  CHECK(run_line("multistage --nodes 64 --variant best" + rest).status == 2);
  CHECK(run_line("multistage --nodes 64 --buffer 2000" + rest).status == 1);
  CHECK(run_line("multistage --nodes 64 --buffer 2000 --variant published" + rest).status == 0);
  CHECK(run_line("simulate multistage --nodes 64 --wiring loose" + rest).status == 2);
  CHECK(run_line("simulate multistage --nodes 64 --links two" + rest).status == 2);
  CHECK(run_line("simulate multistage --nodes 64 --hot 0.1 --loads 0.1,0.2 --checkpoint x").status == 2);
}

}  // namespace
