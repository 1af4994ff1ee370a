#include <catch2/catch.hpp>
#include <cli/command_runner.hpp>
#include <cli/options/traffic_options.hpp>
#include <nlohmann/json.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/core/unwritable.hpp>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

// An option that is accepted acts: in every form of a command, each further one changes the result or is an
// error.

namespace {

using namespace tailbound;
using cli::CommandRunner;
using options::Option;
using Typed = std::vector<std::pair<std::string, std::string>>;

const std::string traffic_files = std::string(TAILBOUND_DATA_DIR) + "/traffic/";
const std::string network_files = std::string(TAILBOUND_DATA_DIR) + "/networks/";

/// A value of each option that is not the default of any form. Options of a new name need one here.
const std::map<std::string, std::string>& values() {
  static const std::map<std::string, std::string> all{{"--inputs", "3"},
                                                      {"--load", "0.3"},
                                                      {"--traffic", "poisson"},
                                                      {"--rates", "0.1,0.2"},
                                                      {"--arrivals", "z/2+1/2"},
                                                      {"--pmf", traffic_files + "dice.txt"},
                                                      {"--normalize", ""},
                                                      {"--exact", ""},
                                                      {"--burst", "3"},
                                                      {"--on-rate", "0.95"},
                                                      {"--destination", "per-packet"},
                                                      {"--blocks", traffic_files + "two_inputs.json"},
                                                      {"--classes", "0.1,0.2"},
                                                      {"--traffic-file", "no_such_file.json"},
                                                      {"--incast", "4,3,0.01"},
                                                      {"--spread", "3"},
                                                      {"--joint", traffic_files + "two_classes.csv"},
                                                      {"--packets-per-slot", "5"},
                                                      {"--drop", "0.05"},
                                                      {"--class-drops", "0.1,0.2"},
                                                      {"--capacity", "7"},
                                                      {"--solve", "load"},
                                                      {"--criterion", "loss"},
                                                      {"--shared", ""},
                                                      {"--outputs", "5"},
                                                      {"--threshold", "1"},
                                                      {"--matrix", network_files + "two_switches.csv"},
                                                      {"--sizes", "64:1,128:1"},
                                                      {"--cell-bytes", "48"},
                                                      {"--arrive", "cells"},
                                                      {"--police", "0.5,3"},
                                                      {"--offered", "0.2"},
                                                      {"--message", "2"},
                                                      {"--arithmetic", "multiprecision"},
                                                      {"--digits", "7"},
                                                      {"--packet-bytes", "100"},
                                                      {"--link-gbps", "100"},
                                                      {"--levels", "0,5"},
                                                      {"--until", "0.01"},
                                                      {"--of", "arrivals"},
                                                      {"--as", "latex"},
                                                      {"--moments", ""},
                                                      {"--cancel", ""},
                                                      {"--bucket", "2 x 1/9,2"},
                                                      {"--periodic", "2 x 9"},
                                                      {"--sporadic", "2 x 9"},
                                                      {"--ever", "0.1"},
                                                      {"--network", network_files + "plant.toml"},
                                                      {"--flow", "alarm6"},
                                                      {"--port", "s1 -> s2"},
                                                      {"--method", "tfa"},
                                                      {"--certificate", "no_such_folder/proof.json"},
                                                      {"--headroom", ""},
                                                      {"--cable", "77"},
                                                      {"--sender-ns", "7"},
                                                      {"--pause-quanta", "7"},
                                                      {"--receiver-ns", "7"},
                                                      {"--shortest", "77"},
                                                      {"--return-bytes", "777"},
                                                      {"--return-gbps", "7"},
                                                      {"--metre-ns", "4.5"},
                                                      {"--phy-ns", "7"},
                                                      {"--scheduler", "greedy"},
                                                      {"--iterations", "1"},
                                                      {"--crosspoint", "2"},
                                                      {"--speedup", "3"},
                                                      {"--output-speedup", "2"},
                                                      {"--output-buffer", "2"},
                                                      {"--saturation", ""},
                                                      {"--percentiles", "99.9"},
                                                      {"--ccdf", "9"},
                                                      {"--crossbar", "3"},
                                                      {"--row", "0.2,3"},
                                                      {"--column", "0.2,3"}};
  return all;
}

/// Options that may leave a result as it is.
bool may_change_nothing(const std::string& command, const Typed& given, const std::string& option) {
  const auto has = [&](const char* name) {
    return std::any_of(given.begin(), given.end(), [&](const auto& each) { return each.first == name; });
  };
  // Statements about probabilities whose sum is 1 here.
  const bool of_probabilities = has("--pmf") || has("--blocks") || has("--joint") || has("--traffic-file");
  if (of_probabilities && (option == "--normalize" || option == "--exact")) return true;
  // Loss is the only one, or the default.
  if ((has("--threshold") || has("--incast")) && option == "--criterion") return true;
  return command == "guarantee" && option == "--port";  // concerns the picture
}

Typed typed(const std::string& line) {
  Typed given;
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    if (word.starts_with("--"))
      given.emplace_back(word, "");
    else
      given.back().second += (given.back().second.empty() ? "" : " ") + word;
  }
  return given;
}

