#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <tests/golden/child.hpp>
#include <tests/golden/csv_rows.hpp>
#include <tests/golden/folder.hpp>
#include <tests/golden/run_json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <random>
#include <sstream>
#include <string>
#include <thread>

namespace {

using nlohmann::json;
using tailbound::golden::at;
using tailbound::golden::Child;
using tailbound::golden::content;
using tailbound::golden::Folder;
using tailbound::golden::networks;
using tailbound::golden::Outcome;
using tailbound::golden::rows_of;
using tailbound::golden::run_json;
using tailbound::golden::run_line;
using tailbound::golden::run_result;
using tailbound::golden::write;

/// [lower, upper] of an estimate contains `value`, with a tolerance of half its width.
bool is_near(const json& estimate, double value) {
  const double lower = estimate["lower"], upper = estimate["upper"], slack = (upper - lower) / 2;
  return estimate["kind"] == "estimate" && lower - slack <= value && value <= upper + slack;
}

const std::string small_tree = "simulate tree --radix 4 --levels 2 --load 0.8 --slots 20000";

/// Stopped or killed at many times, each after a given number of checkpoints, and resumed each time: the
/// result is always the same. A machine that finishes earlier gets a longer run.
void kill_and_resume(int moments, const std::string& options = "") {
  const Folder folder;
  const std::string state = folder / "state", answer = folder / "answer";
  std::int64_t slots = 60'000;
  const auto line = [&] {
    return "simulate tree --radix 4 --levels 3 --load 0.8 --warmup 640 --occupancy 5 --format json --slots " +
           std::to_string(slots) + options;
  };
  const auto uninterrupted = [&line] {
    const Outcome whole = run_line(line());
    REQUIRE(whole.status == 0);
    return whole.out;
  };
  std::string whole = uninterrupted();
  std::mt19937 random(20260);
  for (int moment = 0; moment < moments;) {
    std::filesystem::remove(state);
    std::filesystem::remove(answer);
    std::string resume;
    int interrupted = 0;  // with some work done and some left
    for (const int signal : {SIGUSR1, SIGKILL, SIGXCPU, SIGTERM}) {
      std::filesystem::remove(answer);
      const int checkpoints = std::uniform_int_distribution<int>(0, 3)(random);
      Child child(line() + resume + " --checkpoint-every 0.02 --checkpoint " + state + " --output " + answer);
      const bool written = child.wait_for_file(state, checkpoints) && checkpoints > 0;
      // Anywhere between two checkpoints, or while one is written; the result does not depend on it.
      std::this_thread::sleep_for(
          std::chrono::milliseconds(std::uniform_int_distribution<int>(0, 25)(random)));
      if (!child.has_ended()) child.send(signal);
      const int status = child.wait();
      CAPTURE(moment, signal, status, checkpoints, slots);
      // Answered, stopped, or ended: by SIGKILL, or before it had started.
      CHECK((status == 0 || status == 4 || status == -signal));
      if (status == 4 && std::filesystem::exists(answer))
        CHECK(json::parse(content(answer))["stopped"] == true);
      if (written && status != 0) ++interrupted;
      if (std::filesystem::exists(state)) resume = " --resume " + state;
    }
    const Outcome resumed = run_line(line() + resume);
    INFO(resumed.err);
    CHECK(resumed.out == whole);
    if (interrupted > 0) {
      ++moment;
    } else if (slots < 1'000'000'000'000 / 2) {
      slots *= 2;
      whole = uninterrupted();
    } else {
      FAIL("no run could be interrupted");
    }
  }
}

}  // namespace

TEST_CASE("simulate: two stop requests within a moment count as one") {
  using Clock = std::chrono::steady_clock;
  const Folder folder;
  const std::string state = folder / "state", answer = folder / "answer";
  const std::string line =
      "simulate tree --radix 4 --levels 3 --load 0.8 --slots 1e9 --checkpoint-every 0.02 --checkpoint " +
      state + " --output " + answer;
  for (int within_a_moment = 0; within_a_moment < 3;) {
    std::filesystem::remove(state);
    Child child(line);
    REQUIRE(child.wait_for_file(state, 1));
    const Clock::time_point first = Clock::now();
    child.send(SIGINT);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    child.send(SIGINT);
    const Clock::duration between = Clock::now() - first;
    const int status = child.wait();
    if (between > std::chrono::milliseconds(250)) continue;  // this process had to wait
    ++within_a_moment;
    CAPTURE(status);
    CHECK(status == 4);  // not the signal
  }
}

