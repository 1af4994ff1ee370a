#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <tests/golden/csv_rows.hpp>
#include <tests/golden/folder.hpp>
#include <tests/golden/run_command.hpp>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>
#include <string>
#include <vector>

// Queries on network files: the source of their flows, and their scaling. The same for delay, simulate tree
// and validate delay.

namespace {

using nlohmann::json;
using tailbound::golden::at;
using tailbound::golden::content;
using tailbound::golden::Folder;
using tailbound::golden::networks;
using tailbound::golden::Outcome;
using tailbound::golden::rows_of;
using tailbound::golden::run_command;

const std::string two_switches = "--network " + networks + "bundle.toml";
const std::string leaf_spine = "--network " + networks + "leaf_spine.toml";

/// Words with spaces are in double quotes.
Outcome run_quoted(const std::string& line) {
  std::istringstream words(line);
  std::vector<std::string> arguments;
  for (std::string word; words >> std::quoted(word);) arguments.push_back(word);
  return run_command(arguments);
}

json json_of(const std::string& line) {
  const Outcome outcome = run_quoted(line + " --format json");
  INFO(line << "\n" << outcome.err);
  REQUIRE(outcome.status == 0);
  return json::parse(outcome.out);
}

json result_of(const std::string& line) {
  const json document = json_of(line);
  REQUIRE(document["results"].size() == 1);
  return document["results"][0];
}

/// The example's nodes and links, without its flows.
std::string without_flows(const Folder& folder) {
  const std::string text = content(networks + "two_switches.toml");
  return "--network " + folder.file("bare.toml", text.substr(0, text.find("# Flows")));
}

std::string star(const Folder& folder, int hosts) {
  std::string names;
  for (int i = 0; i < hosts; ++i) names += "\"h" + std::to_string(i) + "\", ";
  return "--network " +
         folder.file("star.toml", "hosts = [" + names + "]\nswitches = [\"s\"]\n[[link]]\nfrom = [" + names +
                                      "]\nto = \"s\"\nboth = true\n");
}

/// Does the estimate's interval, at twice its width, contain `expected`?
bool near(const json& estimate, double expected) {
  const double value = estimate["value"], half = estimate["upper"].get<double>() - value;
  return std::abs(value - expected) <= 2 * half;
}

}  // namespace

TEST_CASE("network files: a matrix provides the flows of a file without any") {
  const Folder folder;
  const std::string query = " --percentiles 50,99 --drop 1e-6";
  const json by_option =
      json_of("delay " + without_flows(folder) + " --matrix " + networks + "two_switches.csv" + query);
  const json by_file = json_of("delay --network " + networks + "two_switches_by_matrix.toml" + query);
  REQUIRE(by_option["results"].size() == 5);
  for (std::size_t flow = 0; flow < 5; ++flow) {
    json one = by_option["results"][flow], other = by_file["results"][flow];
    for (json* each : {&one, &other}) {
      each->erase("network");
      each->erase("matrix");
    }
    // By the file, and by default: there is a single path.
    CHECK(other["route"] == "shortest");
    CHECK(one["route"] == "spread");
    one["route"] = other["route"];
    CHECK(one == other);
  }
  CHECK(by_option["query"]["matrix"] == networks + "two_switches.csv");
  // Not without: the message names what is missing.
  const Outcome bare = run_quoted("delay " + without_flows(folder));
  CHECK(bare.status == 2);
  CHECK(bare.err.find("bare.toml:1:1: the network has no flows") != std::string::npos);
  // The option's matrix replaces that of the file; wormhole also accepts it.
  const std::string csv = folder.file("one.csv", "from,archive\ncamera,0.5\n");
  CHECK(json_of("delay --network " + networks + "two_switches_by_matrix.toml --matrix " + csv)["results"]
            .size() == 1);
  CHECK(run_quoted("wormhole " + without_flows(folder) + " --matrix " + csv + " --flits 4").status == 0);
}

TEST_CASE("network files: uniform traffic around one switch is that of a tree of one level") {
  const Folder folder;
  // In a tree of one level each leaf sends to all leaves including itself; so its queues have as many inputs
  // as here with one host less.
  const json tree = result_of("delay --radix 8 --levels 1 --load 0.9 --ccdf 0,20 --drop 1e-9");
  const json flows =
      json_of("delay " + star(folder, 9) + " --uniform 0.9 --ccdf 0,20 --drop 1e-9")["results"];
  REQUIRE(flows.size() == 72);
  for (const json& flow : flows) {
    CHECK(flow["uniform"] == "0.9");
    CHECK(flow["rate"] == "0.1125");
    CHECK(flow["percentiles"] == tree["percentiles"]);
    CHECK(flow["ccdf"] == tree["ccdf"]);
    CHECK(flow["mean_queueing_slots"] == tree["mean_queueing_slots"]);
    CHECK(flow["total_buffer"] == tree["total_buffer"]);
  }
  // The same specified in the file.
  const std::string text = content(folder / "star.toml") + "[traffic]\nuniform = 0.9\n";
  const json written =
      json_of("delay --network " + folder.file("written.toml", text) + " --ccdf 0,20")["results"];
  REQUIRE(written.size() == 72);
  CHECK(written[5]["percentiles"] == tree["percentiles"]);
  CHECK_FALSE(written[5].contains("uniform"));
}

