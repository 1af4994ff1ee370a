#include <catch2/catch.hpp>
#include <tailbound/network/channels/buffer_cycle.hpp>
#include <tailbound/numeric/rational.hpp>

using namespace tailbound;
using namespace tailbound::network;

namespace {

/// A ring of `switches`, each with a host that sends to the one `hops` switches further.
Network ring_of(std::size_t switches, std::size_t hops) {
  Network network;
  for (std::size_t i = 0; i < switches; ++i) network.nodes.push_back({"h" + std::to_string(i), true});
  for (std::size_t i = 0; i < switches; ++i) network.nodes.push_back({"s" + std::to_string(i)});
  for (std::size_t i = 0; i < switches; ++i) network.links.push_back({i, switches + i});
  for (std::size_t i = 0; i < switches; ++i)
    network.links.push_back({switches + i, switches + (i + 1) % switches});
  for (std::size_t i = 0; i < switches; ++i) network.links.push_back({switches + i, i});
  for (std::size_t i = 0; i < switches; ++i) {
    Route route{{i}, 1};
    for (std::size_t hop = 0; hop < hops; ++hop) route.links.push_back(switches + (i + hop) % switches);
    route.links.push_back(2 * switches + (i + hops) % switches);
    network.flows.push_back(
        {"from " + std::to_string(i), i, (i + hops) % switches, Rational(1) / 2, {route}});
  }
  require_valid(network);
  return network;
}

}  // namespace

TEST_CASE("buffer cycle: only buffers that are passed on depend on others") {
  CHECK(buffer_cycle(ring_of(5, 1)).empty());
  CHECK(buffer_cycle(ring_of(5, 2)) == std::vector<std::size_t>{5, 6, 7, 8, 9});
  CHECK(link_names(ring_of(3, 2), {3, 4}) == "s0 -> s1, s1 -> s2");
  // The last link to a switch delivers there: its buffer holds nothing that goes on.
  Network network = ring_of(3, 2);
  for (Flow& flow : network.flows) {
    flow.destination += 3;
    flow.routes[0].links.pop_back();
  }
  CHECK(buffer_cycle(network).empty());
}
