#include <catch2/catch.hpp>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <tailbound/numeric/rational.hpp>
#include <tests/golden/csv_rows.hpp>
#include <tests/golden/folder.hpp>
#include <tests/golden/run_json.hpp>
#include <tuple>
#include <vector>

// Command lines with an answer: the numbers of the paper's output queue (16 inputs, 1e-15), every format, and
// the files.

using nlohmann::json;
using tailbound::golden::at;
using tailbound::golden::content;
using tailbound::golden::Folder;
using tailbound::golden::in_one_line;
using tailbound::golden::lower_of;
using tailbound::golden::Outcome;
using tailbound::golden::rows_of;
using tailbound::golden::run_json;
using tailbound::golden::run_line;
using tailbound::golden::run_result;
using tailbound::numeric::parse_rational;

namespace {

std::size_t significant_digits(const std::string& decimal) {
  std::size_t digits = 0;
  for (const char c : decimal) {
    if (c == 'e') break;
    if (c >= '0' && c <= '9' && (digits > 0 || c != '0')) ++digits;
  }
  return digits;
}

/// `probability` encloses every number whose first digits are `digits` to half a unit of the last.
void check_agrees(const json& probability, const std::string& digits) {
  INFO(probability.dump() << " and " << digits);
  const auto expected = parse_rational(digits, "expected");
  const auto lower = parse_rational(probability["lower"].get<std::string>(), "lower");
  const auto upper = parse_rational(probability["upper"].get<std::string>(), "upper");
  const auto slack = expected / 10'000'000'000;  // the table has 11 digits
  CHECK(lower <= upper);
  CHECK(lower <= expected + slack);
  CHECK(upper >= expected - slack);
  CHECK(upper - lower <= slack);
}

}  // namespace

TEST_CASE("buffer: the paper's queue at six loads") {
  const std::vector<std::tuple<std::string, int, std::string>> table{
      {"0.2", 13, "8.6466613889e-17"}, {"0.5", 26, "7.3853673643e-16"},  {"0.6", 35, "4.4519256302e-16"},
      {"0.8", 76, "6.9264081050e-16"}, {"0.9", 157, "8.7035435578e-16"}, {"0.98", 805, "9.6354659547e-16"}};
  for (const auto& [load, buffer, tail] : table) {
    const json answer = run_result("buffer --inputs 16 --load " + load + " --drop 1e-15");
    INFO(load);
    CHECK(answer["buffer"] == buffer);
    check_agrees(answer["probability"], tail);
  }
  const json list = run_json("buffer --inputs 16 --load 0.2,0.5:0.6:0.1,4/5,0.9,0.98 --drop 1e-15");
  REQUIRE(list["results"].size() == table.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    CHECK(list["results"][i]["buffer"] == std::get<1>(table[i]));
    CHECK(parse_rational(list["results"][i]["load"].get<std::string>(), "load") ==
          parse_rational(std::get<0>(table[i]), "load"));
  }
}

TEST_CASE("buffer: the JSON of the main job, key by key") {
  const json document =
      run_json("buffer --inputs 16 --load 0.9 --drop 1e-15 --packet-bytes 64 --link-gbps 10");
  CHECK(document["command"] == "buffer");
  CHECK(document["version"].is_string());
  CHECK(document["query"]["traffic"] == "bernoulli");
  CHECK(document["query"]["inputs"] == 16);
  CHECK(document["query"]["load"] == "0.9");
  CHECK(document["query"]["drop"] == "1e-15");
  CHECK(document["query"]["digits"] == 10);
  REQUIRE(document["results"].size() == 1);
  const json answer = document["results"][0];
  CHECK(answer["buffer"] == 157);
  CHECK(answer["criterion"] == "overflow");
  CHECK(answer["probability"]["kind"] == "enclosure");
  CHECK(significant_digits(answer["probability"]["lower"]) >= 17);
  CHECK(significant_digits(answer["probability"]["upper"]) >= 17);
  CHECK(answer["mean_occupancy"]["kind"] == "exact");
  CHECK(answer["mean_occupancy"]["value"] == "1503/320");  // rho + rho^2 (15/16) / (2 (1 - rho))
  CHECK(answer["decay_rate"]["kind"] == "enclosure");
  CHECK(answer["bytes"] == std::to_string(157 * 64));
  CHECK(answer["kib"] == "9.8125");
  CHECK(answer["slot_ns"] == "51.2");
  CHECK(answer["drain_slots"] == 157);
  CHECK(answer["drain_ns"] == "8038.4");
  // The boundary is proved on both sides.
  const auto target = parse_rational("1e-15", "target");
  CHECK(parse_rational(answer["probability"]["upper"].get<std::string>(), "upper") <= target);
  CHECK(parse_rational(answer["probability_before"]["lower"].get<std::string>(), "lower") > target);
}