TEST_CASE("network files: uniform traffic spread over the spines") {
  const json spread = json_of("delay " + leaf_spine + " --uniform 0.3 --route spread --flow \"h1 -> h5\"");
  const json& flow = spread["results"][0];
  CHECK(flow["queues"] == 3);
  // 4/7 of the packets of 4 hosts go to the other leaf, over two spines.
  CHECK(std::stod(flow["hops"][0]["load"].get<std::string>()) == Approx(4 * 0.3 * 4 / 7 / 2));
  CHECK(flow["hops"][2]["load"] == "0.3");
  CHECK(spread["headline"].get<std::string>().find("% of packets have a latency of at most") !=
        std::string::npos);
  CHECK(flow["route"] == "spread");
  CHECK(result_of("delay " + leaf_spine + " --uniform 0.3 --flow \"h1 -> h5\"") == flow);  // the default
  // Shortest routes: all over the first spine.
  const json shortest =
      result_of("delay " + leaf_spine + " --uniform 0.3 --route shortest --flow \"h1 -> h5\"");
  CHECK(std::stod(shortest["hops"][0]["load"].get<std::string>()) == Approx(4 * 0.3 * 4 / 7));
  CHECK(shortest["route"] == "shortest");
}

TEST_CASE("network files: a list of seeds of ECMP routes gives a result for each hash") {
  const std::string line = "delay " + leaf_spine + " --uniform 0.3 --route ecmp --solve load-scale";
  const json all = json_of(line + " --route-seed 1:20")["results"];
  REQUIRE(all.size() == 20);
  const json spread = result_of("delay " + leaf_spine + " --uniform 0.3 --solve load-scale");
  const auto scale_of = [](const json& result) {
    return std::stod(result["max_load_scale"]["lower"].get<std::string>());
  };
  std::vector<double> scales;
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(all[i]["route"] == "ecmp");
    CHECK(all[i]["route_seed"] == i + 1);
    scales.push_back(scale_of(all[i]));
    CHECK(scales.back() <= scale_of(spread));
  }
  CHECK(*std::min_element(scales.begin(), scales.end()) < *std::max_element(scales.begin(), scales.end()));
  CHECK(result_of(line) == all[0]);
  CHECK(result_of(line + " --route-seed 7") == all[6]);
  const std::string text =
      tailbound::golden::in_one_line(run_quoted("delay " + leaf_spine + " --uniform 0.3 --route ecmp").out);
  CHECK(text.find("Routes: ECMP, one of the shortest paths per flow by a hash, seed 1.") !=
        std::string::npos);
  const Outcome useless = run_quoted("delay " + leaf_spine + " --uniform 0.3 --route-seed 7");
  CHECK(useless.status == 2);
  CHECK(useless.err.find("--route-seed is 7; it must be omitted") != std::string::npos);
}

TEST_CASE("network files: a failed spine") {
  const std::string requested = leaf_spine + " --uniform 0.3 --route spread";
  const json found = json_of("delay " + requested + " --flow \"h1 -> h5\" --without spine2");
  CHECK(std::stod(found["results"][0]["hops"][0]["load"].get<std::string>()) == Approx(4 * 0.3 * 4 / 7));
  CHECK(found["results"][0]["without"] == "spine2");
  CHECK_THAT(found["headline"].get<std::string>(), Catch::Contains("of packets have a latency of at most"));
  // The same as with the failure specified in the file: analysis, simulation, both.
  const Folder folder;
  const std::string broken = folder.path() + "/broken.toml";
  tailbound::golden::write(broken, "without = [\"spine2\"]\n" + content(networks + "leaf_spine.toml"));
  for (const char* line :
       {"delay", "simulate tree --slots 2000 --seed 3", "validate delay --slots 2000 --seed 3"}) {
    json here = json_of(line + (" " + requested) + " --without \" spine2 \"")["results"];
    json there = json_of(line + (" --network " + broken) + " --uniform 0.3 --route spread")["results"];
    CHECK(here[0]["without"] == "spine2");
    CHECK(!there[0].contains("without"));
    for (json* all : {&here, &there})
      for (json& each : *all)
        for (const char* key : {"without", "network", "seconds"}) each.erase(key);
    CHECK(here == there);
  }
  CHECK(result_of("delay " + leaf_spine + " --solve load-scale --uniform 1 --without spine2")
            .contains("max_load_scale"));
  const auto rejected = [](const std::string& line, int status, const char* what) {
    const Outcome outcome = tailbound::golden::run_line(line);
    CHECK(outcome.status == status);
    CHECK_THAT(outcome.err, Catch::Contains(what));
  };
  rejected("delay " + leaf_spine + " --uniform 0.45 --route spread --without spine2", 2,
           "below 0.4375, where");
  rejected("delay " + requested + " --without spine9", 2, "--without is \"spine9\"");
  rejected("delay " + requested + " --without ,", 2, "without is \",\"; it must be a list");
  rejected("network leaf-spine --without ,", 2, "without is \",\"; it must be a list");
  rejected("network leaf-spine --shared-memory h0", 2, "shared-memory is h0; it must be all, or switches");
  rejected("delay --radix 4 --levels 2 --load 0.5 --without spine2", 2, "--without needs --network FILE");
  rejected("simulate tree --radix 4 --levels 2 --load 0.5 --without s", 2, "--without needs --network FILE");
  rejected("delay --network " + networks + "two_switches.toml --without right", 2,
           "the path needs a link from");
}

