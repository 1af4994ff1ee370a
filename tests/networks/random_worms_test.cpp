#include <catch2/catch.hpp>
#include <tests/support/checked_worms.hpp>

#include <algorithm>

// Random wormhole networks compared with their bounds and models; tests/networks/random_worms.cpp runs more
// of them.

namespace tailbound::test {
namespace {

TEST_CASE("random wormhole networks: saturation below the channel bound, models of the same network") {
  WormTally tally;
  for (std::uint64_t seed = 1000; seed < 1016; ++seed) {
    INFO(seed);
    CHECK(checked_worms(seed, tally).empty());
  }
  CHECK(tally.saturations >= 10);
  CHECK(tally.bounded >= 1);
  CHECK(tally.modelled >= 5);
  CHECK(tally.without_model >= 1);
}

TEST_CASE("random wormhole networks: a failure is shrunk to a minimal case") {
  const auto find = [](const auto& is_so) {
    std::uint64_t seed = 0;
    while (!is_so(random_worms(seed))) ++seed;
    return shrunk(random_worms(seed), is_so);
  };
  const RandomWorms three = find([](const RandomWorms& worms) {
    return std::any_of(worms.own.flows.begin(), worms.own.flows.end(),
                       [](const network::Flow& flow) { return flow.routes.front().links.size() > 3; });
  });
  CHECK(three.own.flows.size() == 1);
  CHECK(three.own.nodes.size() == three.own.links.size() + 1);
  CHECK(three.own.flows[0].routes.size() == 1);
  CHECK(three.own.flows[0].rate == numeric::Rational(1) / 40);
  CHECK(three.flits == 1);
  CHECK(three.buffer_flits == 1);
  CHECK(three.text().find("flow = [") != std::string::npos);
  const RandomWorms large = find([](const RandomWorms& worms) {
    return worms.topology && worms.topology->nodes > 4 && worms.virtual_channels.value_or(1) > 2;
  });
  CHECK(large.topology->nodes <= 9);
  CHECK(large.topology->ends == network::WormEnds{});
  CHECK(large.lengths == sim::WormLengths::fixed);
}

}  // namespace
}  // namespace tailbound::test
