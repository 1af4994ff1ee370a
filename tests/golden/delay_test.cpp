#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tailbound/network/tree.hpp>
#include <tests/golden/csv_rows.hpp>
#include <tests/golden/folder.hpp>
#include <tests/golden/run_json.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace {

using nlohmann::json;
using tailbound::golden::at;
using tailbound::golden::content;
using tailbound::golden::Folder;
using tailbound::golden::in_one_line;
using tailbound::golden::lower_of;
using tailbound::golden::networks;
using tailbound::golden::Outcome;
using tailbound::golden::rows_of;
using tailbound::golden::run_command;
using tailbound::golden::run_json;
using tailbound::golden::run_line;
using tailbound::golden::run_result;

/// Does one of the document's notes contain the text?
bool notes_contain(const json& document, const std::string& text) {
  return std::any_of(document["notes"].begin(), document["notes"].end(), [&](const json& note) {
    return note.get<std::string>().find(text) != std::string::npos;
  });
}

}  // namespace

TEST_CASE("delay: the JSON of a tree, key by key") {
  const json document = run_json(
      "delay --radix 16 --levels 3 --load 0.8 --percentiles 50,99.9999 --ccdf 10,100 --drop 1e-15 --reorder "
      "1e-9 "
      "--link-gbps 100 --packet-bytes 64");
  CHECK(document["command"] == "delay");
  CHECK(document["query"]["load"] == "0.8");
  REQUIRE(document["results"].size() == 1);
  const json& tree = document["results"][0];
  CHECK(tree["radix"] == 16);
  CHECK(tree["routing"] == "random-root");
  REQUIRE(tree["percentiles"].size() == 2);
  CHECK(tree["percentiles"][1]["percentile"] == "99.9999");
  CHECK(tree["percentiles"][1]["exceeded_by"] == "1e-6");
  CHECK(tree["percentiles"][1]["queueing_slots"] == 53);
  CHECK(tree["percentiles"][1]["latency_slots"] == 58);
  CHECK(tree["percentiles"][1]["latency_ns"] == "296.96");  // 58 slots of 64 bytes at 100 Gbit/s
  CHECK(tree["percentiles"][1]["queueing_ns"] == "271.36");
  CHECK(tree["ccdf"][1]["slots"] == 100);
  CHECK(tree["ccdf"][1]["ns"] == "512");
  CHECK(tree["ccdf"][1]["probability"]["kind"] == "approximation");
  CHECK(tree["hops"].size() == 5);
  CHECK(tree["mean_queueing_slots"]["kind"] == "approximation");
  REQUIRE(tree["hops"].size() == 5);
  CHECK(tree["hops"][0]["hop"] == 1);
  CHECK(tree["hops"][0]["buffer"] == 76);
  CHECK(tree["hops"][0]["bytes"] == "4864");
  CHECK(tree["hop_sources"][2]["hop"] == 3);
  CHECK(tree["hop_sources"][2]["count"] == 4096);
  CHECK(tree["total_buffer"] == 396);
  CHECK(tree["total_buffer_bytes"] == "25344");
  CHECK(tree["reorder_buffer"] == 53);
}

TEST_CASE("delay: a percentile agrees with the CCDF, in percent or as a fraction") {
  const json tree = run_result(
      "delay --radix 4 --levels 3 --load 0.9 --hops independent --percentiles 99,0.99 --routing "
      "nearest-ancestor");
  const json& first = tree["percentiles"][0];
  CHECK(first["queueing_slots"] == tree["percentiles"][1]["queueing_slots"]);
  const int t = first["queueing_slots"];
  const json around = run_result(
      "delay --radix 4 --levels 3 --load 0.9 --hops independent --routing nearest-ancestor --ccdf " +
      std::to_string(t - 1) + "," + std::to_string(t));
  const auto above = [&](std::size_t i) {
    return std::stod(around["ccdf"][i]["probability"]["value"].get<std::string>());
  };
  CHECK(above(0) > 0.01);
  CHECK(above(1) < 0.01);
}