TEST_CASE("network files: all rates times 2 equals doubled rates") {
  const Folder folder;
  const std::string bare = without_flows(folder);
  const std::string once = folder.file("once.csv", "from,archive,desk\ncamera,0.2,0.1\ndesk,1/10,\n"),
                    twice = folder.file("twice.csv", "from,archive,desk\ncamera,0.4,0.2\ndesk,1/5,\n");
  const std::string query = " --percentiles 50,99,99.9999 --ccdf 3 --drop 1e-9";
  const json scaled = json_of("delay " + bare + " --matrix " + once + " --load-scale 2" + query)["results"];
  const json doubled = json_of("delay " + bare + " --matrix " + twice + query)["results"];
  REQUIRE(scaled.size() == 3);
  for (std::size_t flow = 0; flow < 3; ++flow) {
    CHECK(scaled[flow]["load_scale"] == "2");
    for (const char* key : {"rate", "percentiles", "ccdf", "hops", "mean_latency_slots", "total_buffer"})
      CHECK(scaled[flow][key] == doubled[flow][key]);
  }
  // The simulators draw the same packets.
  const std::string run = " --slots 3000 --threads 1 --percentiles 99";
  const json simulated = result_of("simulate tree " + bare + " --matrix " + once + " --load-scale 2" + run),
             other = result_of("simulate tree " + bare + " --matrix " + twice + run);
  CHECK(simulated["load_scale"] == "2");
  for (const char* key : {"packets", "mean_queueing_slots", "percentiles", "links", "flows"})
    CHECK(simulated[key] == other[key]);
  const std::string validation = " --slots 3000 --threads 1 --ccdf 0,1 --percentiles 99 --format json";
  const json one = json::parse(
                 run_quoted("validate delay " + bare + " --matrix " + once + " --load-scale 2" + validation)
                     .out),
             two = json::parse(run_quoted("validate delay " + bare + " --matrix " + twice + validation).out);
  CHECK(one["query"]["load_scale"] == "2");
  CHECK(one["results"][0]["rows"] == two["results"][0]["rows"]);
}

TEST_CASE("network files: uniform traffic and factors as lists, all combinations") {
  const std::string loads = leaf_spine + " --route spread --uniform 0.1,20% --load-scale 0.5:1.5:0.5";
  const json analysed = json_of("delay " + loads + " --flow \"h1 -> h5\" --percentiles 99");
  REQUIRE(analysed["results"].size() == 6);
  CHECK(analysed["query"]["uniform"] == json({"0.1", "0.2"}));
  CHECK(analysed["query"]["load_scale"] == json({"0.5", "1", "1.5"}));
  // 0.1 times 1 differs from 0.2 times 0.5 among the inputs, but has the same delays.
  CHECK(analysed["results"][1]["percentiles"] == analysed["results"][3]["percentiles"]);
  const json simulated = json_of("simulate tree " + loads + " --slots 2000 --threads 1");
  REQUIRE(simulated["results"].size() == 6);
  for (const json& result : simulated["results"]) {
    const double rate =
        std::stod(result["uniform"].get<std::string>()) * std::stod(result["load_scale"].get<std::string>());
    for (const json& link : result["links"]) {
      const std::string name = link["link"];
      const bool to_host = name.find("-> h") != std::string::npos;
      CHECK(near(link["load"], to_host ? rate : 4 * rate * 4 / 7 / 2));
    }
  }
  const auto csv =
      rows_of(run_quoted("delay " + loads + " --flow \"h1 -> h5\" --percentiles 99 --format csv").out);
  CHECK(at(csv, 1, "uniform") == "0.1");
  CHECK(at(csv, 1, "load_scale") == "0.5");
  const Folder folder;
  const std::string picture = folder / "uniform.svg";
  CHECK(run_quoted("delay " + leaf_spine + " --uniform 0.1:0.4:0.1 --percentiles 99 --plot " + picture)
            .status == 0);
  CHECK(content(picture).find("uniform") != std::string::npos);
}