TEST_CASE("simulate tree: the JSON, key by key") {
  const json document = run_json(
      "simulate tree --radix 4 --levels 2 --load 0.8 --slots 40000 --occupancy 0,3,10 --ccdf 0,5 "
      "--percentiles 50,99 --seed 7");
  CHECK(document["command"] == "simulate tree");
  CHECK(document["query"]["load"] == "0.8");
  CHECK_FALSE(document.contains("stopped"));
  REQUIRE(document["results"].size() == 1);
  const json& tree = document["results"][0];
  CHECK(tree["load"] == "0.8");
  CHECK(tree["complete"] == true);
  CHECK(tree["seed"] == 7);
  CHECK(tree["slots"] == 40000);
  CHECK(tree["replications"] == 4);
  CHECK(tree["warmup"] >= 640);  // (10 + 2 * 3) * 2 * 0.8 / 0.2^2, and up to a multiple of 64
  CHECK(tree["warmup"] <= 704);
  REQUIRE(tree["hops"].size() == 3);
  const json& hop = tree["hops"][0];
  CHECK(hop["hop"] == 1);
  CHECK(hop["direction"] == "up");
  CHECK(tree["hops"][2]["direction"] == "down");
  CHECK(is_near(hop["load"], 0.8));
  CHECK(is_near(hop["mean_occupancy"], 2.0));  // 0.8 + 3/4 0.64 / 0.4: four sources of 0.2
  const json& tail = tree["tail"];
  REQUIRE(tail.size() == 9);  // three hops, three levels
  CHECK(tail[0]["probability"]["confidence"] == 0.95);
  CHECK(tail[8]["hop"] == 3);
  // Exact: `occupancy --inputs 4 --load 0.8 --levels 0,3,10`
  const json exact = run_result("occupancy --inputs 4 --load 0.8 --levels 0,3,10");
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(tail[i]["hop"] == 1);
    CHECK(tail[i]["level"] == exact["tail"][i]["level"]);
    CHECK(is_near(tail[i]["probability"],
                  std::stod(exact["tail"][i]["probability"]["lower"].get<std::string>())));
  }
  CHECK(tree["ccdf"][1]["slots"] == 5);
  CHECK(tree["ccdf"][0]["probability"]["value"] > tree["ccdf"][1]["probability"]["value"]);
  REQUIRE(tree["percentiles"].size() == 2);
  CHECK(tree["percentiles"][1]["percentile"] == "99");
  CHECK(tree["percentiles"][1]["latency_slots"]["value"].get<double>() ==
        tree["percentiles"][1]["queueing_slots"]["value"].get<double>() + 3);
  CHECK(tree["mean_latency_slots"]["value"].get<double>() ==
        Approx(tree["mean_queueing_slots"]["value"].get<double>() + 3));
  CHECK(is_near(json{{"kind", "estimate"}, {"lower", 0.79}, {"upper", 0.81}},
                tree["packets"].get<double>() / (16.0 * 4 * 40000)));
  CHECK_FALSE(hop.contains("loss"));
}

TEST_CASE("simulate tree: independent of threads, dependent on the seed") {
  const std::string line = small_tree + " --format json --occupancy 4";
  const std::string one = run_line(line + " --threads 1").out;
  CHECK(one == run_line(line + " --threads 2").out);
  CHECK(one == run_line(line + " --threads 7").out);
  CHECK(one == run_line(line + " --seed 1").out);
  CHECK(one != run_line(line + " --seed 2").out);
}

TEST_CASE("simulate tree: loss of finite buffers, per hop") {
  const json tree = run_result("simulate tree --radix 4 --levels 2 --load 0.9 --slots 40000 --buffer 4");
  CHECK(tree["buffer"] == 4);
  for (const json& hop : tree["hops"]) {
    CHECK(hop["dropped"].get<std::int64_t>() > 0);
    CHECK(hop["loss"]["kind"] == "estimate");
  }
  const json exact = run_result("buffer --inputs 4 --load 0.9 --capacity 4 --criterion loss");
  CHECK(is_near(tree["hops"][0]["loss"], std::stod(exact["probability"]["lower"].get<std::string>())));
  // A load of 1 is invalid without a buffer, and valid with one.
  CHECK(run_line("simulate tree --radix 4 --levels 2 --load 1 --slots 20000 --buffer 4").status == 0);
}