TEST_CASE("buffer: every arithmetic and more digits give the same answer") {
  for (const char* arithmetic : {"auto", "double", "multiprecision", "interval", "exact"}) {
    const json answer =
        run_result(std::string("buffer --inputs 16 --load 0.9 --drop 1e-15 --arithmetic ") + arithmetic);
    INFO(arithmetic);
    CHECK(answer["buffer"] == 157);
    check_agrees(answer["probability"], "8.7035435578e-16");
    CHECK(answer["probability"].contains("value") == (std::string(arithmetic) == "exact"));
  }
  const json deep = run_result("buffer --inputs 16 --load 0.9 --drop 1e-15 --digits 60");
  CHECK(significant_digits(deep["probability"]["lower"]) >= 60);
  check_agrees(deep["probability"], "8.7035435578e-16");
}

TEST_CASE("buffer: a capacity gives back its probability; loss is overflow times (1-rho)/rho / (1-P)") {
  const json overflow = run_result("buffer --inputs 16 --load 0.9 --capacity 157");
  CHECK(overflow["buffer"] == 157);
  check_agrees(overflow["probability"], "8.7035435578e-16");
  // Four inputs at 0.8 with a buffer of 6, from the stationary vector of the finite chain.
  const json loss = run_result("buffer --inputs 4 --load 0.8 --capacity 6 --criterion loss");
  CHECK(loss["criterion"] == "loss");
  CHECK(std::stod(loss["probability"]["lower"].get<std::string>()) ==
        Approx(0.00805601900107).epsilon(1e-11));
}

TEST_CASE("buffer: below load 1/2 overflow comes with a caution and the loss") {
  const json low = run_result("buffer --inputs 16 --load 0.2 --drop 1e-15");
  CHECK(low["loss"].is_object());
  CHECK(parse_rational(low["loss"]["lower"].get<std::string>(), "loss") >
        parse_rational(low["probability"]["upper"].get<std::string>(), "probability"));
  CHECK(run_line("buffer --inputs 16 --load 0.2 --drop 1e-15").out.find("underestimates the drop rate") !=
        std::string::npos);
  CHECK(run_result("buffer --inputs 16 --load 0.5 --drop 1e-15")["loss"].is_null());
  CHECK_FALSE(run_result("buffer --inputs 16 --load 0.2 --drop 1e-15 --criterion loss").contains("loss"));
}

TEST_CASE("fit: what the trace never shows, and what is counted") {
  const std::string trace = std::string(TAILBOUND_DATA_DIR) + "/traffic/requests.csv";
  const auto fit = [&](const std::string& options) { return "fit " + trace + " --link-gbps 1" + options; };
  // Times in ns, read as s.
  CHECK(run_line(fit("")).err.find("--time-unit") != std::string::npos);
  const json result = run_result(fit(" --time-unit ns --buffer 1,130"));
  const json& played = result["played"];
  REQUIRE(played.size() == 2);
  CHECK(played[0]["lost"] > 0);
  CHECK(played[0]["loss"]["kind"] == "exact");
  CHECK(played[1]["lost"] == 0);
  const json& last = result["tail"].back()["trace"];
  CHECK(last["value"] == 0);
  CHECK(last["upper"].is_null());
}