TEST_CASE("network files: uniform traffic around one switch agrees with the simulation") {
  const Folder folder;
  const json rows = result_of("validate delay " + star(folder, 5) +
                              " --uniform 0.8 --load-scale 0.75 --slots 60000 --threads 1");
  CHECK(rows["uniform"] == "0.8");
  CHECK(rows["load_scale"] == "0.75");
  CHECK(rows["below"] == 0);
  CHECK(rows["above"] == 0);
  CHECK(rows["inside"].get<int>() > 8);
}

TEST_CASE("network files: with finite buffers the offered load may exceed the capacity of links") {
  const Folder folder;
  const std::string flows = folder.file("hot.csv", "from,archive\ncamera,0.5\ndesk,0.5\nprinter,0.5\n");
  const std::string line = "simulate tree " + without_flows(folder) + " --matrix " + flows +
                           " --load-scale 1.5 --slots "
                           "2000 --threads 1";
  const Outcome endless = run_quoted(line);
  CHECK(endless.status == 2);
  CHECK(endless.err.find(
            "--load-scale is 1.5; it must be below 2/3, where the link right -> archive is full") !=
        std::string::npos);
  CHECK(result_of(line + " --buffer 8")["links"].size() == 2);
  CHECK(run_quoted(line + " --buffer 8 --load-scale 2").status == 2);  // given twice
  const Outcome sending = run_quoted("simulate tree " + without_flows(folder) + " --matrix " + flows +
                                     " --load-scale 2.5 --slots 2000 --buffer 8");
  CHECK(sending.err.find("--load-scale is 2.5; it must be at most 2, where ") != std::string::npos);
}

TEST_CASE("delay --solve load-scale: the limit of the links, exactly") {
  const json document = json_of("delay " + two_switches + " --solve load-scale");
  const json& answer = document["results"][0];
  CHECK(answer["solve"] == "load-scale");
  CHECK(answer["max_load_scale"]["kind"] == "exact");
  CHECK(answer["max_load_scale"]["value"] == "20/17");  // 1 / (0.6 + 0.25)
  CHECK(answer["attained"] == false);
  CHECK(answer["limit"] == "link");
  CHECK(answer["limit_name"] == "right -> archive");
  REQUIRE(answer["limits"].size() == 9);
  CHECK(answer["limits"][3]["name"] == "left -> right (wire 1)");
  CHECK(answer["limits"][3]["takes"] == "1");
  CHECK(document["headline"] ==
        "Load scale below 20/17 (1.1764705882) is stable; there the link right -> archive is full.");
  // Below it the analysis has an answer, at it no longer.
  CHECK(run_quoted("delay " + two_switches + " --load-scale 1.1764 --percentiles 50").status == 0);
  CHECK(run_quoted("delay " + two_switches + " --load-scale 20/17 --percentiles 50").status == 2);
  CHECK(run_quoted("delay " + two_switches + " --solve load-scale --quiet").out == "1.1764705882\n");
  // Uniform traffic: the rate times the factor is the limit of the network.
  const json uniform =
      json_of("delay " + leaf_spine + " --route spread --uniform 0.1,0.2 --solve load-scale");
  for (const json& each : uniform["results"])
    CHECK(std::stod(each["uniform"].get<std::string>()) *
              std::stod(each["max_load_scale"]["lower"].get<std::string>()) ==
          Approx(7.0 / 8).epsilon(1e-9));
}

TEST_CASE("delay --solve load-scale: targets, on both sides") {
  const std::string query = "delay " + two_switches;
  const json found = result_of(query + " --solve load-scale --percentiles 99.9 --within 12");
  CHECK(found["percentile"] == "99.9");
  CHECK(found["within_slots"] == "12");
  // Each flow waits in one queue only, so the delays are proved.
  CHECK(found["max_load_scale"]["kind"] == "enclosure");
  const auto worst = [&](const std::string& scale) {
    int maximum = 0;
    const json flows =
        json_of(query + " --hops independent --percentiles 99.9 --load-scale " + scale)["results"];
    for (const json& flow : flows)
      maximum = std::max(maximum, flow["percentiles"][0]["latency_slots"].get<int>());
    return maximum;
  };
  CHECK(worst(found["safe_load_scale"]) <= 12);
  CHECK(worst(std::to_string(1.001 * std::stod(found["max_load_scale"]["upper"].get<std::string>()))) > 12);
  const json buffers = result_of(query + " --solve load-scale --drop 1e-9 --capacity 32");
  const auto capacity = [&](const std::string& scale) {
    int maximum = 0;
    const json flows = json_of(query + " --drop 1e-9 --load-scale " + scale)["results"];
    for (const json& flow : flows)
      for (const json& hop : flow["hops"]) maximum = std::max(maximum, hop["buffer"].get<int>());
    return maximum;
  };
  CHECK(capacity(buffers["safe_load_scale"]) == 32);
  CHECK(capacity(buffers["max_load_scale"]["upper"]) == 33);
  CHECK(buffers["limit_name"] == "right -> archive");
  // In ns, including hop times: 30 slots and links.
  const json ns =
      result_of(query +
                " --solve load-scale --percentiles 99.9 --within-ns 200 --packet-bytes 64 --link-gbps "
                "51.2 --hop-ns 35");
  CHECK(ns["within_ns"] == "200");
  CHECK(ns["hop_ns"] == "35");
  // Two queues: 13 slots of 10 ns and 70 ns.
  CHECK(ns["safe_load_scale"] ==
        result_of(query + " --solve load-scale --percentiles 99.9 --within 13 --flow \"desk -> archive\"")
            ["safe_load_scale"]);
  // Lists, CSV and a picture.
  const Folder folder;
  const std::string picture = folder / "scale.svg";
  const Outcome many = run_quoted(
      query + " --solve load-scale --percentiles 99,99.9 --within 5:20:5 --format csv --plot " + picture);
  REQUIRE(many.status == 0);
  const auto csv = rows_of(many.out);
  CHECK(at(csv, 1, "percentile") == "99");
  CHECK(at(csv, 1, "max_load_scale_kind") == "enclosure");
  CHECK(content(picture).find("maximum load scale") != std::string::npos);
}

