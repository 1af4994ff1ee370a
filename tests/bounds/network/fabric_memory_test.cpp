#include <catch2/catch.hpp>
#include <tailbound/bounds/network/fabric_memory.hpp>
#include <tailbound/network/demands/fabrics.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tailbound/numeric/rational.hpp>

#include <map>
#include <string>

// Memory of a fabric's switches, against the memory of a single switch with the same traffic as a matrix.

using namespace tailbound;
using namespace tailbound::bounds;
using namespace tailbound::network;
using numeric::Rational;

TEST_CASE("fabric memory: a spine matches a single switch with the same traffic matrix, or slightly more") {
  const Fabric fabric =
      read_fabric(to_toml(LeafSpine{4, 2, 4, 1}, FabricTraffic{Rational(2) / 5, RouteRule::spread}), "net")
          .fabric;
  const FabricGraph graph(fabric);
  const FabricOrbits orbits = fabric_orbits(graph);
  const FabricRates rates = fabric_rates(graph, orbits);
  std::map<std::uint32_t, std::int64_t> counts;
  for (std::size_t link = 0; link < fabric.network.links.size(); ++link)
    if (fabric.network.nodes[fabric.network.links[link].from].name == "spine0")
      ++counts[rates.queue_of_link()[link]];
  std::vector<SwitchQueues> queues;
  for (const auto& [queue, count] : counts) queues.push_back({queue, count});
  REQUIRE(queues == std::vector<SwitchQueues>{{queues.front().queue, 4}});
  // A host sends 2/5, 4/15 to each of four hosts elsewhere of 15, half of it over this spine.
  std::vector<std::vector<Rational>> matrix;
  for (int host = 0; host < 16; ++host) {
    auto& row = matrix.emplace_back();
    for (int leaf = 0; leaf < 4; ++leaf)
      row.push_back(leaf == host / 4 ? Rational(0) : Rational(2) / 5 * 4 / 15 / 2);
  }
  for (const Criterion criterion : {Criterion::overflow, Criterion::loss}) {
    const DropTarget target{Rational(1) / 1'000'000'000, criterion};
    const queue::ProvedMemory found = fabric_memory(graph, rates, queues, target);
    const queue::ProvedMemory known =
        queue::SharedMemory(
            queue::matrix_switch(matrix),
            {.measure = criterion == Criterion::overflow ? queue::MemoryRule::Measure::overflow
                                                         : queue::MemoryRule::Measure::loss})
            .minimum(target.probability);
    CHECK(found.memory.value >= known.memory.value);
    CHECK(found.memory.value <= known.memory.value + 3);
  }
}