std::string result_of(const CommandRunner& runner, const Typed& given) {
  const cli::Reply reply = runner.answer(given);
  const auto document =
      nlohmann::json::parse(render::to_json(reply.document, {.version = "0", .quiet = false}));
  return document["results"].dump() + reply.text.value_or("");
}

const std::vector<std::pair<std::string, std::string>>& forms() {
  static const std::vector<std::pair<std::string, std::string>> all{
      {"buffer", "--inputs 4 --load 0.8 --drop 1e-3"},
      {"buffer", "--inputs 4 --load 0.8 --capacity 10"},
      {"buffer", "--inputs 4 --capacity 20 --drop 0.01 --solve load"},
      {"buffer", "--rates 0.3,0.4 --drop 0.01"},
      {"buffer", "--traffic poisson --load 0.5 --drop 0.01"},
      {"buffer", "--traffic md1 --load 0.5 --drop 0.01"},
      {"buffer", "--arrivals z/3+2/3 --drop 0.01"},
      {"buffer", "--pmf " + traffic_files + "dice.txt --packets-per-slot 4 --drop 0.01"},
      {"buffer", "--inputs 2 --load 0.6 --burst 4 --drop 0.01"},
      {"buffer", "--blocks " + traffic_files + "two_inputs.json --drop 0.01"},
      {"buffer", "--inputs 4 --classes 0.3,0.3 --drop 0.01"},
      {"buffer", "--joint " + traffic_files + "two_classes.csv --drop 0.01"},
      {"buffer", "--incast 4,2,0.02 --drop 0.01"},
      {"buffer", "--shared --inputs 4 --load 0.8 --drop 0.01"},
      {"buffer", "--shared --rates 0.8,0.5,0.5 --drop 0.01"},
      {"buffer", "--shared --matrix " + network_files + "two_switches.csv --drop 0.01"},
      {"buffer", "--shared --inputs 4 --load 0.8 --threshold 2 --capacity 30"},
      {"buffer", "--shared --inputs 4 --load 0.5 --sizes imix --drop 0.01"},
      {"buffer", "--sizes imix --inputs 4 --load 0.5 --drop 0.01"},
      {"buffer", "--inputs 4 --police 0.5,2 --drop 0.01"},
      {"buffer", "--inputs 4 --police 0.5,2 --capacity 4"},
      {"buffer", "--inputs 4 --police 0.5,b --capacity 5 --drop 0.01 --solve burst"},
      {"crossbar", "--inputs 4 --load 0.8 --percentiles 99 --drop 1e-3"},
      {"crossbar", "--inputs 4 --scheduler fifo --saturation"},
      {"crossbar", "--inputs 4 --scheduler tdm --capacity 30 --drop 1e-3 --solve load"},
      {"occupancy", "--inputs 4 --load 0.8 --levels 0,3"},
      {"occupancy", "--inputs 2 --load 0.6 --burst 4 --levels 0,3"},
      {"occupancy", "--blocks " + traffic_files + "two_inputs.json --levels 0,3"},
      {"occupancy", "--inputs 4 --classes 0.3,0.3 --levels 0,3"},
      {"pgf", "--inputs 4 --load 0.8"},
      {"pgf", "--inputs 4 --load 0.8 --of arrivals"},
      {"pgf", "--inputs 4 --load 0.8 --burst 4 --destination per-packet --of arrivals"},
      {"guarantee", "--bucket 3 x 1/9,3"},
      {"guarantee", "--periodic 3 x 7 --drop 0.01"},
      {"guarantee", "--periodic 3 x t --capacity 3 --solve rate"},
      {"guarantee", "--network " + network_files + "plant.toml --flow alarm0"},
      {"guarantee", "--headroom --link-gbps 400 --cable 10"},
      {"guarantee", "--crossbar 4 --row 0.5,2 --column 0.5,4"}};
  return all;
}