TEST_CASE("network files: errors") {
  const Folder folder;
  const std::string bare = without_flows(folder);
  const std::string apart = "--network " + folder.file("apart.toml",
                                                       "hosts = [\"a\", \"b\"]\nswitches = [\"s\"]\n"
                                                       "[[link]]\nfrom = \"a\"\nto = \"s\"\n");
  struct Rejection {
    std::string line;
    int status;
    std::vector<std::string> error_texts;
  };
  for (const Rejection& rejection : std::vector<Rejection>{
           {"delay " + bare + " --uniform 0", 2, {"--uniform is 0", "above 0 and at most 1"}},
           {"delay " + bare + " --uniform 1.5",
            2,
            {"--uniform is 1.5", "below 0.75, where the link right -> left is full"}},
           {"delay " + bare + " --uniform x", 2, {"--uniform", "x"}},
           {"delay " + bare + " --uniform 0.9",
            2,
            {"--uniform is 0.9", "below 0.75", "right -> left is full"}},
           {"delay " + bare + " --uniform 0.4 --load-scale 3", 2, {"--load-scale is 3", "below 1.875"}},
           {"delay " + bare + " --uniform 0.4 --matrix m", 2, {"--uniform is not allowed with --matrix"}},
           {"delay " + two_switches + " --uniform 0.4", 2, {"--uniform", "flows of ", "bundle.toml"}},
           {"delay " + apart + " --uniform 0.4", 2, {"--uniform", "no host can reach"}},
           {"delay " + bare + " --uniform 0.4 --route up", 2, {"--route is up", "spread"}},
           {"delay --radix 4 --levels 2 --load 0.5 --uniform 0.4", 2, {"--uniform", "--network"}},
           {"delay --delays d --uniform 0.4", 2, {"--uniform", "--delays"}},
           {"delay " + two_switches + " --load-scale 0", 2, {"--load-scale is 0", "above 0"}},
           {"simulate tree --radix 4 --levels 2 --load 0.5 --load-scale 2", 2, {"--load-scale", "--network"}},
           {"simulate tree --radix 4 --levels 2 --load 0.5 --rare 5 --uniform 0.4",
            2,
            {"--uniform", "--network"}},
           {"validate delay " + two_switches + " --load-scale 2", 2, {"--load-scale is 2", "below 20/17"}},
           {"validate delay " + two_switches + " --uniform 0.5", 2, {"--uniform", "flows of"}},
           {"delay --radix 4 --levels 2 --load 0.5 --solve load-scale", 2, {"--solve", "--network"}},
           {"delay " + two_switches + " --solve load", 2, {"--solve is load", "load-scale"}},
           {"delay " + two_switches + " --solve load-scale --load-scale 1", 2, {"--load-scale", "--solve"}},
           {"delay " + two_switches + " --solve load-scale --ccdf 3", 2, {"--ccdf", "--solve"}},
           {"delay " + two_switches + " --solve load-scale --within 3", 2, {"--percentiles", "missing"}},
           {"delay " + two_switches + " --solve load-scale --percentiles 9", 2, {"--within", "missing"}},
           {"delay " + two_switches + " --solve load-scale --drop 1e-3", 2, {"--capacity", "missing"}},
           {"delay " + two_switches + " --solve load-scale --capacity 3", 2, {"--drop", "missing"}},
           {"delay " + two_switches + " --solve load-scale --percentiles 9 --within -1",
            2,
            {"--within is -1"}},
           {"delay " + two_switches + " --solve load-scale --percentiles 9 --within 2 --within-ns 3",
            2,
            {"--within-ns", "--within"}},
           {"delay " + two_switches + " --solve load-scale --percentiles 9 --within-ns 3",
            2,
            {"--link-gbps"}},
           {"delay " + two_switches + " --solve load-scale --percentiles 9 --within 1",
            1,
            {"no factor meets"}},
           {"delay " + two_switches + " --solve load-scale --plot x.svg", 2, {"--plot needs several points"}},
           {"delay " + two_switches + " --within 3", 2, {"--within needs --solve load-scale"}},
           {"delay " + two_switches + " --capacity 3", 2, {"--capacity needs --solve load-scale"}},
       }) {
    const Outcome outcome = run_quoted(rejection.line);
    INFO(rejection.line << "\n" << outcome.err);
    CHECK(outcome.status == rejection.status);
    CHECK(outcome.out.empty());
    for (const std::string& error_texts : rejection.error_texts)
      CHECK(outcome.err.find(error_texts) != std::string::npos);
  }
}