TEST_CASE("delay: a single hop is the queue of the command occupancy") {
  const json hop = run_result("delay --radix 16 --levels 1 --load 0.9 --ccdf 0:150:10");
  for (const json& row : hop["ccdf"]) {
    const int t = row["slots"];
    const json level = run_result("occupancy --inputs 16 --load 0.9 --levels " + std::to_string(t + 1));
    CHECK(lower_of(row["probability"]) ==
          Approx(lower_of(level["tail"][0]["probability"]) / 0.9).epsilon(1e-9));
  }
}

TEST_CASE("delay: a tree written as a file gives the same digits") {
  using namespace tailbound;
  const Folder folder;
  const auto load = numeric::parse_rational("0.7", "load");
  const std::string file =
      folder.file("tree.toml", network::to_toml(network::tree_network(
                                   {.radix = 3, .levels = 2}, load, network::TreeRouting::nearest_ancestor)));
  const json tree =
      run_result("delay --radix 3 --levels 2 --load 0.7 --routing nearest-ancestor --drop 1e-9");
  const json flows = run_json("delay --drop 1e-9 --network " + file)["results"];
  REQUIRE(flows.size() == 81);
  int across = 0;
  for (const json& flow : flows)
    if (flow["hops"].size() == 3) {
      ++across;
      for (std::size_t hop = 0; hop < 3; ++hop)
        CHECK(flow["hops"][hop]["probability"] == tree["hops"][hop]["probability"]);
    }
  CHECK(across == 54);
}

TEST_CASE("delay: a network's flows, one of them, and its traffic matrix") {
  const json document = run_json("delay --drop 1e-9 --network " + networks + "bundle.toml");
  const json& all = document["results"];
  REQUIRE(all.size() == 5);
  CHECK(document["query"]["flow"].size() == 5);
  const Outcome one = run_command({"delay", "--network", networks + "bundle.toml", "--drop", "1e-9", "--flow",
                                   "camera -> archive", "--format", "json"});
  REQUIRE(one.status == 0);
  const json flow = json::parse(one.out)["results"][0];
  CHECK(flow["flow"] == "camera -> archive");
  CHECK(flow["source"] == "camera");
  CHECK(flow["rate"] == "0.6");
  CHECK(flow["percentiles"] == all[0]["percentiles"]);
  CHECK(flow["hops"][0]["link"] == "left -> right (wire 1)");
  CHECK(flow["hops"][1]["load"] == "0.85");  // 0.6 + 0.25
  const json matrix = run_json("delay --network " + networks + "two_switches_by_matrix.toml");
  CHECK(matrix["results"].size() == all.size());
}

TEST_CASE("delay: the notes name the model, and whether a simulation was compared with it") {
  for (const std::string& of :
       {"--network " + networks + "unequal_ring.toml", std::string("--radix 4 --levels 2 --load 0.5")}) {
    const std::string text = in_one_line(run_line("delay --hops independent " + of).out);
    INFO(text);
    CHECK(text.find("hops are added as if independent") != std::string::npos);
    CHECK(text.find("Not compared with a simulation") != std::string::npos);
  }
}

TEST_CASE("delay: lists give a result for each combination") {
  const json document = run_json(
      "delay --radix 2,4 --levels 2 --load 50%,0.8 --routing random-root,nearest-ancestor --percentiles 99");
  const json& results = document["results"];
  REQUIRE(results.size() == 8);
  CHECK(document["query"]["radix"] == json({2, 4}));
  CHECK(document["query"]["load"] == json({"0.5", "0.8"}));
  CHECK(results[7]["radix"] == 4);
  CHECK(results[7]["routing"] == "nearest-ancestor");
  CHECK(results[7]["load"] == "0.8");
  const json one = run_result(
      "delay --radix 4 --levels 2 --load 0.8 --routing nearest-ancestor --percentiles 99 --analysis");
  CHECK(results[7] == one);
  // As many rows in CSV, and the same columns as for a single point.
  const std::string tail = " --levels 2 --load 0.8 --percentiles 99 --format csv";
  const auto many = rows_of(run_line("delay --radix 2,4" + tail).out);
  const auto single = rows_of(run_line("delay --radix 4" + tail).out);
  CHECK(many.front() == single.front());
  CHECK(many.size() == 1 + 2 * (1 + 3 + 3));  // a percentile, three hops and their sources
  CHECK(run_line("delay --radix 4 --levels 2 --load 0.5,0.8").out.find("99.9999 %") != std::string::npos);
}