TEST_CASE("simulate tree: a network from a file") {
  const json network = run_result("simulate tree --slots 20000 --occupancy 2 --network " + networks +
                                  "two_switches.toml --threads 1");
  REQUIRE(network["links"].size() == 5);
  CHECK(network["links"][1]["link"] == "right -> archive");
  CHECK(is_near(network["links"][1]["load"], 0.85));
  CHECK(network["flows"][0]["flow"] == "camera -> archive");
  CHECK(network["flows"][0]["mean_queueing_slots"]["kind"] == "estimate");
  CHECK_FALSE(network.contains("hops"));
  CHECK(network["packets"].get<std::int64_t>() > 0);
}

TEST_CASE("simulate tree: reorder buffers") {
  const json chosen = run_result(small_tree + " --reorder");
  const json& tail = chosen["reorder_tail"];
  REQUIRE(tail.size() >= 3);
  CHECK(tail[1]["level"] == 1);
  CHECK(tail.back()["count"] == 0);
  CHECK(tail[tail.size() - 2]["count"] > 0);
  const json with_levels = run_result(small_tree + " --reorder-levels 1,2");
  CHECK(with_levels["reorder_tail"].size() == 2);
  CHECK(with_levels["reorder_tail"][0] == tail[1]);
}

TEST_CASE("simulate tree: rare events of the first hop agree with the exact queue") {
  const std::string line = "simulate tree --radix 4 --levels 2 --load 0.8 --rare 1e-15 --slots 2e4";
  const json rare = run_result(line);
  CHECK(rare["method"] == "importance sampling");
  CHECK(rare["hop"] == 1);
  CHECK(rare["rare"] == "1e-15");
  CHECK(rare["cycles"] == 20032);  // 2e4 in whole batches
  CHECK_FALSE(rare.contains("warmup"));
  const json exact = run_result("occupancy --inputs 4 --load 0.8 --levels " + rare["level"].dump());
  const double probability = std::stod(exact["tail"][0]["probability"]["lower"].get<std::string>());
  CHECK(probability < 3e-15);
  CHECK(probability > 3e-16);
  CHECK(is_near(rare["probability"], probability));
  CHECK(run_line(line + " --format json --threads 1").out ==
        run_line(line + " --format json --threads 3").out);
  const Outcome table = run_line(line);
  CHECK(table.out.find(" at hop 1.") != std::string::npos);
  CHECK(table.out.find("importance sampling") != std::string::npos);
}

TEST_CASE("simulate tree: bursts, plain and rare") {
  const std::string per_packet = " --destination per-packet";
  const std::string line =
      "simulate tree --radix 32 --levels 1 --load 0.6 --burst 16 --slots 40000" + per_packet;
  const json plain = run_result(line + " --occupancy 6");
  CHECK(plain["traffic"] == "onoff");
  CHECK(plain["burst"] == "16");
  CHECK(plain["on_rate"] == "1");
  CHECK(plain["burst_destination"] == "per-packet");
  CHECK(is_near(plain["tail"][0]["probability"], 3.3217e-3));
  CHECK(run_line(line + " --format json --threads 1").out ==
        run_line(line + " --traffic onoff --format json --threads 2").out);
  const json rare = run_result(
      "simulate tree --radix 32 --levels 2 --load 0.6 --burst 16 --rare 1e-12 --slots 5e4" + per_packet);
  CHECK(rare["burst"] == "16");
  CHECK(rare["method"] == "importance sampling");
  CHECK(rare["level"] == 33);
  CHECK(rare["probability"]["upper"] < 1e-12);
  CHECK(rare["probability"]["lower"] > 4e-13);
  const Outcome table = run_line(
      "simulate tree --radix 4 --levels 2 --load 0.6 --burst 16.5 --on-rate 0.8 --rare 9 --slots 1e4");
  CHECK(table.out.find("bursts of 16.5 slots at rate 0.8 (per-burst") != std::string::npos);
  const std::string tree =
      "simulate tree --radix 4 --levels 2 --load 0.6 --burst 12 --seed 3 --destination per-packet ";
  const json split = run_result(tree + "--rare 8 --hop 2 --slots 1e5");
  const json seen = run_result(tree + "--occupancy 8 --slots 4e5");
  CHECK(split["method"] == "splitting");
  const json& one = split["probability"];
  const json& other = seen["tail"][1]["probability"];
  CHECK(seen["tail"][1]["hop"] == 2);
  CHECK(one["lower"] <= other["upper"]);
  CHECK(other["lower"] <= one["upper"]);
}

