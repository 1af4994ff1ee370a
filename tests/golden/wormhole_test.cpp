#include <catch2/catch.hpp>
#include <tests/golden/csv_rows.hpp>
#include <tests/golden/folder.hpp>
#include <tests/golden/run_command.hpp>
#include <tests/golden/run_json.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

// Command lines on wormhole networks: answers in each format, and errors.

namespace {

using tailbound::golden::at;
using tailbound::golden::holds;
using tailbound::golden::in_one_line;
using tailbound::golden::Outcome;
using tailbound::golden::rows_of;
using tailbound::golden::run_json;
using tailbound::golden::run_line;

/// The number under a key, of any kind.
double number(const nlohmann::json& cells, const char* key) {
  INFO(key);
  REQUIRE(cells.contains(key));
  return cells[key]["value"].get<double>();
}

TEST_CASE("wormhole: the fat-tree in JSON, its variants, and fractions as percent") {
  const std::string line = "wormhole --topology butterfly-fat-tree --nodes 1024 --flits 16 ";
  const auto answer = run_json(line + "--variant paper --fractions 10%,1/2,80%,0.95");
  CHECK(answer["command"] == "wormhole");
  CHECK(answer["query"]["variant"] == "paper");
  const auto& points = answer["results"];
  REQUIRE(points.size() == 4);
  CHECK(number(points[1], "latency") == Approx(28.094633).margin(6e-7));
  CHECK(number(points[1], "fraction_of_saturation") == Approx(0.5).epsilon(1e-15));
  CHECK(points[1]["trusted"] == true);
  CHECK(number(points[3], "latency") == Approx(53.935359).margin(6e-7));
  CHECK(points[3]["trusted"] == false);
  for (const auto& point : points) {
    CHECK(point["latency"]["kind"] == "model");
    CHECK(number(point, "saturation_load") == Approx(0.03909233205330).margin(1e-14));
    CHECK(number(point, "mean_distance") == Approx(9.343108504).margin(1e-9));
    CHECK(number(point, "latency") ==
          Approx(number(point, "source_wait") + number(point, "service") + number(point, "mean_distance") - 1)
              .epsilon(1e-14));
  }
  const auto usual = run_json("wormhole --topology butterfly-fat-tree --nodes 64 --flits 16 --loads 0.145");
  CHECK(usual["query"]["variant"] == "finite-source");
  CHECK(number(usual["results"][0], "service") == Approx(27.692917523).epsilon(1e-7));
  CHECK(number(usual["results"][0], "source_wait") == Approx(6.1332684949).epsilon(3e-7));
}

TEST_CASE("wormhole: tables give the positions of figures") {
  const std::string mesh = "wormhole --topology mesh --nodes 64 --flits 20 --variant paper ";
  const Outcome low = run_line(mesh + "--loads 0.05,0.1");
  CHECK(low.status == 0);
  CHECK(low.out.find("53.0 %") != std::string::npos);
  CHECK(low.out.find(" -> ") != std::string::npos);
  CHECK(low.out.find("0.18856 flits/cycle/node") != std::string::npos);
  CHECK(low.out.find("not measured") != std::string::npos);
  const auto csv = rows_of(run_line(mesh + "--loads 0,0.1 --format csv").out);
  REQUIRE(csv.size() == 3);
  CHECK(at(csv, 1, "load") == "0");
  CHECK(at(csv, 1, "latency_kind") == "model");
  CHECK(std::stod(at(csv, 1, "latency")) == Approx(26.333333333333).epsilon(1e-13));
  // After the name of the busiest channel, which contains commas.
  const std::string line = run_line(mesh + "--loads 0.1 --format csv").out;
  CHECK(line.find(",saturation_load,saturation_load_kind,") != std::string::npos);
  CHECK(line.find(",0.18856203") != std::string::npos);
  CHECK(run_line(mesh + "--loads 0.1 --quiet").out.find("0.188562") != std::string::npos);
}

TEST_CASE("wormhole: lists of networks and lengths, and sides as a size") {
  const auto answer =
      run_json("wormhole --topology mesh,unidirectional-torus --nodes 16,64 --flits 8,16 --loads 0.01,0.05");
  REQUIRE(answer["results"].size() == 16);
  CHECK(answer["query"]["topology"] == std::vector<std::string>{"mesh", "unidirectional-torus"});
  CHECK(answer["query"]["flits"] == std::vector<int>{8, 16});
  const std::string mesh = "wormhole --topology mesh --flits 16 --loads 0.05 ";
  const auto sides = run_json(mesh + "--nodes 4x4x4")["results"][0];
  CHECK(sides == run_json(mesh + "--nodes 64 --dimensions 3")["results"][0]);
  CHECK(sides["nodes"] == 64);
  CHECK(sides["dimensions"] == 3);
  CHECK(rows_of(run_line(mesh + "--nodes 4x4,4x4x4 --format csv").out).size() == 3);
}

TEST_CASE("wormhole: the latency of an idle network is exact with cyclic dependencies too") {
  struct Case {
    const char* network;
    double latency;  ///< flits + mean number of channels - 1
    double service;
  };
  const Case it =
      GENERATE(Case{"unidirectional-torus --nodes 8x8 --flits 32", 32 + 64.0 / 9 + 1, 32},
               Case{"unidirectional-torus --nodes 5x5 --flits 4", 55.0 / 6, 4},
               Case{"unidirectional-torus --nodes 8 --dimensions 1 --flits 1", 6, 1},
               Case{"torus --nodes 4x4 --flits 20", 20 + 32.0 / 15 + 1, 20},
               Case{"unidirectional-torus --nodes 3x3 --flits 20 --lengths geometric", 23.25, 20});
  const auto idle =
      run_json(std::string("wormhole --virtual-channels 1 --loads 1e-9 --topology ") + it.network)["results"];
  CHECK(number(idle[0], "latency") == Approx(it.latency).epsilon(1e-7));
  CHECK(number(idle[0], "service") == Approx(it.service).epsilon(1e-7));
}

TEST_CASE("wormhole: single flits in a line of nodes with several virtual channels do not saturate at once") {
  const std::string line =
      "wormhole --topology mesh --dimensions 1 --nodes 8 --flits 1 --virtual-channels 2 ";
  const auto idle = run_json(line + "--loads 1e-9")["results"];
  CHECK(number(idle[0], "latency") == Approx(5).epsilon(1e-7));
  CHECK(number(idle[0], "saturation_load") > 0.3);
  CHECK(number(idle[0], "saturation_load") < 7.0 / 16);  // the middle link's capacity
}

TEST_CASE("wormhole: the busiest channel may be an injection channel") {
  const std::string mesh = "wormhole --topology mesh --nodes 3x7 --flits 13 --virtual-channels 3 ";
  const auto full = run_json(mesh + "--fractions 99%")["results"][0];
  CHECK(full["busiest_channel"].get<std::string>().find("injection at ") == 0);
  CHECK(number(full, "busiest_utilization") > 0.9);
  CHECK(full["bottleneck"].get<std::string>().find("injection") == std::string::npos);
  CHECK(number(full, "bottleneck_utilization") < number(full, "busiest_utilization"));
  const Outcome text = run_line(mesh + "--fractions 99%");
  CHECK(in_one_line(text.out).find("busiest channel injection at (") != std::string::npos);
  CHECK(in_one_line(text.out).find("after the sources (0,2) -> (0,3), utilization 55.2 %") !=
        std::string::npos);
  const auto paper = run_json("wormhole --topology mesh --nodes 64 --flits 20 --variant paper --loads 0.1");
  CHECK(paper["results"][0]["busiest_channel"] == paper["results"][0]["bottleneck"]);
}

TEST_CASE("wormhole: what short messages mean for the result is stated once, as far as it is known") {
  const std::string mesh = "wormhole --topology mesh --nodes 5x6 --variant paper --fractions 50% ";
  const std::string one = in_one_line(run_line(mesh + "--flits 4").out);
  CHECK(one.find("Messages of 4 flits are shorter than the mean path.") != std::string::npos);
  CHECK(one.find("which overestimates the waits.") != std::string::npos);
  const std::string two = in_one_line(run_line(mesh + "--flits 4 --virtual-channels 2").out);
  CHECK(two.find("which overestimates the waits.") == std::string::npos);
  CHECK(two.find("the latency may be underestimated") != std::string::npos);
  const std::string list = in_one_line(run_line(mesh + "--flits 2,4,32").out);
  CHECK(list.find("Messages of 2 flits in the 5 x 6 mesh; 4 flits in the 5 x 6 mesh are shorter") !=
        std::string::npos);
  CHECK(list.find("shorter than the mean path") == list.rfind("shorter than the mean path"));
}

TEST_CASE("wormhole: loads of patterns with silent nodes are per sending node") {
  const std::string mesh = "wormhole --topology mesh --nodes 16 --flits 16 --fractions 50% --pattern ";
  CHECK(in_one_line(run_line(mesh + "transpose").out)
            .find("Loads are per sending node: 12 of 16 nodes send.") != std::string::npos);
  CHECK(run_line(mesh + "uniform").out.find("sending node") == std::string::npos);
}

TEST_CASE("wormhole: errors on sizes and patterns state what is possible") {
  struct Case {
    const char* network;
    const char* words;
  };
  const Case it = GENERATE(
      Case{"mesh --nodes 5*3",
           "--nodes is 5*3; it must be a number of nodes, such as 64, or routers per side"},
      Case{"mesh --nodes 200x200", "; unequal sides also have at most 16384 nodes"},
      Case{"mesh --nodes 10", "the nearest: 9 and 16; or of unequal sides, such as 2x5"},
      Case{"mesh --nodes 1x1",
           "--nodes is 1x1; it must be a number of nodes, or sides of at least 2 routers"},
      Case{"mesh --nodes 3x", "--nodes is 3x; it must be a number of nodes, or sides of at least 2 routers"},
      Case{"mesh --nodes 3x7 --pattern transpose",
           "equal sides, or whose number of nodes is a power of 4 (it has 21)"},
      Case{"unidirectional-torus --nodes 3x3 --virtual-channels 1 --buffer-flits 4",
           "3 x 3 unidirectional torus with 1 virtual channel per link and buffers of several flits; the "
           "default, 2, has one; simulate wormhole does without a model"},
      Case{"mesh --nodes 64x64 --virtual-channels 2",
           "2 virtual channels per link of the 64 x 64 mesh would take too long; simulate wormhole does"});
  const Outcome wrong = run_line(std::string("wormhole --flits 4 --loads 0.01 --topology ") + it.network);
  CHECK(wrong.status != 0);
  CHECK(in_one_line(wrong.err).find(it.words) != std::string::npos);
}

TEST_CASE("wormhole: why the accuracy is not known of a network") {
  const auto note = [](const std::string& network) {
    return in_one_line(run_line("wormhole --loads 0.01 --topology mesh " + network).out);
  };
  CHECK(note("--nodes 5x6 --flits 4")
            .find("not measured for this network (measured: only built-in topologies with equal sides") !=
        std::string::npos);
  CHECK(note("--nodes 2 --dimensions 1 --flits 3").find("default, measured") == std::string::npos);
}

TEST_CASE("wormhole: a network is called what it was given as") {
  const auto named = [](const std::string& network) {
    return in_one_line(run_line("wormhole --flits 4 --loads 0.01 " + network).out);
  };
  CHECK(named("--topology mesh --nodes 7 --dimensions 1").find(" Line of 7 nodes, ") != std::string::npos);
  CHECK(named("--topology unidirectional-torus --nodes 7 --dimensions 1")
            .find(" Unidirectional ring of 7 nodes, ") != std::string::npos);
  CHECK(named("--topology hypercube --nodes 8").find(" 3-dimensional hypercube, ") != std::string::npos);
}

TEST_CASE("wormhole: a torus with cyclic dependencies is modelled like the same network from a file") {
  const tailbound::golden::Folder folder;
  const std::string text =
      "switches = [\"A\", \"B\", \"C\"]\nlink = [{from = \"A\", to = \"B\", classes = 1}, {from = \"B\", to "
      "= "
      "\"C\"}, {from = \"C\", to = \"A\"}]\n[traffic]\nuniform = true\n";
  const auto own =
      run_json("wormhole --fractions 50% --flits 16 --network " + folder.file("net.toml", text))["results"];
  const auto torus = run_json(
      "wormhole --topology unidirectional-torus --dimensions 1 --nodes 3 --virtual-channels 1 --fractions "
      "50% "
      "--flits 16")["results"];
  CHECK(number(torus[0], "solved_load") == Approx(number(own[0], "solved_load")).epsilon(2e-6));
  CHECK(number(torus[0], "latency") == Approx(number(own[0], "latency")).epsilon(1e-5));
}

TEST_CASE("wormhole: a list states what its table does not show") {
  const auto settings = [](const std::string& line) { return in_one_line(run_line(line).out); };
  const std::string one_size = settings("wormhole --topology mesh --nodes 5x3 --flits 4,5 --loads 0.1");
  CHECK(
      holds(one_size,
            "5 x 3 mesh, 1 virtual channel per link, buffers of 1 flit, ejection one; variant finite-source, "
            "load 0.1 flits/cycle/node."));
  CHECK(holds(
      settings("wormhole --topology mesh --nodes 3x7,4x5 --flits 4 --loads 0.1"),
      "Mesh networks, 2 dimensions, 1 virtual channel per link, buffers of 1 flit, ejection one, messages "
      "of 4 flits; variant finite-source, load 0.1"));
  CHECK(holds(settings("wormhole --topology mesh --nodes 4x4 --flits 4,8 --fractions 50%"),
              "variant finite-source, at 50 % of saturation."));
  CHECK(holds(
      run_line("wormhole --topology mesh --nodes 4x4 --flits 4 --loads 0.1 --pattern uniform,shuffle").out,
      "\n  uniform "));
}

TEST_CASE("wormhole: --quiet with --channels prints the channels") {
  const Outcome quiet =
      run_line("wormhole --topology mesh --nodes 4x4 --flits 4 --loads 0.1 --channels 5 --quiet");
  CHECK(std::count(quiet.out.begin(), quiet.out.end(), '\n') == 6);
  CHECK(holds(quiet.out, "(1,0) -> (2,0)"));
}

TEST_CASE("simulate wormhole: the settings name ends and arrivals that are not the defaults") {
  const std::string text = in_one_line(
      run_line("simulate wormhole --topology mesh --nodes 4x4 --flits 4 --loads 0.1 --virtual-channels 2 "
               "--injection channels --ejection channels --arrivals bernoulli --cycles 5000")
          .out);
  CHECK(holds(text, "injection channels, ejection channels, messages of 4 flits, Bernoulli arrivals."));
  CHECK(holds(text, "5008 cycles (5000 rounded up to 16 whole batches)"));
  CHECK(holds(in_one_line(run_line("validate wormhole --topology mesh --nodes 4x4 --flits 4 --loads 0.1 "
                                   "--cycles 5000 --variant paper")
                              .out),
              "; model variant paper."));
}

const std::string ring = "wormhole --network " TAILBOUND_DATA_DIR "/networks/worm_ring.toml --flits 16 ";

TEST_CASE("wormhole: a ring from a file is the torus of one dimension") {
  const auto own = run_json(ring + "--fractions 10%,60%");
  const auto torus = run_json(
      "wormhole --topology unidirectional-torus --dimensions 1 --nodes 4 --flits 16 --fractions 10%,60%");
  CHECK(own["query"]["network"].get<std::string>().find("worm_ring.toml") != std::string::npos);
  CHECK(own["query"]["nodes"] == 8);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto &here = own["results"][i], &there = torus["results"][i];
    CHECK(number(here, "saturation_load") == Approx(number(there, "saturation_load")).epsilon(2e-6));
    CHECK(here["deadlock_cycle"].empty());
    CHECK(number(here, "latency") == Approx(number(there, "latency")).epsilon(1e-5));
  }
}