TEST_CASE("guarantee: what limits a maximum, and whether it is proved") {
  const auto out = [](const std::string& line) { return run_line("guarantee " + line).out; };
  const std::string bound = out("--bucket \"n x 1/125,4\" --capacity 100 --drop 1e-9 --solve flows");
  CHECK(bound.find("85 flows fit a 100-packet buffer") == 0);
  CHECK(bound.find("more may fit") != std::string::npos);
  CHECK(bound.find("fewer packets may suffice") == std::string::npos);
  const std::string rate = out("--bucket \"100 x r,4\" --capacity 1000 --solve rate");
  CHECK(rate.find("the rate below 0.01; it is rounded down to 4 digits") != std::string::npos);
  const std::string load = out("--periodic \"n x 100\" --capacity 1000 --drop 1e-9 --solve flows");
  CHECK(load.find("Maximum 99 flows for a 1000-packet buffer, never exceeded.") == 0);
  CHECK(load.find("one more flow would make the load 1 packet per slot") != std::string::npos);
  const std::string exact = out("--periodic \"n x 100\" --capacity 20 --drop 1e-9 --solve flows");
  CHECK(exact.find("Maximum 74 flows") == 0);
  CHECK(exact.find("one more flow needs a larger buffer") != std::string::npos);
}

TEST_CASE("policed inputs: the maximum rate is rounded down") {
  CHECK(run_line("buffer --police r,20 --inputs 16 --capacity 200 --drop 1e-9 --solve load")
            .out.find("a rate is rounded down to 3 decimals") != std::string::npos);
}

TEST_CASE("guarantee: waits in ns, and what to give instead") {
  CHECK(run_line("guarantee --bucket \"20 x 1/125,4\" --drop 1e-6 --packet-bytes 1500 --link-gbps 10")
            .out.find("79 slots (94800 ns)") != std::string::npos);
  CHECK(run_line("guarantee --bucket 1/125,4 --capacity 100 --solve flows").err.find("n x 1/125,4") !=
        std::string::npos);
  CHECK(run_line("guarantee --bucket \"20 x 1/125,4\" --capacity 100 --drop 1e-9 --solve buffer")
            .err.find("--solve flows or --solve rate") != std::string::npos);
}

TEST_CASE("guarantee: a crossbar needs both buckets and enough speedup") {
  CHECK(run_line("guarantee --crossbar 8 --row 0.9,10 --column 0.9,10 --packet-bytes 64 --link-gbps 100")
            .out.find("72 slots, 368.64 ns, the slot of its arrival included") != std::string::npos);
  CHECK(run_line("guarantee --crossbar 8 --row 0.9,10").err.find("--column") != std::string::npos);
  CHECK(run_line("guarantee --crossbar 8 --row 0.9 --column 0.9,10")
            .err.find("--row is 0.9; it must be RATE") != std::string::npos);
  CHECK(run_line("guarantee --crossbar 8 --row 1.5,3 --column 0.9,10").err.find("--row is 1.5,3") !=
        std::string::npos);
  CHECK(run_line("guarantee --row 1/2,3 --column 0.9,10").err.find("--row needs --crossbar K") !=
        std::string::npos);
  CHECK(run_line("guarantee --crossbar 8 --row 1/2,3 --column 1/2,3 --drop 1e-9").err.find("--drop") !=
        std::string::npos);
  const auto slow = run_line("guarantee --crossbar 8 --row 0.9,10 --column 0.9,10 --speedup 1");
  CHECK(slow.err.find("--speedup is 1; it must be above the sum of the rates") != std::string::npos);
  CHECK(slow.status == 2);
}

