#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <tests/golden/child.hpp>
#include <tests/golden/folder.hpp>
#include <tests/golden/run_json.hpp>

// Bursty sources on the command line.

using tailbound::golden::Child;
using tailbound::golden::content;
using tailbound::golden::Folder;
using tailbound::golden::run_json;
using tailbound::golden::run_line;
using tailbound::golden::run_result;

namespace {
const std::string bursty = " --traffic onoff --inputs 32 --load 0.6 --burst 16 --destination per-packet";
}

TEST_CASE("bursts: the buffer of 32 sources") {
  for (const auto& [drop, buffer] : {std::pair{"1e-6", 16}, {"1e-9", 24}, {"1e-12", 33}, {"1e-15", 41}}) {
    const auto json = run_result("buffer" + bursty + " --drop " + drop);
    CHECK(json["buffer"] == buffer);
    CHECK(json["probability"]["kind"] == "enclosure");
    CHECK(json["burst"] == "16");
    CHECK(std::stod(json["probability"]["upper"].get<std::string>()) <= std::stod(drop));
    CHECK(std::stod(json["probability_before"]["lower"].get<std::string>()) > std::stod(drop));
  }
}

TEST_CASE("bursts: --burst implies on-off traffic, and many sources give no enclosure") {
  const auto json =
      run_result("buffer --inputs 1024 --load 0.6 --burst 16 --drop 1e-12 --destination per-packet");
  CHECK(json["buffer"] == 29);
  CHECK(json["probability"]["kind"] == "approximation");
  CHECK(json["probability"]["agreed_digits"] >= 10);
  CHECK_FALSE(json["probability"].contains("lower"));
  const auto outcome =
      run_line("buffer --inputs 1024 --load 0.6 --burst 16 --drop 1e-12 --destination per-packet");
  CHECK(outcome.out.find("not proved") != std::string::npos);
  CHECK(json["buffer_proved"] > json["buffer"]);
  CHECK(outcome.out.find("(numerical; proved for ") != std::string::npos);
}

TEST_CASE("bursts: one output per burst by default") {
  const std::string line = "buffer --inputs 4 --load 0.6 --burst 16 --drop 1e-9";
  const auto json = run_result(line);
  CHECK(json["buffer"] == 526);
  CHECK(json["burst_destination"] == "per-burst");
  CHECK(json["probability"]["kind"] == "enclosure");
  CHECK(json["probability"]["lower"].get<std::string>().substr(0, 12) == "9.8090758744");
  CHECK(json["probability_before"]["lower"].get<std::string>().substr(0, 11) == "1.018222407");
  CHECK(json["mean_occupancy"]["lower"].get<std::string>().substr(0, 12) == "10.185106306");
  CHECK(run_line(line).out.find("(per-burst destinations)") != std::string::npos);
  const auto both = run_json(line + " --destination per-burst,per-packet")["results"];
  REQUIRE(both.size() == 2);
  CHECK(both[0]["buffer"] == 526);
  CHECK(both[1]["buffer"] == 32);
  CHECK(both[1]["burst_destination"] == "per-packet");
}

TEST_CASE("bursts: a target equal to the load is met with equality") {
  for (const std::string destination : {"per-burst", "per-packet"}) {
    const std::string line = "buffer --inputs 4 --load 0.5 --burst 8 --destination " + destination;
    CHECK(run_result(line + " --drop 0.5")["buffer"] == 0);
    CHECK(run_result(line + " --drop 0.499")["buffer"] > 0);
  }
  CHECK(run_line("validate buffer --inputs 4 --load 0.5 --burst 8 --slots 4000").status == 0);
}

TEST_CASE("bursts: many inputs with an on-rate are computed, accompanied by a proof") {
  const auto json = run_result("buffer --inputs 64 --load 0.6 --burst 16 --on-rate 0.8 --drop 1e-9");
  CHECK(json["probability"]["kind"] == "approximation");
  CHECK(json["probability"]["agreed_digits"] >= 9);
  CHECK(json["buffer_proved"] > json["buffer"]);
  CHECK(json["buffer_proved"].get<double>() < 1.1 * json["buffer"].get<double>());
  // Fewer packets per slot ON, and so fewer at once, than with an on-rate of 1: 755 at 256 inputs, 729 at 32.
  CHECK(json["buffer"] < 729);
}

TEST_CASE("bursts: if the minimum buffer is out of reach, one that is proved to suffice") {
  // In a separate process: aborted work continues until its end.
  const Folder folder;
  Child child(Child::words_of("buffer --inputs 32 --load 0.6 --burst 100000 --drop 1e-9 --time-limit 1"),
              {.out = folder / "out", .err = folder / "err"});
  CHECK(child.wait() == 1);
  CHECK(content(folder / "out").empty());
  CHECK(in_one_line(content(folder / "err")).find("packets suffices (proved)") != std::string::npos);
}