std::string circle(const std::string& keys) {
  return "switches = [\"A\", \"B\", \"C\"]\nlink = [{from = \"A\", to = \"B\"" + keys +
         "}, {from = \"B\", to = \"C\"}, {from = \"C\", to = \"A\"}]\n[traffic]\nuniform = true\n";
}

TEST_CASE("wormhole: routes without a class of their own get datelines where they could deadlock") {
  const tailbound::golden::Folder folder;
  const std::string line =
      "wormhole --fractions 50% --flits 16 --network " + folder.file("net.toml", circle(""));
  const Outcome table = run_line(line);
  CHECK(table.status == 0);
  CHECK(table.out.find("is the saturation load") != std::string::npos);
  CHECK(in_one_line(table.out).find("links have up to 2 classes of virtual channels") != std::string::npos);
  CHECK(in_one_line(table.out).find("routes shortest, one path per flow") != std::string::npos);
  const auto json = run_json(line)["results"][0];
  CHECK(json["deadlock_cycle"].empty());
  const Outcome simulated = run_line("simulate " + line + " --of model --cycles 20000");
  CHECK(simulated.status == 0);
  CHECK(in_one_line(simulated.out).find("links have up to 2 classes") != std::string::npos);
}

TEST_CASE("wormhole: deadlock-prone routes are reported with the cycle, without a saturation load") {
  const std::string text = circle(", classes = 1");
  const tailbound::golden::Folder folder;
  const std::string line = "wormhole --fractions 50% --flits 16 --network " + folder.file("net.toml", text);
  const Outcome table = run_line(line);
  CHECK(table.status == 0);
  CHECK(table.out.find("The routes can deadlock: no saturation load.") == 0);
  CHECK(table.out.find("A -> B; B -> C; C -> A.") != std::string::npos);
  const auto json = run_json(line)["results"][0];
  CHECK(json["deadlock_cycle"] == std::vector<std::string>{"A -> B", "B -> C", "C -> A"});
  CHECK(json["saturation_load"].is_null());
  CHECK(json["iteration"].get<std::string>().find("converged after") == 0);
  CHECK(run_line(ring + "--fractions 50%").out.find("deadlock") == std::string::npos);
}

