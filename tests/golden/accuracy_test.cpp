#include <catch2/catch.hpp>
#include <cli/command_runner.hpp>
#include <tailbound/answers/accuracy/accuracy_settings.hpp>
#include <tailbound/answers/broadcast/broadcast.hpp>
#include <tailbound/answers/wormhole/wormhole.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/render/documents/accuracy/accuracy.hpp>
#include <tests/golden/csv_rows.hpp>
#include <tests/golden/run_json.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <stop_token>
#include <string>
#include <vector>

// Accuracy statements of answers, and the commands of the table: each is accepted, and reproduces the row.

namespace {

using namespace tailbound::answers;
namespace network = tailbound::network;
using tailbound::golden::at;
using tailbound::golden::in_one_line;
using tailbound::golden::rows_of;
using tailbound::golden::run_json;
using tailbound::golden::run_line;

std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words;
  std::istringstream text(command);
  for (std::string word; text >> word;) words.push_back(word);
  REQUIRE(words.size() > 2);
  CHECK(words.front() == "tailbound");
  words.erase(words.begin());
  return words;
}

/// Parses its options and creates its network; nothing is simulated.
void check_accepted(const std::string& command) {
  INFO(command);
  std::stop_source stopped;
  stopped.request_stop();
  try {
    static_cast<void>(tailbound::cli::answer_document(words_of(command), {.stop = stopped.get_token()}));
  } catch (const tailbound::Stopped&) {
    SUCCEED("stopped");
  }
}

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

/// Runs the command of a row with the given length: errors lie in the row's ranges, widened by both
/// intervals.
void check_reproduced(const AccuracyRow& row, const std::string& length) {
  const std::string command = tailbound::render::reproducing_command(row);
  INFO(command);
  const auto answer =
      tailbound::golden::run_line(command.substr(command.find(' ') + 1) + length + " --format json");
  REQUIRE((answer.status == 0 || answer.status == 1));
  const auto results = nlohmann::json::parse(answer.out)["results"];
  std::vector<MeasuredError> errors;
  for (const MeasuredError& error : row.errors)
    if (error.quantity == Quantity::mean_latency) errors.push_back(error);
  REQUIRE(results.size() == errors.size());
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const auto& row_of_latency = results[i]["rows"][0];
    const auto& simulated = row_of_latency["simulation"];
    INFO(errors[i].at << ": " << results[i].dump());
    if (std::isinf(errors[i].largest)) {
      CHECK(row_of_latency["prediction"].is_null());
      continue;
    }
    REQUIRE(row_of_latency["prediction"].is_object());
    const double predicted = row_of_latency["prediction"]["value"].get<double>();
    const double mean = simulated["value"].get<double>();
    // 95 % intervals widened to 99.9 %; those of the first rows as in docs/derivations.
    const double half_width = 1.7 * (simulated["upper"].get<double>() / mean - 1);
    const double then = row.measured == "0.1.0" ? (errors[i].at > 0.9    ? 0.03
                                                   : errors[i].at > 0.85 ? 0.014
                                                                         : 0.012)
                                                : 0.001;
    CHECK(predicted / mean - 1 > errors[i].minimum - then - half_width * predicted / mean);
    CHECK(predicted / mean - 1 < errors[i].largest + then + half_width * predicted / mean);
  }
}

const AccuracyRow& row_of(const WormholeQuery& query) {
  const Accuracy found = accuracy(requested_accuracy(query, {0.5}));
  REQUIRE(found.rows.size() == 1);
  return *found.rows.front();
}

WormholeQuery of(network::WormTopology topology, std::int64_t flits, std::optional<int> channels = {}) {
  return {.network = topology, .messages = {.flits = flits}, .offered = {}, .virtual_channels = channels};
}

}  // namespace

/// \param part  one in `part` of the commands
void check_commands(std::size_t part) {
  std::set<std::string> commands;
  for (const AccuracyRow& row : accuracy_rows()) commands.insert(tailbound::render::reproducing_command(row));
  CHECK(commands.size() > 130);
  std::size_t i = 0;
  for (const std::string& command : commands)
    if (i++ % part == 0) check_accepted(command);
}

TEST_CASE("accuracy: commands of rows are accepted") {
  check_commands(32);
}