TEST_CASE("simulate tree: bursts that keep their destination, plain and rare") {
  const std::string tree = "simulate tree --radix 4 --levels 2 --load 0.6 --burst 16 ";
  const json plain = run_result(tree + "--slots 300000 --occupancy 40");
  CHECK(plain["burst_destination"] == "per-burst");
  // 10.185 exactly; 95 % of an interval of seed 1.
  CHECK(is_near(plain["hops"][0]["mean_occupancy"], 10.185106306));
  const json rare = run_result(tree + "--rare 40 --slots 3e5");
  CHECK(rare["burst_destination"] == "per-burst");
  CHECK(rare["method"] == "importance sampling");
  CHECK(rare["probability"]["lower"] <= plain["tail"][0]["probability"]["upper"]);
  CHECK(plain["tail"][0]["probability"]["lower"] <= rare["probability"]["upper"]);
  // P(Q > 526) = 9.809e-10; likely_level() returns the level with probability 1e-9 by the decay rate alone.
  const json far = run_result(tree + "--rare 526 --slots 1e6");
  CHECK(is_near(far["probability"], 9.8090758745e-10));
  const json others = run_result(tree + "--routing nearest-ancestor --rare 1e-9 --slots 1e5");
  CHECK(others["method"] == "importance sampling");
  CHECK(others["probability"]["upper"] < 1e-9);
  // Bursts with per-packet destinations behave very differently.
  const json per_packet = run_result(tree + "--slots 300000 --occupancy 40 --destination per-packet");
  CHECK(per_packet["mean_queueing_slots"]["upper"].get<double>() <
        0.2 * plain["mean_queueing_slots"]["lower"].get<double>());
}

TEST_CASE("simulate tree: rare events of a later hop agree with plain simulation") {
  const std::string tree = "simulate tree --radix 2 --levels 2 --load 0.7 --seed 3 ";
  const json rare = run_result(tree + "--rare 8 --hop 2 --slots 1e5");
  CHECK(rare["method"] == "splitting");
  CHECK(rare["slots"] == 100000);
  const json plain = run_result(tree + "--occupancy 8 --slots 4e5");
  const json& split = rare["probability"];
  const json& seen = plain["tail"][1]["probability"];
  CHECK(split["lower"] <= seen["upper"]);
  CHECK(seen["lower"] <= split["upper"]);
  CHECK(split["upper"].get<double>() < 1.2 * split["lower"].get<double>());
  CHECK(plain["tail"][1]["count"] > 100);
}

TEST_CASE("simulate tree: percentiles of too few packets have no upper end") {
  const json tree =
      run_result("simulate tree --radix 2 --levels 1 --load 0.5 --slots 1000 --percentiles 99,99.9999");
  CHECK(tree["percentiles"][0]["queueing_slots"]["upper"].is_number());
  CHECK(tree["percentiles"][1]["queueing_slots"]["upper"].is_null());
  CHECK(run_line("simulate tree --radix 2 --levels 1 --load 0.5 --slots 1000").out.find(".. ?)") !=
        std::string::npos);
}

TEST_CASE("simulate tree: table, quiet table, CSV") {
  const Outcome table = run_line(small_tree);
  for (const char* expected : {"Simulation of 4-ary 2-tree at load 0.8",
                               "4 replications of 20007 slots (20000 rounded up to 9 whole batches) after a "
                               "warm-up of 704 (automatic)",
                               "seed 1", "mean queueing", "95 % intervals", " s on "})
    CHECK(tailbound::golden::in_one_line(table.out).find(expected) != std::string::npos);
  CHECK(table.err.empty());
  CHECK(run_line(small_tree + " --warmup 10").out.find("warm-up of 10 (given)") != std::string::npos);
  const Outcome quiet = run_line(small_tree + " --percentiles 50 --quiet");
  CHECK(std::count(quiet.out.begin(), quiet.out.end(), '\n') == 1);
  CHECK(quiet.out.rfind("50 ", 0) == 0);
  const Outcome csv = run_line(small_tree + " --occupancy 3 --ccdf 4 --format csv");
  const auto rows = rows_of(csv.out);
  REQUIRE(rows.size() == 1 + 5 + 1 + 3 + 3);  // percentiles, ccdf, hops, tail
  CHECK(at(rows, 4, "table") == "percentiles");
  CHECK(at(rows, 4, "percentiles_percentile") == "99.99");
  CHECK(at(rows, 4, "percentiles_latency_slots_kind") == "estimate");
  CHECK(at(rows, 6, "table") == "ccdf");
  CHECK(at(rows, 6, "ccdf_slots") == "4");
  CHECK(std::stod(at(rows, 6, "ccdf_probability")) > 0);
  CHECK(at(rows, 7, "table") == "hops");
  CHECK(at(rows, 11, "table") == "tail");
  CHECK(at(rows, 11, "tail_hop") == "2");
  CHECK(at(rows, 11, "tail_level") == "3");
  CHECK(at(rows, 11, "tail_probability_kind") == "estimate");
  CHECK(at(rows, 11, "load") == "0.8");
  const std::string markdown = run_line(small_tree + " --ccdf 4 --format markdown").out;
  CHECK(markdown.find("**About ") == 0);
  CHECK(markdown.find(" is the mean queueing delay") != std::string::npos);
  CHECK(markdown.find("| 99.99 | ") != std::string::npos);
}