TEST_CASE("options: every one that is accepted acts") {
  int acting = 0, rejected = 0;
  for (const auto& [command, line] : forms()) {
    const CommandRunner runner(command);
    const Typed given = typed(line);
    const std::string before = result_of(runner, given);
    for (const Option& option : runner.options().options) {
      if (option.name.starts_with("--") == false) continue;
      if (std::any_of(given.begin(), given.end(),
                      [&](const auto& each) { return each.first == option.name; }))
        continue;
      INFO(command << " " << line << ", and " << option.name);
      const auto value = values().find(option.name);
      REQUIRE(value != values().end());
      Typed more = given;
      more.emplace_back(*value);
      try {
        const std::string after = result_of(runner, more);
        CHECK((after != before || may_change_nothing(command, given, option.name)));
        ++acting;
      } catch (const InvalidArgument&) {
        ++rejected;
      } catch (const ParseError&) {  // a file that is not there: it is read
        ++rejected;
      } catch (const NoAnswer&) {  // another query
        ++acting;
      } catch (const Unwritable&) {  // in a folder that is not there
        ++acting;
      }
    }
  }
  CHECK(acting >= 150);
  CHECK(rejected > 500);
}

TEST_CASE("options: one that does not act is rejected with both names and a reason") {
  const auto message_of = [](const std::string& command, const std::string& line) {
    try {
      static_cast<void>(CommandRunner(command).answer(typed(line)));
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  for (const char* other : {"--incast 4,3,0.01", "--traffic-file a.json", "--pmf a", "--burst 3",
                            "--rates 0.1,0.2", "--arrivals z", "--blocks a", "--destination per-packet"}) {
    const std::string name = typed(other).front().first;
    for (const char* form : {"--inputs 4 --police 0.5,2", "--inputs 4 --load 0.5 --shared",
                             "--inputs 4 --load 0.5 --sizes imix"}) {
      const std::string message = message_of("buffer", std::string(form) + " --drop 0.1 " + other);
      INFO(form << " " << other << ": " << message);
      // With the form, or as a second source of traffic.
      CHECK(message.find(name) != std::string::npos);
      CHECK(message.find(" is not allowed with --") != std::string::npos);
      CHECK(message.find(": ") != std::string::npos);
    }
  }
  CHECK(message_of("buffer", "--inputs 4 --police 0.5,2 --drop 0.1 --normalize")
            .find("--normalize is not allowed with --police") != std::string::npos);
  CHECK(message_of("buffer", "--blocks a --classes 0.1,0.2 --drop 0.1")
            .find("--blocks is not allowed with --classes") != std::string::npos);
  CHECK(message_of("buffer", "--inputs 4 --load 0.5 --drop 0.1 --offered 0.2")
            .find("--offered needs --police") != std::string::npos);
}

TEST_CASE("options: the list of given traffic options is complete") {
  cli::TrafficOptions traffic;
  cli::OptionTable table;
  cli::add_traffic_options(table, traffic);
  for (const Option& option : table.options) {
    INFO(option.name);
    option.set("1");
    const auto given = cli::given_options(traffic);
    REQUIRE(given.size() == 1);
    CHECK(given.front().name == option.name);
    CHECK((given.front().text != nullptr) == (option.text != nullptr));
    option.clear();
  }
}

}  // namespace