TEST_CASE("bursts: after a stop, what is proved of each point names that point") {
  const Folder folder;
  Child child(Child::words_of("buffer --inputs 64 --load 0.5,0.97 --burst 200 --drop 1e-14 --time-limit 0.5 "
                              "--format json"),
              {.out = folder / "out", .err = folder / "err"});
  CHECK(child.wait() == 1);
  const auto answer = nlohmann::json::parse(content(folder / "out"));
  CHECK(answer["stopped"] == true);
  const auto rows = answer["results"];
  REQUIRE(rows.size() == 2);
  CHECK(rows[0]["load"] == "0.5");
  CHECK(rows[0]["status"] == "missing");
  CHECK(rows[0]["buffer_proved"] == 12262);
  CHECK(rows[0]["reason"].get<std::string>().find("12262 packets suffices (proved)") != std::string::npos);
  CHECK(rows[1]["load"] == "0.97");
  CHECK(rows[1]["buffer_proved"] == 210719);
  CHECK(content(folder / "err").find("packets suffices") == std::string::npos);
}

TEST_CASE("bursts: maximum mean burst for a buffer") {
  for (const std::string destination : {"per-burst", "per-packet"}) {
    const std::string line = "buffer --inputs 4 --load 0.6 --drop 1e-9 --destination " + destination;
    const auto found = run_result(line + " --capacity 100 --solve burst");
    const auto burst = found["safe_burst"].get<std::string>();
    CHECK(found["longest_burst"]["kind"] == "enclosure");
    CHECK(run_result(line + " --burst " + burst)["buffer"] == 100);
    const auto missed = found["longest_burst"]["upper"].get<std::string>();
    CHECK(run_result(line + " --burst " + missed)["buffer"] == 101);
  }
}

TEST_CASE("bursts: lists, losses, levels and pictures") {
  const auto rows = run_json(
      "buffer --inputs 32 --load 0.5,0.6 --burst 8,16 --destination per-packet --drop 1e-9 --criterion loss")
      ["results"];
  REQUIRE(rows.size() == 4);
  CHECK(rows[3]["burst"] == "16");
  CHECK(rows[3]["load"] == "0.6");
  CHECK(rows[3]["buffer"] == 24);
  CHECK(rows[0]["buffer"] < rows[2]["buffer"]);
  const auto tail = run_result("occupancy" + bursty + " --levels 6,12")["tail"];
  CHECK(tail[0]["probability"]["lower"].get<std::string>().substr(0, 8) == "0.003321");
  CHECK(tail[1]["probability"]["lower"].get<std::string>().substr(0, 9) == "0.0000207");
  const Folder folder;
  CHECK(run_line("buffer --inputs 32 --load 0.6 --burst 4:16:4 --destination per-packet --drop 1e-9 --plot " +
                 folder / "b.svg")
            .status == 0);
  CHECK(run_line("occupancy" + bursty + " --until 1e-9 --plot " + folder / "o.svg").status == 0);
  CHECK(tailbound::golden::content(folder / "b.svg").find(">burst [slots]<") != std::string::npos);
  CHECK(tailbound::golden::content(folder / "o.svg").find("without bursts") != std::string::npos);
}

TEST_CASE("bursts: the formula of one source") {
  const auto outcome = run_line("pgf --traffic onoff --inputs k --load p --burst L --destination per-packet");
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("lambda1(z) = (T(z) + sqrt(T(z)^2 - 4*Delta(z)))/2") != std::string::npos);
  const auto json = run_json(
      "pgf --traffic onoff --inputs 32 --load 3/5 --burst 16 --destination per-packet")["results"][0];
  CHECK(json["alpha"] == "3/32");
  CHECK(json["beta"] == "1/16");
}