TEST_CASE("delay: a network with scaled rates") {
  const std::string network = "delay --network " + networks + "bundle.toml --percentiles 99";
  const json scaled = run_json(network + " --load-scale 0.5,100%");
  REQUIRE(scaled["results"].size() == 10);
  CHECK(scaled["query"]["load_scale"] == json({"0.5", "1"}));
  CHECK(scaled["results"][0]["rate"] == "0.3");
  const json plain = run_json(network);
  for (std::size_t flow = 0; flow < 5; ++flow)
    CHECK(scaled["results"][5 + flow]["percentiles"] == plain["results"][flow]["percentiles"]);
  const Outcome rejected = run_line(network + " --load-scale 3");
  CHECK(rejected.status == 2);
  CHECK(rejected.err.find("--load-scale is 3") != std::string::npos);
  CHECK(run_line("delay --radix 4 --levels 2 --load 0.5 --load-scale 1").status == 2);
}

TEST_CASE("delay: time added by each hop, in ns") {
  const std::string units = " --packet-bytes 64 --link-gbps 51.2 --percentiles 50,99";  // slots of 10 ns
  const json tree = run_result("delay --radix 4 --levels 2 --load 0.8 --hop-ns 7.5" + units);
  for (const json& row : tree["percentiles"])
    CHECK(std::stod(row["latency_ns"].get<std::string>()) ==
          Approx(10 * row["latency_slots"].get<int>() + 3 * 7.5).epsilon(1e-12));
  // Routes of one and of three queues: a hop time of 20 ns is as much as two slots more per queue.
  const std::string nearest = "delay --radix 4 --levels 2 --load 0.8 --routing nearest-ancestor" + units;
  const json mixed = run_result(nearest + " --hop-ns 20 --ccdf 0:60:1");
  // A quarter of the packets pass one queue. At almost no load there is no waiting.
  const json idle = run_result(
      "delay --radix 4 --levels 2 --load 1e-9 --routing nearest-ancestor --hop-ns 20 --packet-bytes 64 "
      "--link-gbps 51.2 --percentiles 10,50");
  CHECK(idle["percentiles"][0]["latency_ns"] == "30");
  CHECK(idle["percentiles"][1]["latency_ns"] == "90");
  // Without hop times, the time of the slots; with them, more, but at most the time that all hops add.
  const json without = run_result(nearest);
  for (std::size_t i = 0; i < 2; ++i) {
    const double ns = std::stod(mixed["percentiles"][i]["latency_ns"].get<std::string>());
    const double slots = std::stod(without["percentiles"][i]["latency_ns"].get<std::string>());
    CHECK(ns >= slots + 20);
    CHECK(ns <= slots + 60);
  }
  CHECK(run_line("delay --radix 4 --levels 2 --load 0.8 --hop-ns 20").status == 2);
}

TEST_CASE("delay: table, quiet table, CSV, and the model's limits in one line") {
  const Outcome table = run_line("delay --radix 16 --levels 3 --load 0.8 --hops independent");
  CHECK(run_line("delay --radix 16 --levels 3 --load 0.8").out.find("Simulation of this network, ") !=
        std::string::npos);
  CHECK(run_line("delay --radix 16 --levels 3 --load 0.8 --hops bound").out.find("proved up to the root") !=
        std::string::npos);
  CHECK(table.out.find("hops are added as if independent") != std::string::npos);
  CHECK(run_line("delay --radix 16 --levels 3 --load 0.8 --percentiles 99 --quiet").out == "99 25 30\n");
  const auto csv = rows_of(run_line("delay --radix 16 --levels 3 --load 0.8 --hops independent --percentiles "
                                    "99 --ccdf 100 --format csv")
                               .out);
  CHECK(at(csv, 1, "table") == "percentiles");
  CHECK(at(csv, 1, "load") == "0.8");
  CHECK(at(csv, 1, "percentiles_percentile") == "99");
  CHECK(at(csv, 1, "percentiles_latency_slots") == "30");
  CHECK(at(csv, 1, "percentiles_latency_probability_kind") == "approximation");
  CHECK(at(csv, 1, "percentiles_latency_probability").find("0.00878") == 0);
  CHECK(at(csv, 2, "table") == "ccdf");
  CHECK(at(csv, 2, "ccdf_slots") == "100");
  CHECK(at(csv, 2, "ccdf_probability").find("8.95321814") == 0);
}