TEST_CASE("wormhole: the busiest channels, in each format") {
  const std::string mesh = "wormhole --topology mesh --nodes 16 --flits 16 --fractions 10%,50% ";
  const auto answer = run_json(mesh + "--channels 5");
  for (const auto& point : answer["results"]) {
    const auto& channels = point["channels"];
    REQUIRE(channels.size() == 5);
    CHECK(channels[0]["channel"] == point["bottleneck"]);
    CHECK(channels[0]["utilization"] == point["bottleneck_utilization"]);
    CHECK(channels[0]["wait"] == point["bottleneck_wait"]);
    CHECK(channels[0]["service"] == point["bottleneck_service"]);
    for (std::size_t i = 1; i < 5; ++i)
      CHECK(number(channels[i], "utilization") <= number(channels[i - 1], "utilization"));
  }
  CHECK_FALSE(run_json(mesh)["results"][0].contains("channels"));
  const Outcome table = run_line(mesh + "--channels");
  CHECK(table.out.find("50.0 % of saturation: busiest channels") != std::string::npos);
  const Outcome csv = run_line(mesh + "--channels 3 --format csv");
  CHECK(std::count(csv.out.begin(), csv.out.end(), '\n') == 1 + 2 * 3);
}

TEST_CASE("wormhole: errors name the option, the value and the legal range") {
  struct Case {
    const char* line;
    int status;
    std::vector<std::string> words;
  };
  const auto [line, status, words] = GENERATE(values<Case>({
      {"--topology ring --nodes 64 --flits 20", 2, {"--topology", "ring", "butterfly-fat-tree"}},
      {"--nodes 64 --flits 20", 2, {"--topology", "missing"}},
      {"--topology mesh --flits 20", 2, {"--nodes", "missing"}},
      {"--topology mesh --nodes 64", 2, {"--flits", "missing"}},
      {"--topology mesh --nodes 60 --flits 20", 2, {"--nodes", "60", "the nearest: 49 and 64"}},
      {"--topology butterfly-fat-tree --nodes 100 --flits 20", 2, {"power of 4", "64 and 256"}},
      {"--topology hypercube --nodes -3 --flits 20", 2, {"--nodes", "power of 2", "the nearest: 2"}},
      {"--topology unidirectional-torus --nodes 1000000 --flits 20", 2, {"--nodes", "the nearest: 16384"}},
      {"--topology mesh --nodes 64 --flits 0", 2, {"--flits", "0", "1"}},
      {"--topology mesh --nodes 64 --flits 20 --loads 0.1 --fractions 0.5", 2, {"--loads", "--fractions"}},
      {"--topology mesh --nodes 64 --flits 20 --fractions 100%", 2, {"--fractions", "below 1"}},
      {"--topology mesh --nodes 64 --flits 20 --loads -0.1", 2, {"--loads", "-0.1"}},
      {"--topology mesh --nodes 64 --flits 20 --loads x%", 2, {"--loads"}},
      {"--topology mesh --nodes 64 --flits 20 --variant printed",
       2,
       {"--variant", "printed", "finite-source"}},
      {"--topology mesh --nodes 64 --flits 20 --fractions 10:95:5%", 2, {"--fractions", "10%:95%:5%"}},
      {"--topology mesh --nodes 64 --flits 20 --channels 0", 2, {"--channels", "from 1"}},
      {"--topology mesh --nodes 64 --flits 20 --route spread", 2, {"--route", "--network FILE"}},
      {"--network no_such_file.toml --flits 20", 2, {"--network", "no_such_file.toml"}},
      {"--network x.toml --flits 20 --topology mesh", 2, {"--topology is not allowed with --network"}},
      {"--network " TAILBOUND_DATA_DIR "/networks/two_switches.csv --flits 20",
       2,
       {"two_switches.csv:2:1:", "--matrix"}},
      {"--network " TAILBOUND_DATA_DIR "/networks/worm_ring.toml", 2, {"--flits", "missing"}},
      {"--topology hypercube --nodes 64 --flits 20 --dimensions 6", 2, {"--dimensions", "not allowed with"}},
      {"--topology mesh --nodes 64 --flits 20 --variant paper --loads 0.2", 1, {"0.1885620332", "saturated"}},
      {"--topology mesh --nodes 64 --flits 20 --loads 0.22", 1, {"0.21448", "saturated"}},
  }));
  const Outcome outcome = run_line(std::string("wormhole ") + line);
  INFO(line << "\n" << outcome.err);
  CHECK(outcome.status == status);
  CHECK(outcome.out.empty());
  for (const std::string& word : words) CHECK(outcome.err.find(word) != std::string::npos);
}