TEST_CASE("bursts: errors name the alternatives") {
  struct Rejection {
    const char* line;
    int status;
    const char* expected;
  };
  for (const Rejection& rejection :
       {Rejection{"buffer --inputs 16 --load 0.9 --burst 4 --drop 1e-9", 2, "at least 9 slots"},
        Rejection{"buffer --inputs 16 --load 0.9 --burst 20 --on-rate 0.8 --drop 1e-9", 2,
                  "below its on-rate of 4/5"},
        Rejection{"buffer --inputs 16 --load 0.5 --burst 20 --on-rate 1.5 --drop 1e-9", 2, "--on-rate is"},
        Rejection{"buffer --inputs 16 --load 0.9 --traffic onoff --drop 1e-9", 2, "--burst is missing"},
        Rejection{"buffer --inputs 16 --load 0.9 --traffic poisson --burst 9 --drop 1e-9", 2, "--traffic"},
        Rejection{"buffer --rates 0.1,0.2 --burst 9 --drop 1e-9", 2, "--rates"},
        Rejection{"buffer --inputs 16 --load 0.6 --burst 9 --drop 1e-9 --packets-per-slot 2", 1,
                  "at most 256"},
        Rejection{"buffer --inputs 16 --load 0.6 --burst 9 --drop 1e-9 --arithmetic exact", 2,
                  "--arithmetic"},
        Rejection{"buffer --inputs 16 --load 0.5 --burst 9 --capacity 9 --drop 1e-9 --solve load", 2,
                  "--load"},
        Rejection{"buffer --incast 8,4 --load 0.5 --capacity 9 --drop 1e-9 --solve speedup", 2, "--solve"},
        Rejection{"buffer --inputs 2000000 --load 0.6 --burst 9 --drop 1e-9", 2, "from 1 to 1048576"},
        Rejection{"buffer --inputs 16 --load 0.6 --burst 9 --drop 1e-9 --digits 100", 2, "from 1 to 60"},
        Rejection{"compare list --inputs 16 --load 0.6 --burst 9", 2, "--burst"}}) {
    const auto outcome = run_line(rejection.line);
    INFO(rejection.line << "\n" << outcome.err);
    CHECK(outcome.status == rejection.status);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.find(rejection.expected) != std::string::npos);
  }
}

TEST_CASE("bursts: delays through a tree") {
  const std::string tree =
      "delay --radix 4 --levels 2 --load 0.6 --burst 8 --destination per-packet --drop 1e-9 --ccdf 10";
  const auto json = run_result(tree);
  REQUIRE(json["hops"].size() == 3);
  CHECK(json["burst"] == "8");
  CHECK(json["hop_sources"][0]["count"] == 4);
  CHECK(json["hop_sources"][1]["on_rate"] == "0.0625");
  // Hops are added as if they were independent.
  CHECK(json["ccdf"][0]["probability"]["kind"] == "approximation");
  CHECK(json["mean_queueing_slots"]["kind"] == "approximation");
  // Each hop's buffer is that of `buffer` alone.
  for (const auto& [hop, count] : {std::pair{std::size_t{0}, "4"}, {1, "16"}, {2, "16"}})
    CHECK(json["hops"][hop]["buffer"] ==
          run_result(std::string("buffer --inputs ") + count +
                     " --load 0.6 --burst 8 --destination per-packet --drop 1e-9")["buffer"]);
  const auto smooth = run_result("delay --radix 4 --levels 2 --load 0.6 --drop 1e-9 --ccdf 10");
  CHECK(smooth["total_buffer"] < json["total_buffer"]);

  const auto many =
      run_result("delay --radix 16 --levels 2 --load 0.6 --burst 8 --destination per-packet --ccdf 10");
  CHECK(many["ccdf"][0]["probability"]["kind"] == "approximation");
  CHECK(many["percentiles"][0]["queueing_probability"]["kind"] == "approximation");
  const auto table =
      run_line("delay --radix 16 --levels 2 --load 0.6 --burst 8 --destination per-packet").out;
  CHECK(table.find("256 on-off x") != std::string::npos);
  CHECK(table.find("not proved") != std::string::npos);
  CHECK(table.find("exact or certified") == std::string::npos);
}

TEST_CASE("bursts: errors of delay") {
  const std::string tree = "delay --radix 4 --levels 2 --load 0.6";
  struct Rejection {
    std::string line;
    int status;
    std::string message;
  };
  for (const auto& [line, status, message] :
       {Rejection{tree + " --burst 1", 2, "--burst"}, Rejection{tree + " --on-rate 0.9", 2, "--on-rate"},
        Rejection{tree + " --burst 8 --reorder 1e-9", 1, "bursty traffic"},
        Rejection{tree + " --burst 8 --digits 30 --hops independent", 1, "14 digits"},
        Rejection{tree + " --burst 8 --hops bound", 2, "per-burst"},
        Rejection{"delay --network x.toml --burst 8", 2, "--burst"}}) {
    INFO(line);
    const auto outcome = run_line(line);
    CHECK(outcome.status == status);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.find(message) != std::string::npos);
  }
}

TEST_CASE("bursts: validate delay") {
  const auto json = run_result(
      "validate delay --radix 4 --levels 2 --load 0.6 --burst 8 --destination per-packet --slots 20000 "
      "--ccdf 0,3");
  CHECK(json["burst"] == "8");
  REQUIRE(json["rows"].size() >= 2);
}