TEST_CASE("accuracy: the command of every row is accepted", "[.full]") {
  check_commands(1);
}

TEST_CASE("accuracy: short runs of some rows give them again") {
  using tailbound::network::WormShape;
  check_reproduced(row_of(of({.nodes = 16}, 5)), " --cycles 30000");
  check_reproduced(row_of(of({.shape = WormShape::unidirectional_torus, .nodes = 16}, 5)), " --cycles 30000");
  check_reproduced(row_of(of({.nodes = 64}, 5, 2)), " --cycles 40000");
}

TEST_CASE("accuracy: all wormhole rows are reproduced", "[.full]") {
  for (const AccuracyRow& row : accuracy_rows())
    if (row.model == MeasuredModel::wormhole_finite_source || row.model == MeasuredModel::wormhole_paper)
      check_reproduced(row, "");
}

TEST_CASE("accuracy: one statement for a measured network, for one between two, and for one outside") {
  const std::string mesh = "wormhole --topology mesh --nodes 64 --fractions 30%,80% --flits ";
  const std::string inside = in_one_line(run_line(mesh + "32").out);
  CHECK(inside.find("Accuracy, as model / simulation - 1: measured on this network (8 x 8 mesh, 1 virtual "
                    "channel, 32 flits) up to 80 % of the "
                    "simulated saturation load: mean latency -1.0 to +0.1 %, saturation load -2.4 %") !=
        std::string::npos);
  const std::string between = in_one_line(run_line(mesh + "24").out);
  CHECK(between.find("Accuracy, as model / simulation - 1: measured on 2 similar networks (meshes, 2 "
                     "dimensions, 64 nodes, 1 "
                     "virtual channel, 16 to 32 flits)") != std::string::npos);
  const std::string outside = in_one_line(run_line(mesh + "64").out);
  CHECK(outside.find("Accuracy, as model / simulation - 1: not measured for this network (64 flits, "
                     "measured: 32 flits); `tailbound validate "
                     "wormhole --topology mesh --nodes 64 --flits 64 --fractions 30%,80%` measures it.") !=
        std::string::npos);
  for (const std::string& text : {inside, between, outside}) {
    CHECK(count_of(text, "Accuracy, as") == 1);
    CHECK(count_of(text, "within") == 0);
    CHECK(text.find("not known") == std::string::npos);
  }
  // Beyond the measured loads.
  const std::string beyond =
      in_one_line(run_line("wormhole --topology mesh --nodes 64 --flits 32 --fractions 99%").out);
  CHECK(beyond.find("not measured beyond that") != std::string::npos);
}

TEST_CASE("accuracy: a page states it once, in its notes") {
  const std::string page =
      run_line("wormhole --topology mesh --nodes 64 --flits 32 --fractions 30%,85% --format html").out;
  CHECK(count_of(page, "Accuracy, as") >= 1);
  CHECK(page.find("error is not known") == std::string::npos);
  CHECK(page.find("within 4 %") == std::string::npos);
  CHECK(page.find("within 2 %") == std::string::npos);
}

TEST_CASE("accuracy: short messages on several virtual channels") {
  for (const char* channels : {"2", "4", "8"}) {
    const auto answer =
        run_json("wormhole --topology mesh --nodes 64 --flits 5 --fractions 80% --virtual-channels " +
                 std::string(channels));
    const auto& result = answer["results"][0];
    INFO(answer["notes"].dump());
    CHECK(result["accuracy"] == "measured");
    CHECK(std::abs(result["saturation_error_max"]["value"].get<double>()) < 0.035);
    CHECK(answer["notes"].dump().find("saturation within 3.5 %") == std::string::npos);
  }
}