TEST_CASE("network files: time added by hops in simulated and computed latencies") {
  const std::string units = " --packet-bytes 64 --link-gbps 51.2 --hop-ns 35";  // slots of 10 ns
  const json plain = result_of("simulate tree " + two_switches + " --slots 20000 --threads 1" + units);
  CHECK(plain["hop_ns"] == "35");
  // Each delivered packet has passed the queues of its flow: camera -> desk one, all others two.
  double queues = 0;
  for (const json& flow : plain["flows"])
    queues += flow["packets"].get<double>() * (flow["flow"] == "camera -> desk" ? 1 : 2);
  const double expected =
      10 * plain["mean_queueing_slots"]["value"].get<double>() + 45 * queues / plain["packets"].get<double>();
  CHECK(plain["mean_latency_ns"]["value"].get<double>() == Approx(expected).epsilon(1e-9));
  // If all packets pass the same number of queues, each percentile increases by their time.
  const json tree =
      result_of("simulate tree --radix 4 --levels 2 --load 0.8 --slots 5000 --threads 1" + units);
  for (const json& row : tree["percentiles"])
    for (const char* end : {"value", "lower", "upper"})
      if (!row["latency_slots"][end].is_null())
        CHECK(row["latency_ns"][end].get<double>() ==
              Approx(10 * row["latency_slots"][end].get<double>() + 3 * 35));
  // Almost no load: a quarter of the packets pass one queue, the others three.
  const json idle = result_of(
      "simulate tree --radix 4 --levels 2 --load 0.001 --routing nearest-ancestor --slots 50000 --threads 1 "
      "--percentiles 10,90" +
      units);
  CHECK(idle["percentiles"][0]["latency_ns"]["value"] == 45);
  CHECK(idle["percentiles"][1]["latency_ns"]["value"] == 135);

  // Compared with the analysis: the results of delay, and here all within the intervals.
  const std::string query = "--percentiles 50,99" + units;
  const json rows = result_of("validate delay --hops independent " + two_switches +
                              " --slots 60000 --threads 1 --ccdf 0 " + query);
  CHECK(rows["hop_ns"] == "35");
  REQUIRE(rows["rows"].size() == 7);
  CHECK(rows["inside"] == 7);
  const json& last = rows["rows"][6];
  CHECK(last["quantity"] == "mean_latency_ns");
  CHECK(last["unit"] == "ns");
  CHECK(last["prediction_ns"] == last["prediction"]);
  // The mean over flows by their rates, of the latencies of delay.
  const json flows = json_of("delay --hops independent " + two_switches + " " + query)["results"];
  double sum = 0, rates = 0;
  for (const json& flow : flows) {
    const double rate = std::stod(flow["rate"].get<std::string>());
    sum += rate * std::stod(flow["mean_latency_ns"]["lower"].get<std::string>());
    rates += rate;
  }
  CHECK(std::stod(last["prediction_ns"]["lower"].get<std::string>()) == Approx(sum / rates).epsilon(1e-9));

  for (const std::string command : {"simulate tree ", "validate delay "}) {
    const Outcome rejected = run_quoted(command + two_switches + " --hop-ns 35");
    CHECK(rejected.status == 2);
    CHECK(rejected.err.find("--link-gbps is missing") != std::string::npos);
    CHECK(run_quoted(command + two_switches + " --packet-bytes 64 --link-gbps 1 --hop-ns -1").status == 2);
  }
  CHECK(
      run_quoted(
          "simulate tree --radix 4 --levels 1 --load 0.5 --rare 5 --packet-bytes 64 --link-gbps 1 --hop-ns 1")
          .err.find("--hop-ns is not allowed with --rare") != std::string::npos);
  // Pictures say it.
  const Folder folder;
  const std::string picture = folder / "hop.svg";
  for (const std::string& command :
       {"simulate tree " + two_switches + " --slots 3000", "delay " + two_switches,
        "validate delay " + two_switches + " --slots 3000",
        "delay " + two_switches + " --load-scale 0.5,1"}) {
    CHECK(run_quoted(command + units + " --plot " + picture).status == 0);
    CHECK(content(picture).find("propagation and pipeline") != std::string::npos);
  }
}