TEST_CASE("simulate wormhole: JSON with estimates, independent of threads") {
  const std::string line =
      "simulate wormhole --topology mesh --nodes 16 --flits 8 --loads 0.05,0.2 --cycles 20000 --seed 4 "
      "--percentiles 50,99 ";
  const auto answer = run_json(line + "--threads 1");
  CHECK(answer["command"] == "simulate wormhole");
  CHECK(answer["query"]["buffer_flits"] == 1);
  CHECK(answer["query"]["virtual_channels"] == 1);
  const auto& points = answer["results"];
  REQUIRE(points.size() == 2);
  for (const auto& point : points) {
    CHECK(point["channels"] == 80);
    CHECK(point["latency"]["kind"] == "estimate");
    CHECK(number(point, "latency") == Approx(number(point, "source_wait") + number(point, "service") +
                                             number(point, "mean_distance") - 1));
    CHECK(number(point["percentiles"][0], "latency") < number(point["percentiles"][1], "latency"));
    CHECK(point["busiest"].size() == 10);
    CHECK(point["cycles"].get<int>() >= 20000);
    CHECK(point["seed"] == 4);
  }
  CHECK(number(points[0], "latency") < number(points[1], "latency"));
  CHECK(run_line(line + "--threads 2 --format json").out == run_line(line + "--threads 1 --format json").out);
  const auto csv = rows_of(run_line(line + "--format csv").out);
  REQUIRE(csv.size() == 1 + 2 * (2 + 10));
  CHECK(at(csv, 1, "load") == "0.05");
  CHECK(at(csv, 1, "latency_kind") == "estimate");
  CHECK(std::stod(at(csv, 1, "latency")) == number(points[0], "latency"));
  CHECK(at(csv, 1, "table") == "percentiles");
  CHECK(at(csv, 2, "percentiles_percentile") == "99");
  CHECK(at(csv, 3, "table") == "busiest");
}