TEST_CASE("shared memory: one packet, and bounds that say nothing") {
  const std::string one = run_line("buffer --shared --inputs 1 --load 0.8 --drop 1e-9").out;
  CHECK(one.find("1 packet suffices") != std::string::npos);
  CHECK(one.find("1 packet in total") != std::string::npos);
  const std::string none = run_line("buffer --shared --inputs 8 --load 0.9 --capacity 5").out;
  CHECK(none.find("No useful bound on P(T > 5)") == 0);
  CHECK(none.find("proof ") == std::string::npos);
}

TEST_CASE("buffer: where no packet or every packet is lost") {
  // One input never has a second packet: both probabilities are 0, and neither underestimates the other.
  CHECK(run_line("buffer --inputs 1 --load 0.3 --drop 1e-9").out.find("caution") == std::string::npos);
  CHECK(run_result("buffer --inputs 1 --load 0.3 --drop 1e-9")["loss"].is_null());
  const std::string classes = run_line("buffer --inputs 1 --classes 0.3,0.5 --drop 1e-9").out;
  CHECK(classes.find("*") == std::string::npos);
  CHECK(classes.find(": 1 packet.") != std::string::npos);
  const auto loss = [](const std::string& options) {
    return run_line("buffer --load 0.6 --criterion loss " + options).out;
  };
  CHECK(loss("--inputs 4 --capacity 0").find("loses all packets.") != std::string::npos);
  CHECK(loss("--inputs 1 --capacity 2").find("loses no packets.") != std::string::npos);
  CHECK(run_line("buffer --inputs 1 --load 0.6 --capacity 20 --drop 1e-6 --solve burst")
            .err.find("every burst length meets the target") != std::string::npos);
}

TEST_CASE("buffer: mean occupancy and decay rate next to a loss are those of an infinite buffer") {
  const std::string one = run_line("buffer --inputs 4 --load 0.6 --capacity 2 --criterion loss").out;
  CHECK(one.find("0.9375 packets (infinite buffer)") != std::string::npos);
  CHECK(one.find("per packet (infinite buffer)") != std::string::npos);
  const std::string list = run_line("buffer --inputs 4 --load 0.6 --capacity 1,2 --criterion loss").out;
  CHECK(list.find("those of an infinite buffer") != std::string::npos);
  CHECK(run_line("buffer --inputs 4 --load 0.6 --capacity 1,2").out.find("infinite buffer") ==
        std::string::npos);
}

TEST_CASE("classes: the loads of each and of all") {
  CHECK(run_line("buffer --classes 0.3,0.3 --inputs 4 --drop 1e-9")
            .out.find("each at load 0.3, 0.6 in total") != std::string::npos);
  CHECK(run_line("buffer --classes 0.3,0.2 --inputs 4 --drop 1e-9").out.find("load 0.5 in total") !=
        std::string::npos);
  CHECK(run_line("occupancy --classes 0.3,0.3 --inputs 4 --levels 0,1")
            .out.find("Mean occupancy of 2 classes: 0.34821, 0.58929 packets.") != std::string::npos);
}

TEST_CASE("occupancy: what Q counts, and equal rates") {
  CHECK(run_line("occupancy --traffic md1 --load 0.6 --levels 0").out.find("Q: packets at any time") !=
        std::string::npos);
  const std::string equal = run_line("occupancy --rates 0.2,0.2,0.2 --levels 0").out;
  CHECK(equal.find("3 inputs at load 0.6") != std::string::npos);
  CHECK(equal.find("just after the arrivals") != std::string::npos);
}

TEST_CASE("buffer: maximum load and minimum speedup lead back to the target") {
  const json maximum = run_result("buffer --inputs 16 --solve load --capacity 157 --drop 1e-15");
  const std::string load = maximum["max_load"]["lower"];
  CHECK(std::stod(load) > 0.9);  // 157 packets suffice at 0.9, not much beyond
  CHECK(std::stod(load) < 0.901);
  CHECK(run_result("buffer --inputs 16 --load " + load + " --drop 1e-15")["buffer"] == 157);
  const std::string above = maximum["max_load"]["upper"];
  CHECK(run_result("buffer --inputs 16 --load " + above + " --drop 1e-15")["buffer"] == 158);

  const json minimum =
      run_result("buffer --inputs 16 --load 0.95 --solve speedup --capacity 157 --drop 1e-15");
  CHECK(std::stod(minimum["min_speedup"]["upper"].get<std::string>()) ==
        Approx(0.95 / std::stod(load)).epsilon(1e-8));
  const json none = run_result("buffer --inputs 16 --load 0.5 --solve speedup --capacity 157 --drop 1e-15");
  CHECK(none["min_speedup"]["kind"] == "exact");
  CHECK(none["min_speedup"]["value"] == "1");
}