TEST_CASE("delay: compared with a simulation: one point by default, several on request") {
  const std::string tree = "delay --radix 4 --levels 1 --percentiles 99 ";
  const json one = run_json(tree + "--load 0.8");
  CHECK(notes_contain(one, " packets: P(D > "));
  const json& rows = one["results"][0]["cross_check"];
  REQUIRE(rows.size() >= 2);
  for (const json& row : rows) {
    CHECK(row["of"] == "all packets");
    CHECK(row["agreement"] == "agrees");
    CHECK(row["computed"]["value"].get<double>() ==
          Approx(row["simulated"]["value"].get<double>()).epsilon(0.5));
  }
  CHECK(run_json(tree + "--load 0.8") == one);
  CHECK(!run_json(tree + "--load 0.8 --analysis")["results"][0].contains("cross_check"));
  CHECK(!run_json(tree + "--load 0.7,0.8")["results"][0].contains("cross_check"));
  CHECK(run_json(tree + "--load 0.7,0.8 --simulate")["results"][1].contains("cross_check"));
}

TEST_CASE("delay: the reorder buffer for given delays") {
  const Folder folder;
  const std::string file = folder.file("delays", "0.3\n0.3\n0.2\n0.1\n0.06\n0.04\n");
  const json reorder =
      run_result("delay --delays " + file + " --flow-rate 0.7 --reorder 1e-3 --reorder-levels 0:4:1");
  CHECK(reorder["reorder_buffer"] == 3);
  CHECK(reorder["flow_rate"] == "0.7");
  // P(R = 0 .. 4) = 0.805487 0.142437 0.042166 0.009038 0.000871
  const double tails[] = {0.194513, 0.052076, 0.009909, 0.000871, 0.0};
  for (std::size_t b = 0; b < 5; ++b)
    CHECK(std::abs(lower_of(reorder["reorder_tail"][b]["probability"]) - tails[b]) < 1e-6);
  const std::string text = run_line("delay --delays " + file + " --flow-rate 0.7 --reorder 1e-3").out;
  CHECK(text.find("3 packets for one flow of 0.7 packets per slot") != std::string::npos);
  CHECK(run_json("delay --delays " + file + " --flow-rate 0.5,0.7 --reorder 1e-3")["results"].size() == 2);
}

TEST_CASE("delay: pictures") {
  const Folder folder;
  const std::string picture = folder / "delay.svg";
  CHECK(run_line("delay --radix 16 --levels 3 --load 0.8 --plot " + picture).status == 0);
  const std::string drawn = content(picture);
  CHECK(drawn.find("99.9999 %: 53 slots") != std::string::npos);
  CHECK(drawn.find("accuracy") == std::string::npos);  // stated in the notes
  CHECK(run_line("delay --radix 4 --levels 2 --load 0.2:0.8:0.2 --percentiles 50,99 --plot " + picture)
            .status == 0);
  CHECK(content(picture).find("99 %") != std::string::npos);
}