TEST_CASE("simulate wormhole: lists of simulation parameters") {
  const std::string line =
      "simulate wormhole --topology mesh --nodes 4x4 --flits 8,16 --loads 0.05 --cycles 4000 ";
  const auto answer = run_json(line + "--virtual-channels 1,2 --buffer-flits 1,4");
  REQUIRE(answer["results"].size() == 8);
  CHECK(answer["query"]["virtual_channels"] == std::vector<int>{1, 2});
  CHECK(answer["results"][1]["buffer_flits"] == 4);
  CHECK(answer["results"][7]["flits"] == 16);
  CHECK(answer["results"][0]["latency"] == run_json(line + "--seed 1")["results"][0]["latency"]);
  CHECK(run_line(line + "--format markdown").out.find("| ") != std::string::npos);
}

TEST_CASE("simulate wormhole: fractions beyond the model's saturation, and of the simulated one") {
  const std::string line =
      "simulate wormhole --topology mesh --nodes 16 --flits 8 --cycles 20000 --replications 2 ";
  const auto beyond = run_json(line + "--variant paper --fractions 101%")["results"][0];
  CHECK(beyond["of"] == "model");
  CHECK(number(beyond, "fraction_of_saturation") == Approx(1.01).epsilon(1e-8));
  const auto simulated = run_json(line + "--fractions 50% --of simulated --precision 10%")["results"][0];
  CHECK(simulated["of"] == "simulated");
  CHECK(std::stod(simulated["load"].get<std::string>()) ==
        Approx(number(simulated, "max_stable_load") / 2).epsilon(1e-7));
  const auto found = run_json(line.substr(0, line.find("--cycles")) +
                              "--replications 2 --saturation --precision 10%")["results"][0];
  CHECK(found["max_stable_load"] == simulated["max_stable_load"]);
}