TEST_CASE("buffer: equivalent traffic descriptions agree") {
  const json equal = run_result("buffer --inputs 4 --load 0.8 --drop 1e-9");
  const json rates = run_result("buffer --rates 0.2,1/5,0.2,2e-1 --drop 1e-9");
  const json formula = run_result("buffer --arrivals (4/5+z/5)^4 --drop 1e-9");
  for (const json& other : {rates, formula}) {
    CHECK(other["buffer"] == equal["buffer"]);
    CHECK(other["mean_occupancy"]["value"] == equal["mean_occupancy"]["value"]);
  }
  // Many inputs approach Poisson from below.
  CHECK(run_result("buffer --traffic poisson --load 0.9 --drop 1e-15")["buffer"].get<int>() > 157);
  CHECK(run_line("buffer --inputs 16 --load 1.8 --packets-per-slot 2 --drop 1e-15 --quiet").status == 0);
}

TEST_CASE("buffer: a loss has an answer at any load") {
  // Buffers by eliminating the finite chains in fractions, independently.
  CHECK(run_result("buffer --inputs 16 --load 1 --drop 1% --criterion loss")["buffer"] == 47);
  CHECK(run_result("buffer --inputs 16 --load 1.2 --drop 20% --criterion loss")["buffer"] == 5);
  CHECK(run_result("buffer --inputs 4 --load 1 --drop 1% --criterion loss")["buffer"] == 38);
  const auto one = run_result("buffer --traffic md1 --solve load --capacity 10 --drop 2% --criterion loss");
  CHECK(lower_of(one["max_load"]) == Approx(0.914269426386));
  const Outcome refused = run_line("buffer --inputs 16 --load 1.25 --drop 0.2 --criterion loss");
  CHECK(refused.status == 1);
  CHECK(in_one_line(refused.err)
            .find("at least 1 - 1/load = 0.2, and more where slots are idle; give a larger --drop; lower "
                  "--load") != std::string::npos);
}

TEST_CASE("buffer: packets of several cells in overload") {
  // A simulation slot by slot that shares no code gives the same.
  const std::string line = "buffer --inputs 4 --sizes 64:7,128:1 --criterion loss --load ";
  CHECK(lower_of(run_result(line + "1 --capacity 5")["packet_loss"]) == Approx(0.094339629676));
  const auto two = run_result(line + "1.2 --drop 0.3");
  CHECK(two["buffer"] == 2);
  CHECK(lower_of(two["packet_loss"]) == Approx(0.28349685762));
  const Outcome refused = run_line(line + "1.2 --drop 0.05");
  CHECK(refused.status == 1);
  CHECK(in_one_line(refused.err).find("at least (1 - 1/load) E[L] / Lmax = 0.09375") != std::string::npos);
}

TEST_CASE("buffer: load C without variance is stable") {
  const auto all = run_result("buffer --rates 1 --capacity 1 --criterion loss");
  CHECK(all["probability"]["kind"] == "exact");
  CHECK(all["mean_occupancy"]["value"] == "1");
  CHECK(run_line("buffer --rates 1 --capacity 1 --criterion loss").out.find("more packets") ==
        std::string::npos);
  CHECK(run_result("buffer --rates 1,1 --packets-per-slot 2 --drop 0.1")["buffer"] == 2);
  // Load C with variance: as many packets arrive as are served, not more.
  const std::string even = run_line("buffer --rates 1/2,1/2 --capacity 1 --criterion loss").out;
  CHECK(in_one_line(even).find("as many packets arrive as are served") != std::string::npos);
}