TEST_CASE("network files: notes do not cite errors of other networks") {
  const Folder folder;
  const std::string ring = "--network " + networks + "worm_ring.toml --flits 16";
  const std::vector<std::string> figures{"seven networks", "3-tree",    "4-ary",
                                         "fat-tree",       "hypercube", "lighter at"};
  for (const std::string& line :
       {"delay " + two_switches, "validate delay " + two_switches + " --slots 3000", "wormhole " + ring,
        "validate wormhole " + ring + " --fractions 20% --cycles 4000",
        "simulate tree " + two_switches + " --slots 3000",
        "simulate wormhole " + ring + " --fractions 20% --cycles 4000",
        "delay " + two_switches + " --solve load-scale --percentiles 99 --within 9"}) {
    const json document = json::parse(run_quoted(line + " --format json").out);
    for (const json& note : document["notes"])
      for (const std::string& figure : figures) {
        INFO(line << "\n" << note);
        CHECK(note.get<std::string>().find(figure) == std::string::npos);
      }
  }
  const std::string error_texts = run_quoted("wormhole " + ring).out;
  CHECK(error_texts.find("not measured for this") != std::string::npos);
  CHECK(run_quoted("wormhole --topology mesh --nodes 16 --flits 16").out.find("(4 x 4 mesh") !=
        std::string::npos);
  const std::string picture = folder / "ring.svg";
  CHECK(run_quoted("wormhole " + ring + " --plot " + picture).status == 0);
  CHECK(content(picture).find("measured to within") == std::string::npos);
}

TEST_CASE("networks computed as a whole: latencies in ns with a time per hop") {
  const Folder folder;
  const std::string file = folder / "tree.toml";
  // 10 ports would give 250 hosts, 12 ports give 432.
  REQUIRE(run_quoted("network fat-tree --hosts 321 --uniform 0.6 -o " + file).status == 0);
  const std::string query = "delay --network " + file + " --percentiles 50,99.999";
  const std::string units = " --link-gbps 400 --packet-bytes 1500 --hop-ns 500";  // slots of 30 ns
  const json whole = result_of(query + units);
  CHECK(whole["hosts"] == 432);
  CHECK(whole["hop_ns"] == "500");
  for (const json& row : whole["pairs"]) {
    if (row["pair_queues"] == "all") continue;
    const double queues = std::stod(row["pair_queues"].get<std::string>());
    CHECK(std::stod(row["latency_ns"].get<std::string>()) ==
          row["latency_slots"].get<double>() * 30 + 500 * queues);
  }
  const json one = result_of(query + units + " --flow \"h0 -> h400\"");
  REQUIRE(one["percentiles"].size() == 2);
  for (const json& row : one["percentiles"])
    CHECK(std::stod(row["latency_ns"].get<std::string>()) ==
          row["latency_slots"].get<double>() * 30 + 500 * 5);
  CHECK(one.contains("mean_latency_ns"));
  const json without = result_of(query + " --link-gbps 400 --packet-bytes 1500 --flow \"h0 -> h400\"");
  for (const json& row : without["percentiles"])
    CHECK(std::stod(row["latency_ns"].get<std::string>()) == row["latency_slots"].get<double>() * 30);
  const Outcome rejected = run_quoted(query + " --hop-ns 500");
  CHECK(rejected.status == 2);
  CHECK(rejected.err.find("--link-gbps is missing") != std::string::npos);
}

TEST_CASE("generated networks: a fat-tree with a number of hosts") {
  const auto hosts = [](const std::string& sizes) {
    const std::string text = run_quoted("network fat-tree " + sizes).out;
    const std::size_t at = text.find("h[0..");
    return at == std::string::npos ? 0 : std::stoi(text.substr(at + 5)) + 1;
  };
  CHECK(hosts("--hosts 1024") == 1024);
  CHECK(hosts("--hosts 1000") == 1024);
  CHECK(hosts("--hosts 1025") == 1458);
  CHECK(hosts("--hosts 1024 --levels 2") == 1058);
  CHECK(hosts("--hosts 1") == 2);
  const auto refused = [](const std::string& sizes, const std::string& why) {
    const Outcome outcome = run_quoted("network fat-tree " + sizes);
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.err, Catch::Contains(why));
  };
  refused("--hosts 1024 --radix 16", "--radix is not allowed with --hosts");
  refused("--hosts 0", "1 or more");
  refused("--hosts 600000", "at most 524288 for 3 levels");
  refused("--hosts 8193 --levels 2", "at most 8192 for 2 levels");
  refused("--hosts 100 --levels 4", "levels");
}

