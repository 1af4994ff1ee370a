#include <tailbound/answers/network/generated_network.hpp>
#include <tailbound/answers/simulation/simulate_tree.hpp>
#include <tailbound/network/files/network_file.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <string>

using namespace tailbound;
using namespace tailbound::answers;

TEST_CASE("a generated network matches its file, including failures", "[answers][network]") {
  GeneratedNetworkQuery query{.shape = network::FatTree{4, 3}, .traffic = network::FabricTraffic{}};
  const GeneratedNetworkAnswer whole = answer(query);
  CHECK(whole.failed == 0);
  CHECK(whole.cut_off == 0);
  CHECK(whole.diameter == 4);
  query.without = {"core0", "edge0", "h15 -> edge7"};
  const GeneratedNetworkAnswer broken = answer(query);
  CHECK(broken.failed == 4 + 4 + 1);
  CHECK(broken.cut_off == 3);
  CHECK(broken.diameter == 4);
  const network::Network read = network::read_fabric(broken.file, "file").fabric.network;
  CHECK(read.links.size() == broken.network.links.size());
  // Cut in two: there is no diameter.
  query.without = {"core0", "core1", "core2", "core3"};
  CHECK(!answer(query).diameter);
  query.without = {"core0"};
  query.shared_memory = "core[1..2]";
  const network::Network both = network::read_fabric(answer(query).file, "file").fabric.network;
  CHECK(both.links.size() == read.links.size() + 2 * (4 + 1));
  CHECK(std::count_if(both.nodes.begin(), both.nodes.end(),
                      [](const auto& node) { return node.shared_memory; }) == 2);
  query.shared_memory = "all";
  CHECK(network::read_fabric(answer(query).file, "file").fabric.network.nodes.back().shared_memory);
  query.shared_memory = "nobody";
  CHECK_THROWS_WITH(answer(query), Catch::Contains("nobody"));
  query.shared_memory.reset();
  query.without = {"a \"name\" -> b"};
  CHECK_THROWS_WITH(answer(query), Catch::Contains("without is"));
}

TEST_CASE("a fabric's simulation agrees with that of its listed flows", "[answers][network]") {
  const std::string text =
      network::to_toml(network::LeafSpine{3, 2, 3, 1}, network::FabricTraffic{numeric::Rational(3) / 5});
  const network::Fabric fabric = network::read_fabric(text, "file").fabric;
  SimulateTreeQuery listed;
  listed.topology = NetworkTopology{.network = network::written_out(fabric), .file = "file"};
  listed.percentiles = {numeric::Rational(1) / 2, numeric::Rational(99) / 100};
  listed.delay_levels = {Slots(0), Slots(3)};
  listed.occupancy_levels = {Packets(1)};
  listed.length.slots = 30'000;
  SimulateTreeQuery together = listed;
  together.topology = NetworkTopology{.network = fabric.network, .file = "file"};
  together.fabric = simulated_fabric(fabric);
  together.length.seed = 2;
  const SimulateTreeAnswer one = answer(listed), other = answer(together);
  const auto meet = [](const auto& a, const auto& b) {
    // Two 95 % intervals of the same number: their distance is at most twice the sum of their half-widths.
    CHECK(std::abs(a.value - b.value) <= 2 * (a.upper - a.lower) + 2 * (b.upper - b.lower) + 1e-9);
  };
  meet(one.mean_queueing, other.mean_queueing);
  meet(one.mean_latency, other.mean_latency);
  for (std::size_t i = 0; i < 2; ++i) {
    meet(one.percentiles[i].latency, other.percentiles[i].latency);
    meet(one.delay_ccdf[i].probability, other.delay_ccdf[i].probability);
  }
  REQUIRE(other.queues.size() == 3);
  CHECK(other.queues[0].link == "leaf -> h");
  CHECK(other.flows.empty());
  const auto average = [&](const std::string& begin, const std::string& end) {
    double load = 0, count = 0;
    for (const SimulatedQueue& queue : one.queues)
      if (queue.link.rfind(begin, 0) == 0 && queue.link.find("-> " + end) != std::string::npos) {
        load += queue.load.value;
        ++count;
      }
    return load / count;
  };
  CHECK(std::abs(other.queues[1].load.value - average("leaf", "spine")) < 0.005);
  CHECK(std::abs(other.queues[2].load.value - average("spine", "leaf")) < 0.005);
  const std::string full =
      network::to_toml(network::LeafSpine{3, 1, 3, 1}, network::FabricTraffic{numeric::Rational(3) / 5});
  together.fabric = simulated_fabric(network::read_fabric(full, "file").fabric);
  CHECK_THROWS_AS(answer(together), network::Overloaded);
}

TEST_CASE("an imported network becomes a file that can be read back", "[answers][network]") {
  GeneratedNetworkQuery query{.shape = {}, .imported = NamedText{"x.gml", R"(graph [ label "two"
  node [ id 0 label "a b" ] node [ id 1 ] node [ id 2 label "h9" ]
  edge [ source 0 target 1 LinkSpeedRaw 40000000000 ] edge [ source 1 target 0 LinkSpeedRaw 40000000000 ]
  edge [ source 1 target 2 LinkSpeedRaw 10000000000 ] ])"}};
  const GeneratedNetworkAnswer plain = answer(query);
  CHECK(plain.facts.name == "two");
  CHECK(plain.facts.hosts == 1);
  CHECK(plain.facts.switches == 2);
  CHECK(plain.facts.switch_wires == 2);
  CHECK(plain.remarks.size() == 4);
  CHECK_THAT(plain.file, Catch::StartsWith("# read as GML: 1 host, 2 switches, 3 links"));
  query.traffic = network::FabricTraffic{};
  query.without = {"a b"};
  const GeneratedNetworkAnswer broken = answer(query);
  CHECK_THAT(broken.file, Catch::Contains("without = [\"a b\"]") && Catch::Contains("uniform = \"1/2\""));
  CHECK(broken.failed == 2);
  CHECK(
      network::read_fabric(broken.file, "file", network::FlowsFrom::elsewhere).fabric.network.links.size() ==
      2);
  query.shared_memory = "all";
  const network::Network shared =
      network::read_fabric(answer(query).file, "file", network::FlowsFrom::elsewhere).fabric.network;
  CHECK(shared.nodes.back().shared_memory);
  query.imported = NamedText{"x.txt", "nothing that is a network = 1"};
  CHECK_THROWS_WITH(
      answer(query),
      Catch::Contains("FILE is x.txt; it must be in a format that can be read: GraphML, GML, DOT"));
}