TEST_CASE("simulate tree: lists give all combinations, each as on its own") {
  const std::string line = "simulate tree --radix 2,4 --levels 1 --load 40%,0.8 --buffer 3,6 --slots 2000";
  const json all = run_json(line);
  REQUIRE(all["results"].size() == 8);
  CHECK(all["query"]["buffer"] == json({3, 6}));
  const json& last = all["results"][7];
  CHECK(last["radix"] == 4);
  CHECK(last["load"] == "0.8");
  CHECK(last["buffer"] == 6);
  CHECK(last == run_result("simulate tree --radix 4 --levels 1 --load 0.8 --buffer 6 --slots 2000"));
  const auto rows = rows_of(run_line(line + " --format csv").out);
  CHECK(rows.size() == 1 + 8 * (5 + 1));
  const Folder folder;
  CHECK(run_line(line + " --plot " + (folder / "delay.svg")).status == 0);
  CHECK(content(folder / "delay.svg").find("room 3, radix 4") == std::string::npos);
  CHECK(content(folder / "delay.svg").find("radix 4, load 0.8, room 6") != std::string::npos);
  const json rare = run_json("simulate tree --radix 4 --levels 2 --load 0.8 --rare 10,20 --slots 1e4");
  REQUIRE(rare["results"].size() == 2);
  CHECK(rare["results"][1]["level"] == 20);
  const Outcome rejected = run_line(line + " --checkpoint " + (folder / "state"));
  CHECK(rejected.status == 2);
  CHECK(rejected.err.find("several points") != std::string::npos);
}

TEST_CASE("simulate tree: nanoseconds and bytes in addition to slots and packets") {
  const json tree = run_result(small_tree + " --ccdf 4 --packet-bytes 64 --link-gbps 10 --percentiles 99");
  const auto times = [](const json& a, const json& b, double factor) {
    for (const char* end : {"value", "lower", "upper"})
      CHECK(b[end].get<double>() == Approx(factor * a[end].get<double>()));
  };
  times(tree["mean_latency_slots"], tree["mean_latency_ns"], 51.2);
  times(tree["percentiles"][0]["queueing_slots"], tree["percentiles"][0]["queueing_ns"], 51.2);
  times(tree["hops"][0]["mean_occupancy"], tree["hops"][0]["mean_occupancy_bytes"], 64);
  CHECK(tree["ccdf"][0]["ns"] == "204.8");
  CHECK(run_line(small_tree + " --packet-bytes 64 --link-gbps 10").out.find(" ns\n") != std::string::npos);
}

TEST_CASE("simulate tree: a picture") {
  const Folder folder;
  CHECK(run_line(small_tree + " --plot " + (folder / "delay.svg")).status == 0);
  CHECK(content(folder / "delay.svg").find("4-ary 2-tree") != std::string::npos);
}

TEST_CASE("simulate tree: killed and resumed") {
  kill_and_resume(3);
  kill_and_resume(2, " --burst 20 --on-rate 0.9");
}

TEST_CASE("simulate tree: killed at 20 moments and resumed", "[.full]") {
  kill_and_resume(20);
}