TEST_CASE("buffer: a point without an answer keeps its row, and the others theirs") {
  const std::string line = "buffer --inputs 16 --load 0.5,1,0.9 --drop 1e-9";
  const Outcome json = run_line(line + " --format json");
  CHECK(json.status == 1);
  CHECK(json.err.find("1 of 3 points has no answer; the first: load 1: the queue is unstable") !=
        std::string::npos);
  const auto rows = nlohmann::json::parse(json.out)["results"];
  REQUIRE(rows.size() == 3);
  CHECK(rows[0]["buffer"] == 16);
  CHECK(rows[0]["status"] == "answered");
  CHECK(rows[1]["load"] == "1");
  CHECK(rows[1]["status"] == "no answer");
  CHECK(rows[1]["reason"].get<std::string>().find("--criterion loss") != std::string::npos);
  CHECK_FALSE(rows[1].contains("buffer"));
  CHECK(rows[2]["buffer"] == 94);
  CHECK(run_line(line + " --quiet").out == "16\n-\n94\n");
  const std::string text = in_one_line(run_line(line).out);
  CHECK(text.find("16 to 94 packets. 1 of 3 points has no answer.") != std::string::npos);
  CHECK(text.find("No answer: load 1: the queue is unstable") != std::string::npos);
  // A sentence about one point says which.
  const std::string single = in_one_line(run_line("buffer --inputs 16 --load 0.5,1 --drop 1e-9").out);
  CHECK(single.find("At load 0.5: a 16-packet buffer suffices") != std::string::npos);
  // The same in `occupancy`; without any answer an error as before.
  const Outcome levels = run_line("occupancy --inputs 16 --load 0.5,1 --levels 3 --format json");
  CHECK(levels.status == 1);
  CHECK(nlohmann::json::parse(levels.out)["results"].size() == 2);
  CHECK(run_line("buffer --inputs 16 --load 1,1.1 --drop 1e-9").out.empty());
}

TEST_CASE("buffer: targets that equal a known probability are decided") {
  const auto rows = run_json("buffer --traffic poisson --load 0.05,0.1,0.2 --drop 0.1")["results"];
  CHECK(rows[0]["buffer"] == 0);
  CHECK(rows[1]["buffer"] == 0);
  CHECK(rows[2]["buffer"] == 1);
  CHECK(run_result("buffer --traffic md1 --load 1/3 --drop 1/4 --criterion loss")["buffer"] == 1);
  CHECK(run_result("buffer --incast 2,2 --load 0.4 --drop 0.4 --criterion overflow")["buffer"] == 0);
  CHECK(run_result("buffer --incast 2,2 --load 0.4 --drop 13/40 --criterion overflow")["buffer"] == 1);
  CHECK(run_result("buffer --inputs 2 --load 1 --drop 1/4 --criterion loss")["buffer"] == 1);
}

TEST_CASE("buffer: table, quiet table and CSV") {
  const Outcome table = run_line("buffer --inputs 16 --load 0.9 --drop 1e-15");
  CHECK(table.status == 0);
  CHECK(table.out.rfind("A 157-packet buffer suffices", 0) == 0);
  CHECK(table.out.find("P(Q > 157) = 8.7035435578e-16 <= 1e-15 < P(Q > 156)") != std::string::npos);
  CHECK(table.out.find("certified to 10 digits") != std::string::npos);
  CHECK(run_line("buffer --inputs 16 --load 0.9 --drop 1e-15 --quiet").out == "157\n");

  const auto csv = rows_of(run_line("buffer --inputs 16 --load 0.5,0.9 --drop 1e-15 --format csv").out);
  REQUIRE(csv.size() == 3);
  CHECK(at(csv, 1, "load") == "0.5");
  CHECK(at(csv, 1, "load_exact") == "1/2");
  CHECK(at(csv, 1, "buffer") == "26");
  CHECK(at(csv, 1, "criterion") == "overflow");
  CHECK(at(csv, 1, "probability_kind") == "enclosure");
  CHECK(at(csv, 1, "probability_lower").rfind("7.38", 0) == 0);
  CHECK(at(csv, 2, "load") == "0.9");
  CHECK(at(csv, 2, "buffer") == "157");
  CHECK(std::stod(at(csv, 2, "probability")) == Approx(8.7035435578e-16));
  CHECK(at(csv, 2, "stopped") == "false");
  // A single point has the same columns.
  CHECK(rows_of(run_line("buffer --inputs 16 --load 0.9 --drop 1e-15 --format csv").out)[0] == csv[0]);
}