TEST_CASE("accuracy: keys of each load, and CSV") {
  const auto answer = run_json("wormhole --topology mesh --nodes 64 --flits 32 --fractions 30%,80%,99%");
  const auto& results = answer["results"];
  CHECK(results[0]["accuracy"] == "measured");
  CHECK(results[0]["latency_error_max"]["value"].get<double>() == Approx(0.0).margin(1e-12));
  CHECK(results[1]["latency_error_max"]["value"].get<double>() == Approx(0.001));
  CHECK(results[1]["trusted"] == true);
  CHECK(results[2]["accuracy"] == "load not measured");
  CHECK(results[2]["latency_error_min"].is_null());
  CHECK(results[2]["trusted"] == false);
  CHECK(results[2]["saturation_error_min"]["value"].get<double>() == Approx(-0.0237).margin(1e-4));
  const std::string command = results[0]["accuracy_command"];
  CHECK(command ==
        "tailbound validate wormhole --topology mesh --nodes 64 --flits 32 --fractions 30%,80%,99%");
  check_accepted(command);
  const auto csv =
      rows_of(run_line("wormhole --topology mesh --nodes 64 --flits 33,32 --loads 0.1 --format csv").out);
  REQUIRE(csv.size() == 3);
  CHECK(at(csv, 1, "accuracy") == "between");
  CHECK(at(csv, 2, "accuracy") == "measured");
}

TEST_CASE("accuracy: networks from files, other ends and lengths have their own command") {
  const std::string ring =
      "wormhole --network " TAILBOUND_DATA_DIR "/networks/worm_ring.toml --flits 16 --loads 0.1";
  const auto own = run_json(ring);
  CHECK(own["results"][0]["accuracy"] == "not measured");
  const std::string command = own["results"][0]["accuracy_command"];
  CHECK(command.find("validate wormhole --network " TAILBOUND_DATA_DIR
                     "/networks/worm_ring.toml --flits 16 --loads 0.1") != std::string::npos);
  check_accepted(command);
  for (const char* line :
       {"--topology hypercube --nodes 64 --flits 7 --ejection unlimited --injection one --loads 0.1",
        "--topology unidirectional-torus --nodes 64 --flits 20 --lengths geometric --fractions 10%:90%:10%",
        "--topology torus --nodes 64 --dimensions 3 --virtual-channels 4 --flits 20 --loads "
        "0.1:0.2:0.001",
        "--topology mesh --nodes 8x8 --buffer-flits 3 --flits 40 --loads 0,0.1"}) {
    const auto result = run_json("wormhole " + std::string(line))["results"][0];
    INFO(line);
    CHECK(result["accuracy"] == "not measured");
    check_accepted(result["accuracy_command"]);
  }
}

TEST_CASE("accuracy: broadcasts, hot spots and trees") {
  const std::string cube =
      "broadcast --dimensions 6 --flits 32 --broadcast 0.01 --fractions 20%,55% "
      "--virtual-channels ";
  const auto measured = run_json(cube + "4");
  CHECK(measured["results"][1]["accuracy"] == "measured");
  CHECK(measured["results"][1]["unicast_error_min"]["value"].get<double>() == Approx(0.003));
  CHECK(measured["results"][1]["broadcast_error_max"]["value"].get<double>() == Approx(0.015));
  const auto other = run_json(cube + "5");
  CHECK(other["results"][0]["accuracy"] == "not measured");
  check_accepted(other["results"][0]["accuracy_command"]);
  CHECK(count_of(in_one_line(run_line(cube + "5").out), "Accuracy, as") == 1);
  const auto hot = run_json("multistage --links any --nodes 64 --hot 0.08 --loads 0.3,0.6");
  CHECK(hot["results"][0]["accuracy"] == "measured");
  CHECK(hot["results"][0]["delay_error_max"]["value"].get<double>() < 0.1);
  // Measurements without link conflicts say nothing about links that pass one request at a time.
  const std::string larger = "multistage --nodes 256 --hot 0.08 --loads 0.3";
  CHECK(run_json(larger + " --links any")["results"][0]["accuracy"] == "measured");
  CHECK(run_json(larger)["results"][0]["accuracy"] == "not measured");
  const auto one = run_json("multistage --nodes 64 --hot 0.08 --loads 0.3");
  CHECK(one["results"][0]["accuracy"] == "measured");
  CHECK(one["results"][0]["delay_error_min"]["value"].get<double>() <
        hot["results"][0]["delay_error_min"]["value"].get<double>());
  const auto large = run_json("multistage --nodes 1024 --hot 0.08 --loads 0.3");
  CHECK(large["results"][0]["accuracy"] == "not measured");
  check_accepted(large["results"][0]["accuracy_command"]);
}