TEST_CASE("simulate wormhole: a resumed checkpoint gives the answer of the complete run") {
  const tailbound::golden::Folder folder;
  const std::string line =
      "simulate wormhole --topology unidirectional-torus --nodes 16 --flits 8 --loads 0.1 --cycles 200000 "
      "--format json ";
  const std::string whole = run_line(line).out;
  const std::string state = folder / "state";
  CHECK(run_line(line + "--checkpoint-every 0.02 --checkpoint " + state).out == whole);
  CHECK(run_line(line + "--resume " + state).out == whole);
  const Outcome other = run_line(line + "--seed 2 --resume " + state);
  CHECK(other.status == 2);
  CHECK(other.err.find("--resume") != std::string::npos);
}

TEST_CASE("simulate wormhole: saturation of an ejection channel shared by two sources") {
  const tailbound::golden::Folder folder;
  const std::string file = folder.file(
      "star.toml",
      "switches = [\"A\", \"B\", \"C\"]\nlink = [{from = \"A\", to = \"B\"}, {from = \"C\", to = \"B\"}]\n"
      "[[flow]]\nfrom = \"A\"\nto = \"B\"\nrate = 1\n[[flow]]\nfrom = \"C\"\nto = \"B\"\nrate = 1\n");
  const auto answer =
      run_json("simulate wormhole --flits 8 --saturation --precision 2% --network " + file)["results"][0];
  CHECK(number(answer, "max_stable_load") < 0.5025);
  CHECK(number(answer, "min_unstable_load") > 0.4975);
  CHECK(answer["probes"].size() >= 4);
}

TEST_CASE("validate wormhole: model and simulation, and the exit status") {
  const std::string line =
      "validate wormhole --topology mesh --nodes 16 --flits 16 --cycles 100000 --variant paper ";
  const auto answer = run_json(line + "--fractions 90%");
  CHECK(answer["results"][0]["rows"][0]["verdict"] == "above");
  CHECK(answer["headline"].get<std::string>().find("conservative in 1 of 1 row and underestimates in none") !=
        std::string::npos);
  CHECK(number(answer["results"][0]["rows"][0], "error") > 0);
  const Outcome beyond = run_line(line + "--loads 0.42");
  CHECK(beyond.status == 0);
  CHECK(beyond.out.find("saturated") != std::string::npos);
}

TEST_CASE("validate wormhole: the model is that of the simulated network, or there is none") {
  const std::string line =
      "validate wormhole --topology mesh --nodes 16 --flits 16 --loads 0.2 --cycles 20000 ";
  const auto document = [&](const std::string& options) {
    const Outcome outcome = run_line(line + options + " --format json");
    INFO(outcome.err);
    REQUIRE(outcome.status <= 1);
    return nlohmann::json::parse(outcome.out)["results"][0];
  };
  const auto usual = document("");
  CHECK(usual["model_assumes"].empty());
  CHECK(usual["model_virtual_channels"] == 1);
  CHECK(document("--virtual-channels 1 --buffer-flits 1 --lengths fixed --arrivals poisson") == usual);

  const auto two = document("--virtual-channels 2");
  CHECK(two["model_assumes"].empty());
  CHECK(two["model_virtual_channels"] == 2);
  const double simulated = number(two["rows"][0], "simulation");
  CHECK(std::abs(number(two["rows"][0], "error")) < 0.05);
  CHECK(std::abs(number(usual["rows"][0], "prediction") / simulated - 1) > 0.03);
  CHECK(run_line(line + "--virtual-channels 2").out.find("2 virtual channels per link, buffers of 1 flit") !=
        std::string::npos);

  const auto other = document("--lengths geometric --arrivals bernoulli");
  CHECK(other["model_assumes"] == std::vector<std::string>{"Poisson arrivals (simulated: Bernoulli)"});
  CHECK(number(other["rows"][0], "prediction") >
        1.1 * number(usual["rows"][0], "prediction"));  // it accounts for the lengths
  CHECK(number(document("--buffer-flits 4")["rows"][0], "prediction") <
        number(usual["rows"][0], "prediction"));
  CHECK(run_line(line).out.find("assumes") == std::string::npos);
  for (const auto& [options, why] :
       {std::pair{"--reallocate tail", "virtual channels reallocated at the tail"},
        {"--buffer-flits 4 --variant paper", "buffers of several flits in the published variants"},
        {"--lengths geometric --variant paper", "messages of geometric length in the published variants"}}) {
    const Outcome none = run_line(line + options);
    CAPTURE(options, none.err);
    CHECK(none.status == 1);
    CHECK(none.err.find(std::string("there is no model of ") + why) != std::string::npos);
  }
  // A network too large for enumeration.
  const Outcome large = run_line(
      "validate wormhole --variant paper --topology mesh --nodes 4096 --flits 16 --loads 0.001 --cycles "
      "200 "
      "--warmup 0 "
      "--virtual-channels 2");
  CHECK(
      large.err.find("the model with 2 virtual channels per link of the 64 x 64 mesh would take too long") !=
      std::string::npos);
}