TEST_CASE("simulate tree: damaged and foreign checkpoints are rejected") {
  const Folder folder;
  const std::string state = folder / "state";
  const std::string line =
      "simulate tree --radix 4 --levels 3 --load 0.8 --slots 1e9 --checkpoint-every 0.02 --checkpoint " +
      state;
  Child child(line + " --output /dev/null");
  REQUIRE(child.wait_for_file(state, 1));
  child.send(SIGTERM);
  const int status = child.wait();
  CHECK((status == 0 || status == 4));
  const std::string whole = content(state);
  REQUIRE(whole.size() > 100);
  const std::string resume =
      "simulate tree --radix 4 --levels 3 --load 0.8 --slots 1e9 --resume " + (folder / "bad");
  const auto rejected = [&](const std::string& bytes, const std::string& line_given, const char* why) {
    write(folder / "bad", bytes);
    const Outcome outcome = run_line(line_given);
    INFO(outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.find("--resume") != std::string::npos);
    CHECK(outcome.err.find(why) != std::string::npos);
  };
  for (const std::size_t place : {whole.size() / 3, whole.size() / 2, whole.size() - 1}) {
    std::string damaged = whole;
    damaged[place] = static_cast<char>(damaged[place] ^ 1);
    rejected(damaged, resume, "damaged");
  }
  rejected(whole.substr(0, whole.size() / 2), resume, "truncated");
  rejected(whole + "x", resume, "trailing bytes");
  rejected("", resume, "empty");
  rejected("not a checkpoint", resume, "not a checkpoint");
  rejected(whole, resume + " --seed 2", "seed");
  rejected(whole, resume + " --replications 3", "replications");
  rejected(
      whole,
      "simulate tree --network " + networks + "two_switches.toml --slots 1e9 --resume " + (folder / "bad"),
      "two switches");
}

TEST_CASE("simulate tree: an early stop shows a partial result, or an error") {
  const Folder folder;
  const std::string state = folder / "state", answer = folder / "answer";
  const std::string options =
      " --format json --checkpoint-every 0.02 --checkpoint " + state + " --output " + answer;
  Child early("simulate tree --radix 2 --levels 1 --load 0.5 --slots 1e12 --replications 8 --threads 1" +
              options);
  REQUIRE(early.wait_for_file(state, 1));
  early.send(SIGINT);
  CHECK(early.wait() == 4);  // a batch has 6e10 slots
  CHECK_FALSE(std::filesystem::exists(answer));
  // Later and later, until two batches are done; with more work if all are.
  std::int64_t slots = 400'000;
  for (int checkpoints = 1; !std::filesystem::exists(answer);) {
    std::filesystem::remove(state);
    Child later("simulate tree --radix 2 --levels 1 --load 0.5 --replications 1024 --slots " +
                std::to_string(slots) + options);
    if (later.wait_for_file(state, checkpoints)) later.send(SIGINT);
    const int status = later.wait();
    REQUIRE((status == 0 || status == 4));
    if (status == 0) {
      std::filesystem::remove(answer);
      slots *= 4;
    } else if (!std::filesystem::exists(answer)) {
      checkpoints *= 2;
    }
  }
  const json known = json::parse(content(answer));
  CHECK(known["stopped"] == true);
  const json& result = known["results"][0];
  CHECK(result["complete"] == false);
  CHECK(result["slots"].is_null());  // the plan was not completed
  REQUIRE(result["batches"] >= 2);
  // The interval of two batches misses often. But in each slot two leaves send with probability 1/2 to two
  // queues, so that their load has variance 1/8 per slot, and six deviations are exceeded twice in 10^9.
  const double measured = result["batches"].get<double>() * result["batch_slots"].get<double>();
  const json& load = result["hops"][0]["load"];
  CHECK(load["kind"] == "estimate");
  CHECK(std::abs(load["value"].get<double>() - 0.5) <= 6 * std::sqrt(0.125 / measured));
}

TEST_CASE("simulate tree: flow control carries what the credits allow, and says so") {
  const std::string line = "simulate tree --network " + networks + "long_link.toml --slots 20000 ";
  const json full = run_result(line + "--buffer 8 --flow-control credit --round-trip 10");
  CHECK(full["throughput"]["value"] == 0.8);  // 8 credits in 10 slots
  CHECK(full["offered"] == "0.9");
  CHECK(full["saturated"] == true);
  CHECK(full["packets_dropped"] == 0);
  CHECK_FALSE(full.contains("mean_queueing_slots"));
  CHECK_FALSE(full.contains("percentiles"));
  CHECK(full["packets_before"].get<std::int64_t>() + full["packets_sent"].get<std::int64_t>() ==
        full["packets"].get<std::int64_t>() + full["packets_after"].get<std::int64_t>());
  CHECK(is_near(full["links"][0]["growth"], 0.1));
  const json light = run_result(line + "--buffer 8 --flow-control credit --round-trip 10 --load-scale 0.5");
  CHECK(light["saturated"] == false);
  CHECK(is_near(light["throughput"], 0.45));
  CHECK(light["mean_queueing_slots"]["value"] > 0);
  CHECK(light["percentiles"].size() == 5);
  CHECK(light["deadlocks"] == 0);
  const json paused = run_result(line +
                                 "--buffer 12 --flow-control pause --round-trip 5 --ccdf 3 --hop-ns 50"
                                 " --link-gbps 100 --packet-bytes 64");
  CHECK(paused["headroom"] == 5);
  CHECK(paused["links"][0]["dropped"] == 0);
  CHECK(paused["mean_latency_ns"]["value"] > 100);
  CHECK(run_line(line + "--buffer 8 --flow-control credit --round-trip 10 --quiet").out == "0.8\n");
}