TEST_CASE("occupancy: given levels in order, and all levels down to a target") {
  const json some = run_result("occupancy --inputs 16 --load 0.9 --levels 157,0,76");
  REQUIRE(some["tail"].size() == 3);
  CHECK(some["tail"][0]["level"] == 157);
  check_agrees(some["tail"][0]["probability"], "8.7035435578e-16");
  CHECK(some["tail"][1]["level"] == 0);
  check_agrees(some["tail"][1]["probability"], "0.9");  // P(Q > 0) = rho
  CHECK(some["decay_rate"]["kind"] == "enclosure");

  const json all = run_result("occupancy --inputs 16 --load 0.9 --until 1e-15");
  REQUIRE(all["tail"].size() == 158);
  for (std::size_t n = 0; n < 158; ++n) CHECK(all["tail"][n]["level"] == n);
  CHECK(all["tail"][157]["probability"] == some["tail"][0]["probability"]);

  const Outcome csv = run_line("occupancy --inputs 16 --load 0.9 --levels 157 --format csv");
  const auto rows = rows_of(csv.out);
  REQUIRE(rows.size() == 2);
  CHECK(at(rows, 1, "level") == "157");
  CHECK(at(rows, 1, "probability_kind") == "enclosure");
  CHECK(at(rows, 1, "probability_lower").rfind("8.70354355781", 0) == 0);
}

TEST_CASE("files: --output contains exactly the standard output") {
  const Folder folder;
  const std::string line = "buffer --inputs 16 --load 0.9 --drop 1e-15 --format json";
  const std::string target = folder / "it's_an answer.json";
  const Outcome outcome =
      tailbound::golden::run_command({"buffer", "--inputs", "16", "--load", "0.9", "--drop", "1e-15",
                                      "--format", "json", "--output", target});
  CHECK(outcome.status == 0);
  CHECK(outcome.out.empty());
  CHECK(content(target) == run_line(line).out);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);  // no temporary file

  const std::vector<std::pair<std::string, std::string>> magic{
      {"svg", "<svg xmlns="}, {"png", "\x89PNG"}, {"pdf", "%PDF-"}};
  for (const auto& [ending, start] : magic) {
    // A name that would break a careless script.
    const std::string picture = folder / ("a'; $(x) \" picture." + ending);
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"buffer", "--inputs", "16", "--load", "0.5:0.9:0.1", "--drop", "1e-15"},
          std::vector<std::string>{"occupancy", "--inputs", "16", "--load", "0.9", "--levels",
                                   "0:4500:50"}}) {
      std::vector<std::string> with_plot = arguments;
      with_plot.insert(with_plot.end(), {"--plot", picture});
      const Outcome drawn = tailbound::golden::run_command(with_plot);
      INFO(drawn.err);
      CHECK(drawn.status == 0);
      CHECK_FALSE(drawn.out.empty());
      CHECK(content(picture).rfind(start, 0) == 0);
    }
  }
}

TEST_CASE("help fits a screen") {
  const Outcome help = run_line("-h");
  CHECK(help.status == 0);
  std::istringstream lines(help.out);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) CHECK(line.size() <= 80);
  CHECK(count <= 24);
  CHECK(run_line("--version").out.rfind("tailbound ", 0) == 0);
}