TEST_CASE("simulate wormhole: fractions refer to the saturation of `wormhole` with the given channels") {
  const std::string of = "--topology mesh --nodes 16 --flits 8 --fractions 60% --virtual-channels ";
  for (const char* channels : {"1", "4"}) {
    const auto model = run_json("wormhole " + of + channels)["results"][0];
    const auto simulated = run_json("simulate wormhole --cycles 2000 " + of + channels)["results"][0];
    CAPTURE(channels);
    CHECK(simulated["of"] == "model");
    CHECK(simulated["virtual_channels"] == model["virtual_channels"]);
    CHECK(simulated["model_saturation_load"] == model["saturation_load"]);
    CHECK(std::stod(simulated["load"].get<std::string>()) ==
          Approx(std::stod(model["load"].get<std::string>())).epsilon(1e-8));
  }
  CHECK(number(run_json("simulate wormhole --saturation --precision 20% --topology mesh --nodes 16 --flits 8 "
                        "--virtual-channels 4")["results"][0],
               "model_saturation_load") == Approx(0.445933).epsilon(1e-4));
  const std::string none =
      "simulate wormhole --topology mesh --nodes 16 --flits 8 --cycles 2000 --replications 2 "
      "--reallocate tail --buffer-flits 4 ";
  const auto searched = run_json(none + "--fractions 60%")["results"][0];
  CHECK(searched["of"] == "simulated");
  CHECK(searched["model_saturation_load"].is_null());
  CHECK(searched["no_model"] == "there is no model of virtual channels reallocated at the tail");
  CHECK(number(searched, "fraction_of_saturation") == Approx(0.6).epsilon(1e-7));
  const Outcome table = run_line(none + "--fractions 60%");
  CHECK(table.out.find("4 x 4 mesh, 1 virtual channel per link, ") != std::string::npos);
  CHECK(table.out.find("No model: there is no model of virtual channels") != std::string::npos);
  const Outcome rejected = run_line(none + "--fractions 60% --of model");
  CHECK(rejected.status == 2);
  CHECK(rejected.err.find("--of is model; it must be simulated, or loads given") != std::string::npos);
  CHECK(run_line("simulate wormhole --topology mesh --nodes 16 --flits 8 --reallocate tail --buffer-flits 4 "
                 "--fractions 60% --half-width 5%")
            .status == 2);
}

TEST_CASE("simulate wormhole: one hot channel is not hidden by light ones, and no load is above its bound") {
  // x and y share the channel to z; each of twenty hosts sends as much to another one.
  std::string hosts = "\"x\", \"y\", \"z\"", switches = "\"t\"", text;
  const auto link = [&](const std::string& from, const std::string& to) {
    text += "[[link]]\nfrom = \"" + from + "\"\nto = \"" + to + "\"\nboth = true\n";
  };
  const auto flow = [&](const std::string& from, const std::string& to) {
    text += "[[flow]]\nfrom = \"" + from + "\"\nto = \"" + to + "\"\nrate = 0.1\n";
  };
  for (const char* host : {"x", "y", "z"}) link(host, "t");
  flow("x", "z");
  flow("y", "z");
  for (int i = 0; i < 20; ++i) {
    const std::string n = std::to_string(i);
    hosts += ", \"a" + n + "\", \"b" + n + "\"";
    switches += ", \"s" + n + "\"";
    link("a" + n, "s" + n);
    link("b" + n, "s" + n);
    flow("a" + n, "b" + n);
  }
  const tailbound::golden::Folder folder;
  const std::string line =
      "simulate wormhole --flits 4 --network " +
      folder.file("hot.toml", "hosts = [" + hosts + "]\nswitches = [" + switches + "]\n" + text);
  const auto found = run_json(line + " --saturation --precision 2%")["results"][0];
  CHECK(found["channel_bound_load"]["kind"] == "exact");
  CHECK(found["channel_bound_load"]["value"] == "1/2");
  CHECK(found["bounding_channel"] == "t -> z");
  CHECK(found["min_unstable_is_bound"] == true);
  CHECK(number(found, "min_unstable_load") == 0.5);
  CHECK(number(found, "max_stable_load") < 0.5);
  CHECK(number(found, "max_stable_load") > 0.48);
  CHECK(number(found, "model_saturation_load") <= 0.5);
  const Outcome csv = run_line(line + " --saturation --precision 20% --format csv");
  CHECK(csv.out.find("channel_bound_load") != std::string::npos);
  CHECK(in_one_line(run_line(line + " --saturation --precision 20%").out)
            .find("t -> z carries 1 flit per cycle") != std::string::npos);
  const Outcome beyond = run_line(line + " --loads 0.51");
  CHECK(beyond.status == 1);
  CHECK(beyond.err.find("the physical channel t -> z would have to carry 1.02 flits per cycle") !=
        std::string::npos);
}