TEST_CASE("simulate: errors") {
  const Folder folder;
  struct Rejection {
    std::string options;
    int status;
    std::vector<std::string> expected;
  };
  const std::string tree = "tree --radix 4 --levels 2 --load 0.8";
  const std::string file = "tree --network " + networks + "two_switches.toml",
                    line = "tree --network " + networks + "long_link.toml",
                    ring = "tree --network " + networks + "unequal_ring.toml";
  for (const Rejection& rejection : std::vector<Rejection>{
           {"", 2, {"missing", "tree"}},
           {"bush", 2, {"bush", "tree"}},
           {"tree", 2, {"--radix", "missing", "--network"}},
           {"tree --radix 4 --levels 2", 2, {"--load", "missing"}},
           {"tree --radix 1 --levels 2 --load 0.8", 2, {"--radix is 1", "2 to 1024"}},
           {"tree --radix x --levels 2 --load 0.8", 2, {"--radix", "x"}},
           {"tree --radix 4 --levels 0 --load 0.8", 2, {"--levels is 0"}},
           {"tree --radix 1024 --levels 16 --load 0.8", 2, {"--radix is 1024^16", "2^20"}},
           {"tree --radix 4 --levels 2 --load 0", 2, {"--load is 0", "above 0"}},
           {"tree --radix 4 --levels 2 --load 1.5", 2, {"--load is 1.5"}},
           {"tree --radix 4 --levels 2 --load 1", 1, {"unstable"}},
           {"tree --radix 4 --levels 2 --load y", 2, {"--load", "y"}},
           {tree + " --routing up", 2, {"--routing is up", "random-root"}},
           {tree + " --slots 0", 2, {"--slots is 0", "16 to"}},
           {tree + " --slots 1e13", 2, {"--slots is 1e13"}},
           {tree + " --slots few", 2, {"--slots", "few"}},
           {tree + " --seed -1", 2, {"--seed is -1"}},
           {tree + " --seed 1.5", 2, {"--seed is 1.5"}},
           {tree + " --threads 0", 2, {"--threads is 0", "1 to 1024"}},
           {tree + " --replications 0", 2, {"--replications is 0", "1 to 1024"}},
           {tree + " --warmup -1", 2, {"--warmup is -1"}},
           {tree + " --buffer 0", 2, {"--buffer is 0"}},
           {tree + " --occupancy -1", 2, {"--occupancy is -1"}},
           {tree + " --ccdf a", 2, {"--ccdf", "a"}},
           {tree + " --percentiles 100", 2, {"--percentiles is 100"}},
           {tree + " --reorder-levels -1", 2, {"--reorder-levels is -1"}},
           {tree + " --reorder --buffer 5", 2, {"--reorder", "--buffer"}},
           {tree + " --checkpoint-every 5", 2, {"--checkpoint-every", "--checkpoint"}},
           {tree + " --checkpoint-every 0 --checkpoint " + (folder / "c"), 2, {"--checkpoint-every is 0"}},
           {tree + " --checkpoint /nowhere/c", 5, {"--checkpoint /nowhere/c cannot be written"}},
           {tree + " --checkpoint " + (folder / ""), 5, {"--checkpoint"}},
           {tree + " --resume /nowhere/c", 2, {"--resume is /nowhere/c"}},
           {tree + " --hop 1", 2, {"--hop", "--rare"}},
           {tree + " --rare 0", 2, {"--rare is 0"}},
           {tree + " --rare 1.5", 2, {"--rare is 1.5"}},
           {tree + " --rare x", 2, {"--rare", "x"}},
           {tree + " --rare 1e6", 2, {"--rare is 1000000", "100000"}},
           {tree + " --rare 1e-9 --hop 4", 2, {"--hop is 4", "1 to 3"}},
           {tree + " --rare 1e-9 --ccdf 5", 2, {"--ccdf", "--rare"}},
           {tree + " --rare 1e-9 --buffer 5", 2, {"--buffer", "--rare"}},
           {tree + " --rare 1e-9 --replications 5", 2, {"--replications", "--rare"}},
           {tree + " --rare 1e-9 --plot p.svg", 2, {"--plot", "--rare"}},
           {"tree --radix 4 --levels 2 --load 1 --rare 1e-9", 1, {"unstable"}},
           {file + " --rare 1e-9", 2, {"--network", "--rare"}},
           {tree + " --format xml", 2, {"--format is xml"}},
           {"tree --radix 16 --levels 2 --load 0.9 --burst 4", 2, {"--burst is 4", "at least 9 slots"}},
           {tree + " --burst 0", 2, {"--burst is 0", "at least 4 slots"}},
           {tree + " --burst x", 2, {"--burst is", "x"}},
           {tree + " --on-rate 0.9", 2, {"--on-rate", "--burst"}},
           {tree + " --burst 20 --on-rate 0.8", 2, {"--load is 0.8", "below its on-rate of 4/5"}},
           {tree + " --burst 20 --on-rate 1.1", 2, {"--on-rate is 1.1", "at most 1"}},
           {tree + " --traffic onoff", 2, {"--traffic", "--burst"}},
           {tree + " --traffic poisson", 2, {"--traffic is poisson", "onoff"}},
           {tree + " --traffic bernoulli --burst 9", 2, {"--burst", "--traffic bernoulli"}},
           {tree + " --rare 9 --on-rate 0.9", 2, {"--on-rate", "--burst"}},
           {tree + " --destination per-burst", 2, {"--destination", "--burst"}},
           {tree + " --burst 9 --destination x", 2, {"--destination is x", "per-burst", "per-packet"}},
           {tree + " --burst 9 --rare 9 --hop 2", 2, {"--hop is 2", "must be 1", "destination per-packet"}},
           {"tree --radix 4 --levels 2 --load 0.5 --burst 1", 2, {"--burst is 1", "above 1 slot"}},
           {file + " --burst 9", 2, {"--burst", "--network"}},
           {tree + " --plot p.gif", 2, {"--plot is p.gif", ".svg"}},
           {tree + " --matrix m", 2, {"--matrix", "--network"}},
           {file + " --load 0.5", 2, {"--load", "--network"}},
           {file + " --reorder", 2, {"--reorder", "--network"}},
           {file + " --route spread", 2, {"--route", "--matrix"}},
           {tree + " --buffer 4 --flow-control credit", 2, {"--flow-control", "--network"}},
           {line + " --flow-control credit", 2, {"--flow-control", "--buffer"}},
           {line + " --buffer 4 --round-trip 3", 2, {"--round-trip", "--flow-control"}},
           {line + " --buffer 4 --allow-deadlock", 2, {"--allow-deadlock", "--flow-control"}},
           {line + " --buffer 4 --flow-control credit --headroom 3", 2, {"--headroom", "--flow-control"}},
           {line + " --buffer 4 --flow-control credit --reorder", 2, {"--reorder"}},
           {line + " --buffer 4 --flow-control credit --round-trip 0", 2, {"--round-trip is 0"}},
           {line + " --buffer 4 --flow-control xoff", 2, {"--flow-control is xoff", "credit"}},
           {line + " --buffer 4 --flow-control pause --round-trip 5", 2, {"--buffer is 4", "headroom of 5"}},
           {file + " --buffer 4 --flow-control credit", 1, {"same speed"}},
           {ring + " --buffer 4 --flow-control credit", 1, {"s0 -> s1, s1 -> s2", "--allow-deadlock"}},
           {"tree --network /none", 2, {"--network is /none"}},
       }) {
    const Outcome outcome = run_line("simulate " + rejection.options);
    INFO("simulate " << rejection.options << "\n" << outcome.err);
    CHECK(outcome.status == rejection.status);
    CHECK(outcome.out.empty());
    for (const std::string& expected : rejection.expected)
      CHECK(outcome.err.find(expected) != std::string::npos);
  }
}

TEST_CASE("simulate: help of both levels") {
  const Outcome group = run_line("simulate --help");
  CHECK(group.status == 0);
  CHECK(group.out.find("tree") != std::string::npos);
  const Outcome tree = run_line("simulate tree --help");
  CHECK(tree.status == 0);
  for (const char* expected : {"--slots", "--seed", "--checkpoint", "--resume", "--occupancy", "Example:"})
    CHECK(tree.out.find(expected) != std::string::npos);
}
