#include <catch2/catch.hpp>
#include <tests/golden/csv_rows.hpp>
#include <tests/golden/folder.hpp>
#include <tests/golden/run_command.hpp>
#include <tests/golden/run_json.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

// Command lines on broadcasts in hypercubes: answers in each format, and errors.

namespace {

using tailbound::golden::holds;
using tailbound::golden::in_one_line;
using tailbound::golden::Outcome;
using tailbound::golden::run_json;
using tailbound::golden::run_line;

const std::string line = "broadcast --dimensions 6 --virtual-channels 4 --flits 32 --broadcast 0.01 ";

double value(const nlohmann::json& number) {
  CHECK(number["kind"] == "model");
  return number["value"].get<double>();
}

TEST_CASE("broadcast: JSON with known numbers") {
  const auto answer = run_json(line + "--fractions 10%,1/2,0.95");
  CHECK(answer["command"] == "broadcast");
  CHECK(answer["query"]["nodes"] == 64);
  CHECK(answer["query"]["startup"] == "1");
  CHECK(answer["query"]["broadcast"] == "0.01");
  CHECK(answer["query"]["fraction"] == std::vector<std::string>{"0.1", "0.5", "0.95"});
  REQUIRE(answer["results"].size() == 3);
  const auto& half = answer["results"][1];
  CHECK(value(half["saturation_rate"]) == Approx(0.0320066641).margin(5.1e-11));
  CHECK(value(half["fraction_of_saturation"]) == Approx(0.5).epsilon(1e-14));
  // The rate computed from a fraction is an input that gives the same.
  const auto again = run_json(line + "--rates " + half["rate"].get<std::string>())["results"][0];
  CHECK(again["unicast_latency"] == half["unicast_latency"]);
  CHECK(again["broadcast_latency"] == half["broadcast_latency"]);
  REQUIRE(half["channels"].size() == 6);
  for (const auto& dimension : half["channels"])
    CHECK(value(dimension["multiplexing"]) == value(half["channels"][0]["multiplexing"]));
}

TEST_CASE("broadcast: the start-up delays broadcasts, and not unicasts") {
  const auto none = run_json(line + "--rates 0,0.01 --startup 0"),
             much = run_json(line + "--rates 0,0.01 --startup 7/2");
  // Without load each of the n steps is longer by the start-up; with it a copy may wait in that time for the
  // one before (simulated at rate 0.01: 280.5 +- 1.5 without, 301.0 +- 1.5 with a start-up of 4).
  CHECK(value(much["results"][0]["broadcast_latency"]) ==
        Approx(value(none["results"][0]["broadcast_latency"]) + 6 * 3.5).epsilon(1e-3));
  for (std::size_t i = 0; i < 2; ++i) {
    const auto &without = none["results"][i], &with = much["results"][i];
    CHECK(with["unicast_latency"] == without["unicast_latency"]);
    CHECK(value(with["broadcast_latency"]) > value(without["broadcast_latency"]) + 5 * 3.5);
  }
  CHECK(run_json(line)["query"]["startup"] == "1");
  CHECK(run_json(line)["results"].size() == 9);
}

TEST_CASE("broadcast: lists of networks give all combinations, each as on its own") {
  const std::string lists =
      "broadcast --dimensions 3,4 --virtual-channels 2:4:2 --flits 8,32 --broadcast 0,1% --startup 1,2 "
      "--fractions 20%,50% ";
  const auto all = run_json(lists);
  REQUIRE(all["results"].size() == 2 * 2 * 2 * 2 * 2 * 2);
  CHECK(all["query"]["dimensions"] == std::vector<int>{3, 4});
  CHECK(all["query"]["broadcast"] == std::vector<std::string>{"0", "0.01"});
  const auto last = run_json(
      "broadcast --dimensions 4 --virtual-channels 4 --flits 32 --broadcast 0.01 --startup 2 "
      "--fractions 50%");
  // Except for the command that measures the accuracy, which covers all loads given.
  const auto without_command = [](nlohmann::json result) {
    result.erase("accuracy_command");
    return result;
  };
  CHECK(without_command(all["results"].back()) == without_command(last["results"][0]));
  const Outcome csv = run_line(lists + "--format csv");
  const auto rows = tailbound::golden::rows_of(csv.out);
  CHECK(rows.size() == 1 + 32 * (3 + 4));  // one row per dimension
  const Outcome table = run_line(lists);
  for (const char* words : {"dimensions", "virtual", "channels", "saturation", "share physical channels"})
    CHECK(holds(in_one_line(table.out), words));
}

TEST_CASE("broadcast: tables name the network and the measured error; CSV has one row per dimension") {
  const Outcome table = run_line(line + "--rates 0.0118");
  CHECK(table.status == 0);
  for (const char* words :
       {"6-dimensional hypercube (64 nodes) with 4 virtual channels", "injection wait", "multiplexing",
        "measured on", "this network", "+0.3 to +0.5 %", "identical", "0.0320066641 messages/cycle/node"})
    CHECK(holds(in_one_line(table.out), words));
  const Outcome quiet = run_line(line + "--fractions 50% --quiet");
  CHECK(std::count(quiet.out.begin(), quiet.out.end(), '\n') == 2);
  const auto csv = tailbound::golden::rows_of(run_line(line + "--rates 0,0.01 --format csv").out);
  REQUIRE(csv.size() == 1 + 2 * 6);
  const auto field = [&](std::size_t row, const std::string& name) {
    const auto column = std::find(csv[0].begin(), csv[0].end(), name);
    REQUIRE(column != csv[0].end());
    return csv[row][static_cast<std::size_t>(column - csv[0].begin())];
  };
  CHECK(field(1, "rate") == "0");
  CHECK(field(1, "unicast_latency_kind") == "model");
  CHECK(field(1, "fraction_of_saturation") == "0");
  CHECK(field(1, "unicast_latency").rfind("35.0476190476", 0) == 0);
  for (std::size_t i = 1; i <= 6; ++i) CHECK(field(i, "dimension") == std::to_string(i));
  for (const char* name : {"unicast_latency", "broadcast_latency", "multiplexing", "source_wait",
                           "source_utilization", "saturation_rate", "utilization", "service", "all_busy"})
    for (std::size_t i = 1; i < csv.size(); ++i) CHECK_NOTHROW(std::stod(field(i, name)));
}

TEST_CASE("broadcast: the plot has both latencies and the saturation") {
  const tailbound::golden::Folder folder;
  const std::string picture = folder / "latency.svg";
  CHECK(run_line(line + "--plot " + picture).status == 0);
  std::stringstream text;
  text << std::ifstream(picture).rdbuf();
  for (const char* words : {">broadcast<", ">unicast<", "saturation, 0.032007"})
    CHECK(text.str().find(words) != std::string::npos);
  // Without broadcasts there is no broadcast curve; several networks have one curve each.
  const std::string none = folder / "none.svg", many = folder / "many.svg";
  CHECK(run_line("broadcast --dimensions 4 --virtual-channels 2 --flits 8 --broadcast 0 --plot " + none)
            .status == 0);
  CHECK(tailbound::golden::content(none).find(">broadcast<") == std::string::npos);
  CHECK(tailbound::golden::content(none).find(">unicast<") != std::string::npos);
  CHECK(run_line("broadcast --dimensions 3,4 --virtual-channels 2 --flits 8 --broadcast 0.1 --plot " + many)
            .status == 0);
  CHECK(tailbound::golden::content(many).find("unicast, dimensions 4") != std::string::npos);
}

TEST_CASE("broadcast: errors name the option, the value and the legal range") {
  struct Case {
    const char* line;
    int status;
    std::vector<std::string> words;
  };
  const auto [arguments, status, words] = GENERATE(values<Case>({
      {"--dimensions 0 --virtual-channels 4 --flits 32 --broadcast 0", 2, {"--dimensions", "0", "1 to 20"}},
      {"--dimensions 40 --virtual-channels 4 --flits 32 --broadcast 0", 2, {"--dimensions", "40", "1 to 20"}},
      {"--dimensions 2.5 --virtual-channels 4 --flits 32 --broadcast 0", 2, {"--dimensions", "2.5"}},
      {"--virtual-channels 4 --flits 32 --broadcast 0", 2, {"--dimensions", "missing", "1 to 20"}},
      {"--dimensions 6 --flits 32 --broadcast 0", 2, {"--virtual-channels", "missing", "at least 2"}},
      {"--dimensions 6 --virtual-channels 1 --flits 32 --broadcast 0",
       2,
       {"--virtual-channels is 1", "an integer from 2"}},
      {"--dimensions 6 --virtual-channels 4 --broadcast 0", 2, {"--flits", "missing"}},
      {"--dimensions 6 --virtual-channels 4 --flits 0 --broadcast 0", 2, {"--flits is 0", "from 1"}},
      {"--dimensions 6 --virtual-channels 4 --flits 32", 2, {"--broadcast", "missing"}},
      {"--dimensions 6 --virtual-channels 4 --flits 32 --broadcast -0.1",
       2,
       {"--broadcast", "-0.1", "0 to 1"}},
      {"--dimensions 6 --virtual-channels 4 --flits 32 --broadcast 1.01",
       2,
       {"--broadcast", "1.01", "0 to 1"}},
      {"--dimensions 6 --virtual-channels 4 --flits 32 --broadcast 101%", 2, {"--broadcast", "101%"}},
      {"--dimensions 6 --virtual-channels 4 --flits 32 --broadcast few", 2, {"--broadcast", "few"}},
      {"--dimensions 6 --virtual-channels 4 --flits 32 --broadcast 0.1,1.2", 2, {"--broadcast is 1.2"}},
      {"--dimensions 6,21 --virtual-channels 4 --flits 32 --broadcast 0",
       2,
       {"--dimensions is 21", "1 to 20"}},
      {"--dimensions 6 --virtual-channels 4 --flits 32 --broadcast 0 --startup -1",
       2,
       {"--startup is -1;", "from 0"}},
      {"--dimensions 6 --virtual-channels 4 --flits 32 --broadcast 0 --rates -0.01", 2, {"--rates", "-0.01"}},
      {"--dimensions 6 --virtual-channels 4 --flits 32 --broadcast 0 --rates 0.01 --fractions 0.1",
       2,
       {"--rates", "--fractions"}},
      {"--dimensions 6 --virtual-channels 4 --flits 32 --broadcast 0 --fractions 100%",
       2,
       {"--fractions", "below 1"}},
      {"--dimensions 6 --virtual-channels 4 --flits 32 --broadcast 0 --plot p.gif", 2, {"--plot", "p.gif"}},
      {"--dimensions 6 --virtual-channels 4 --flits 32 --broadcast 0.01 --rates 0.04",
       1,
       {"rate 0.04", "saturates at 0.0320066641", "20 % below"}},
  }));
  const Outcome outcome = run_line(std::string("broadcast ") + arguments);
  INFO(arguments << "\n" << outcome.err);
  CHECK(outcome.status == status);
  CHECK(outcome.out.empty());
  for (const std::string& word : words) CHECK(outcome.err.find(word) != std::string::npos);
}

}  // namespace
