#include <tailbound/network/clocks/link_clocks.hpp>
#include <tailbound/numeric/rational.hpp>

#include <catch2/catch.hpp>
#include <tailbound/core/error.hpp>

using namespace tailbound;
using network::LinkRate;
using numeric::Rational;

namespace {

/// a -> s -> b at the first two rates, and an idle host c.
network::Network line(LinkRate first, LinkRate second, LinkRate idle, Rational rate) {
  network::Network network;
  network.nodes = {{"a", true}, {"b", true}, {"c", true}, {"s"}};
  network.links = {{0, 3, first}, {3, 1, second}, {2, 3, idle}, {3, 2, idle}};
  network.flows = {{"a -> b", 0, 1, std::move(rate), {{{0, 1}, 1}}}};
  return network;
}

}  // namespace

TEST_CASE("link_clocks: packets of every used link last whole ticks") {
  const network::LinkClocks clocks = network::link_clocks(line({1, 1}, {5, 2}, {7, 3}, {1}));
  CHECK(clocks.slot == 5);
  CHECK(clocks.packet == std::vector<std::int64_t>{5, 2, 0, 0});
  CHECK(clocks.slowest == 5);
  const network::LinkClocks finer = network::link_clocks(line({1, 1}, {5, 2}, {7, 3}, {1}), 32);
  CHECK(finer.slot == 80);
  CHECK(finer.packet == std::vector<std::int64_t>{80, 32, 0, 0});
  CHECK(network::link_clocks(line({3, 2}, {2, 3}, {1, 1}, {1})).packet ==
        std::vector<std::int64_t>{4, 9, 0, 0});
}

TEST_CASE("links without flows change no slot") {
  const Rational rate = numeric::parse_rational("3/2", "rate");
  for (const LinkRate idle : {LinkRate{1, 1}, LinkRate{1, 4}, LinkRate{100, 1}}) {
    const network::Network own = network::in_own_slots(line({2, 1}, {2, 1}, idle, rate));
    CHECK(network::has_unit_speeds(own));
    CHECK(own.links[0].rate == LinkRate{});
    CHECK(own.links[3].rate == LinkRate{});
    CHECK(own.flows[0].rate == rate / 2);
    CHECK(own.file_slots == 2);
    CHECK(own.lanes() == std::vector<int>{1, 1, 1, 1});
  }
  const network::Network mixed = network::in_own_slots(line({4, 1}, {2, 1}, {1, 1}, rate));
  CHECK_FALSE(network::has_unit_speeds(mixed));
  CHECK(mixed.links[0].rate == LinkRate{2, 1});
  CHECK(mixed.links[1].rate == LinkRate{});
  const network::Network of_fast = network::in_slots_of(mixed, 2);
  CHECK(of_fast.links[1].rate == LinkRate{1, 2});
  CHECK(of_fast.flows[0].rate == rate / 4);
  CHECK(of_fast.file_slots == 4);
}

TEST_CASE("networks without flows keep their slots") {
  network::Network network = line({2, 1}, {3, 1}, {1, 1}, {1});
  network.flows.clear();
  CHECK(network::in_own_slots(network).links[1].rate == LinkRate{3, 1});
}