TEST_CASE("validate wormhole: the model with virtual channels equals that of the same network from a file") {
  std::string text =
      "hosts = [\"a\", \"b\", \"c\", \"d\"]\nswitches = [\"A\", \"B\", \"C\", \"D\"]\nlink = [";
  for (const std::string host : {"a", "b", "c", "d"})
    text += "{from = \"" + host + "\", to = \"" + std::string(1, static_cast<char>(host[0] - 32)) +
            "\", both = true}, ";
  for (const char* ends : {"AB", "BC", "CD"})
    text += std::string("{from = \"") + ends[0] + "\", to = \"" + ends[1] +
            "\", both = true, virtual_channels = 2}, ";
  text += "]\n";
  for (const char from : {'a', 'b', 'c', 'd'})
    for (const char to : {'a', 'b', 'c', 'd'})
      if (from != to)
        text += std::string("[[flow]]\nfrom = \"") + from + "\"\nto = \"" + to + "\"\nrate = 0.25\n";
  const tailbound::golden::Folder folder;
  const auto file =
      run_json("wormhole --flits 16 --loads 0.1,0.2 --network " + folder.file("row.toml", text));
  const Outcome outcome = run_line(
      "validate wormhole --topology mesh --dimensions 1 --nodes 4 --flits 16 --loads 0.1,0.2 --cycles 2000 "
      "--virtual-channels 2 --format json");
  const auto row = nlohmann::json::parse(outcome.out);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto &here = row["results"][i], &there = file["results"][i];
    CHECK(number(here, "model_saturation_load") == Approx(number(there, "saturation_load")).epsilon(1e-9));
    CHECK(number(here["rows"][0], "prediction") == Approx(number(there, "latency")).epsilon(1e-9));
  }
}

TEST_CASE("simulate wormhole: errors name the option, the value and the legal range") {
  struct Case {
    const char* line;
    int status;
    std::vector<std::string> words;
  };
  const auto [line, status, words] = GENERATE(values<Case>({
      {"--loads 0.9", 1, {"saturated at load 0.9", "--saturation"}},
      {"--loads 0.95", 1, {"saturated at load 0.95", "(1,0) -> (2,0)", "0.9375"}},
      {"--loads 1.5", 2, {"--loads", "1.5", "at most 1"}},
      {"--loads 0", 2, {"--loads", "0", "above 0"}},
      {"--fractions 0", 2, {"--fractions", "above 0"}},
      {"--virtual-channels 0", 2, {"--virtual-channels", "0", "from 1 to 64"}},
      {"--buffer-flits 0", 2, {"--buffer-flits", "0", "from 1 to 1000000"}},
      {"--lengths long", 2, {"--lengths", "long", "fixed"}},
      {"--arrivals regular", 2, {"--arrivals", "regular", "poisson"}},
      {"--saturation --loads 0.1", 2, {"--loads", "--saturation"}},
      {"--precision 1%", 2, {"--precision", "--saturation"}},
      {"--fractions 300%", 2, {"--fractions", "3", "at most 2.2", "1 flit/cycle/node"}},
      {"--loads 0.1 --of simulated", 2, {"--of", "--fractions"}},
      {"--of theory", 2, {"--of", "theory", "simulated"}},
      {"--saturation --of simulated", 2, {"--of", "--saturation"}},
      {"--loads 0.1 --buffer-flits 1,2 --checkpoint state", 2, {"--checkpoint", "single simulation"}},
      {"--loads 0.1,0.2 --checkpoint state", 2, {"--checkpoint", "single simulation"}},
      {"--percentiles 100", 2, {"--percentiles", "100"}},
  }));
  const Outcome outcome =
      run_line(std::string("simulate wormhole --topology mesh --nodes 16 --flits 8 --cycles 20000 ") + line);
  CAPTURE(line, outcome.err);
  CHECK(outcome.status == status);
  CHECK(outcome.out.empty());
  for (const std::string& word : words) CHECK(outcome.err.find(word) != std::string::npos);
  const Outcome deadlock = run_line(
      "simulate wormhole --topology unidirectional-torus --nodes 64 --flits 64 --virtual-channels 1 --loads "
      "0.25 --cycles "
      "100000");
  CHECK(deadlock.status == 1);
  CHECK(deadlock.err.find("deadlock") != std::string::npos);
}

}  // namespace