namespace {

/// Three senders into one host over links of the given rates, and what else is in the file.
std::string speeds_file(const Folder& folder, const std::string& name, const std::string& fast,
                        const std::string& slow, const std::string& flows, const std::string& more = {}) {
  std::string text = "hosts = [\"a\", \"b\", \"c\", \"z\", \"idle\"]\nswitches = [\"s\"]\n" + more;
  for (const std::string host : {"a", "b", "z"})
    text += "[[link]]\nfrom = \"" + host + "\"\nto = \"s\"\nrate = " + fast + "\nboth = true\n";
  text += "[[link]]\nfrom = \"c\"\nto = \"s\"\nrate = " + slow + "\nboth = true\n" + flows;
  return "--network " + folder.file(name, text);
}

std::string three_flows(const std::string& a, const std::string& c) {
  std::string text;
  for (const std::string from : {"a", "b", "c"})
    text += "[[flow]]\nfrom = \"" + from + "\"\nto = \"z\"\nrate = " + (from == "c" ? c : a) + "\n";
  return text;
}

double number_of(const json& decimal) {
  return decimal.is_number() ? decimal.get<double>() : std::stod(decimal.get<std::string>());
}

/// Latency percentiles of each flow [ns].
std::vector<json> latencies_of(const std::string& line) {
  std::vector<json> all;
  const json document = json_of(line);
  for (const json& result : document["results"])
    for (const json& percentile : result["percentiles"]) all.push_back(percentile["latency_ns"]);
  return all;
}

}  // namespace

TEST_CASE("idle links, units and a scale of all speeds change no delay") {
  const Folder folder;
  const std::string idle = "[[link]]\nfrom = \"idle\"\nto = \"s\"\nrate = \"1G\"\nboth = true\n";
  const std::string ns = " --packet-bytes 1500 --percentiles 50,99,99.99";
  const auto mixed = latencies_of(
      "delay " + speeds_file(folder, "1.toml", "\"100G\"", "\"40G\"", three_flows("\"30G\"", "\"10G\"")) +
      ns);
  CHECK(mixed.size() == 9);
  CHECK(mixed == latencies_of("delay " +
                              speeds_file(folder, "2.toml", "\"100G\"", "\"40G\"",
                                          three_flows("\"30G\"", "\"10G\"") + idle) +
                              ns));
  CHECK(mixed == latencies_of("delay " +
                              speeds_file(folder, "3.toml", "\"100G\"", "\"40G\"",
                                          three_flows("\"30G\"", "\"10G\""), "gbps = 10\n") +
                              ns));
  CHECK(mixed ==
        latencies_of("delay " + speeds_file(folder, "4.toml", "2.5", "1", three_flows("0.75", "0.25")) + ns +
                     " --link-gbps 40"));
  CHECK(mixed == latencies_of("delay " + speeds_file(folder, "5.toml", "5", "2", three_flows("1.5", "0.5")) +
                              ns + " --link-gbps 20"));
  // Equal speeds: the proved delays of one packet per slot.
  const auto equal = json_of("delay " + speeds_file(folder, "6.toml", "1", "1", three_flows("0.3", "0.3")));
  const auto scaled = json_of("delay " + speeds_file(folder, "7.toml", "\"100G\"", "\"100G\"",
                                                     three_flows("\"30G\"", "\"30G\"") + idle));
  for (std::size_t flow = 0; flow < 3; ++flow) {
    CHECK(equal["results"][flow]["percentiles"] == scaled["results"][flow]["percentiles"]);
    CHECK(equal["results"][flow]["mean_queueing_slots"] == scaled["results"][flow]["mean_queueing_slots"]);
  }
}

TEST_CASE("links of different speeds: the analysis, the simulation and its times") {
  const Folder folder;
  const std::string file =
      speeds_file(folder, "1.toml", "\"100G\"", "\"40G\"", three_flows("\"30G\"", "\"10G\""));
  const json simulated = json_of("delay " + file + " --ccdf 1 --packet-bytes 1500");
  const json analysed = json_of("delay " + file + " --ccdf 1 --packet-bytes 1500 --analysis");
  for (std::size_t flow = 0; flow < 3; ++flow) {
    const json &one = simulated["results"][flow], &other = analysed["results"][flow];
    CHECK(one["hops_model"] == "simulated");
    CHECK(other["hops_model"] == "independent");
    CHECK(other["mean_queueing_slots"]["kind"] == "approximation");
    const double mean = one["mean_queueing_slots"]["value"];
    CHECK(number_of(other["mean_queueing_slots"]["value"]) == Approx(mean).epsilon(0.25));
    // A slot is a packet on the slowest link with a flow: 300 ns; the queue sends one in 120 ns.
    for (const json& percentile : one["percentiles"]) {
      const double ns = number_of(percentile["latency_ns"]);
      CHECK(ns == Approx(300 * number_of(percentile["latency_slots"])));
      CHECK(ns >= 120);
    }
  }
  const json all =
      json_of("simulate tree " + file + " --slots 200000 --ccdf 0,1 --hop-ns 10 --packet-bytes 1500");
  CHECK(all["results"][0]["mean_latency_ns"]["value"].get<double>() ==
        Approx(300 * all["results"][0]["mean_latency_slots"]["value"].get<double>() + 10).epsilon(1e-6));
  const Outcome refused = run_quoted("delay " + file + " --hops chain");
  CHECK(refused.status == 2);
  CHECK(refused.err.find("different speeds") != std::string::npos);
  CHECK(json_of("delay " + file +
                " --solve load-scale --within-ns 1500 --percentiles 99.9 --packet-bytes 1500")["results"]
            .size() == 1);
}