TEST_CASE("delay: errors") {
  const Folder folder;
  const std::string wires =
      "hosts = [\"a\", \"b\", \"c\"]\nswitches = [\"s\", \"t\"]\n[[link]]\nfrom = [\"a\", \"b\"]\nto = "
      "\"s\"\n"
      "[[link]]\nfrom = \"s\"\nto = \"t\"\n[[link]]\nfrom = \"t\"\nto = \"c\"\n";
  const std::string flow = "[[flow]]\nfrom = \"a\"\nto = \"c\"\nrate = 0.6\n";
  const auto toml = [&](const std::string& name, const std::string& text) {
    return "--network " + folder.file(name, text);
  };
  std::string noise;
  for (unsigned i = 0; noise.size() < 10'000'000; ++i) noise += static_cast<char>((i * 2654435761U) >> 13);
  struct Rejection {
    std::string options;
    int status;
    std::vector<std::string> expected;
  };
  for (const Rejection& rejection : std::vector<Rejection>{
           {"", 2, {"--radix", "missing", "--network"}},
           {"--radix 16 --levels 3", 2, {"--load", "missing"}},
           {"--radix 1 --levels 3 --load 0.8", 2, {"--radix is 1", "2 to 1024"}},
           {"--radix 16 --levels 0 --load 0.8", 2, {"--levels is 0", "1 to 16"}},
           {"--radix 16 --levels 3 --load 1", 1, {"overloaded", "below 1"}},
           {"--radix 16 --levels 3 --load -1", 2, {"--load is -1"}},
           {"--radix 16 --levels 3 --load x", 2, {"--load", "x"}},
           {"--radix 16 --levels 3 --load 0.8 --routing up", 2, {"--routing is up", "random-root"}},
           {"--radix 16 --levels 3 --load 0.8 --percentiles 100", 2, {"--percentiles is 100"}},
           {"--radix 16 --levels 3 --load 0.8 --ccdf -1", 2, {"--ccdf is -1", "0 to"}},
           {"--radix 16 --levels 3 --load 0.8 --simulate --analysis",
            2,
            {"--simulate is not allowed with --analysis"}},
           {"--radix 16 --levels 3 --load 0.8 --simulate --hops chain", 2, {"--hops", "--simulate"}},
           {"--delays none.txt --reorder 1e-3 --flow-rate 0.5 --simulate", 2, {"--simulate", "--delays"}},
           {"--radix 16 --levels 3 --load 0.8 --drop 0", 2, {"--drop is 0"}},
           {"--radix 16 --levels 3 --load 0.8 --criterion loss", 2, {"--criterion", "--drop"}},
           {"--radix 16 --levels 3 --load 0.8 --reorder 2", 2, {"--reorder is 2"}},
           {"--radix 16 --levels 3 --load 0.8 --flow-rate 0.1", 2, {"--flow-rate", "--reorder"}},
           {"--radix 16 --levels 3 --load 0.8 --reorder 1e-9 --flow-rate 2", 2, {"--flow-rate is 2"}},
           {"--radix 16 --levels 3 --load 0.8 --digits 0", 2, {"--digits is 0", "1 to"}},
           {"--radix 16 --levels 3 --load 0.8 --flow all", 2, {"--flow", "--network"}},
           // Starts at 2^21 slots, as the last length determines the cost.
           {"--radix 16 --levels 1 --load 0.9999999 --ccdf 2100000", 1, {"8388608 slots"}},
           {"--network " + networks + "bundle.toml --load 0.5", 2, {"--load", "--network"}},
           {"--network " + networks + "bundle.toml --flow x", 2, {"--flow is x", "camera -> archive"}},
           {"--network /none", 2, {"--network is /none"}},
           {toml("empty", ""), 2, {"empty:1:1", "empty"}},
           {toml("noise", noise), 2, {"noise:1:"}},
           {toml("no_flow", wires), 2, {"no_flow:", "flow"}},
           {toml("negative", wires + "[[flow]]\nfrom = \"a\"\nto = \"c\"\nrate = -0.5\n"),
            2,
            {"negative:15:8", "-0.5"}},
           {toml("excessive", wires + "[[flow]]\nfrom = \"a\"\nto = \"c\"\nrate = 1.5\n"),
            2,
            {"excessive:15:8", "1.5"}},
           {toml("unknown", wires + "[[flow]]\nfrom = \"a\"\nto = \"z\"\nrate = 0.5\n"),
            2,
            {"unknown:14:6", "z"}},
           {toml("apart", wires + "[[flow]]\nfrom = \"c\"\nto = \"a\"\nrate = 0.5\n"),
            2,
            {"apart:1", "no route"}},
           {toml("cycle", wires + flow + "path = [\"s\", \"t\", \"s\", \"t\"]\n"), 2, {"cycle:16:"}},
           {toml("overload", wires + flow + "[[flow]]\nfrom = \"b\"\nto = \"c\"\nrate = 0.5\n"),
            1,
            {"s -> t", "1.1"}},
       }) {
    const Outcome outcome = run_line("delay " + rejection.options);
    INFO("delay " << rejection.options << "\n" << outcome.err);
    CHECK(outcome.status == rejection.status);
    CHECK(outcome.out.empty());
    for (const std::string& expected : rejection.expected)
      CHECK(outcome.err.find(expected) != std::string::npos);
  }
}
