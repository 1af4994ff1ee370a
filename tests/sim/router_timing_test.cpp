#include <tailbound/core/error.hpp>
#include <tailbound/network/worms/cube_worms.hpp>
#include <tailbound/network/worms/fat_tree_worms.hpp>
#include <tailbound/sim/worm/worm_engine.hpp>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

// Routers, links and credits with delays, against results by hand, flit by flit, in cases without randomness.

namespace tailbound::sim {
namespace {

using network::Cube;
using network::CubeLinks;
using network::Reallocate;
using network::RouterTiming;
using network::WormNetwork;

std::vector<RouterTiming> some_timings() {
  std::vector<RouterTiming> all;
  for (const std::uint32_t router : {0U, 1U, 3U})
    for (const std::uint32_t link : {1U, 2U})
      for (const std::uint32_t credit : {0U, 1U, 4U})
        for (const Reallocate reallocate : {Reallocate::empty, Reallocate::tail})
          if (credit > 0 || reallocate == Reallocate::empty)
            all.push_back({router, link, credit, reallocate});
  return all;
}

std::vector<std::shared_ptr<const WormNetwork>> some_networks() {
  return {network::make_cube_worms({.radix = 3}, 1),
          network::make_cube_worms({.radix = 3}, 3),
          network::make_cube_worms({.links = CubeLinks::torus, .radix = 4}, 3),
          network::make_cube_worms({.links = CubeLinks::unidirectional_torus, .radix = 3}, 2),
          network::make_cube_worms({.ends = {network::Injection::channels, network::Ejection::channels},
                                    .sides = {2, 4},
                                    .concentration = 2},
                                   2),
          network::make_cube_worms({.radix = 2, .dimensions = 3, .ends = network::all_port}, 1),
          network::make_fat_tree_worms(2)};
}

TEST_CASE("router delays: each pair alone takes the sum of its hops") {
  for (const auto& network : some_networks())
    for (const RouterTiming& timing : some_timings()) {
      CAPTURE(network->layout().name, timing.in_words());
      const std::uint32_t nodes = network->layout().nodes;
      for (std::uint32_t from = 0; from < nodes; from += 3)
        for (std::uint32_t to = 0; to < nodes; ++to) {
          if (from == to) continue;
          WormEngine engine(*network, 8, {1, 0}, timing);  // buffer for the flits in transit
          engine.skip_to(5);
          engine.send({.born = 5, .source = from, .destination = to, .flits = 7});
          while (engine.delivered().empty()) engine.cycle();
          const WormDelivery& delivery = engine.delivered().front();
          const double latency = 7 + delivery.distance - 1 + timing.extra_cycles(delivery.distance);
          REQUIRE(static_cast<double>(delivery.ended - 5) == latency);
        }
    }
}

/// Cycles in which the successive flits of messages from one source to one node cross each channel of their
/// path, the first one an injection and the last one an ejection.
std::vector<std::vector<std::uint64_t>> crossings(const std::vector<WormMessage>& messages,
                                                  std::size_t distance, std::uint64_t buffer,
                                                  const RouterTiming& timing) {
  std::vector<std::vector<std::uint64_t>> at(distance);
  const bool tail = timing.reallocate == Reallocate::tail;
  std::size_t flit = 0;
  for (const WormMessage& message : messages)
    for (std::uint32_t i = 0; i < message.flits; ++i, ++flit)
      for (std::size_t k = 0; k < distance; ++k) {
        const bool ejects = k + 1 == distance;
        std::uint64_t cycle = k == 0   ? message.born
                              : k == 1 ? at[0][flit] + 1 + timing.router_cycles
                                       : at[k - 1][flit] + timing.hop();
        if (flit > 0) cycle = std::max(cycle, at[k][flit - 1] + 1);
        if (!ejects && flit >= buffer)
          cycle = std::max(cycle, at[k + 1][flit - buffer] + timing.credit_cycles);
        if (i == 0 && flit > 0 && !tail && !ejects)
          cycle = std::max(cycle, at[k + 1][flit - 1] + timing.credit_cycles);
        at[k].push_back(cycle);
      }
  return at;
}

TEST_CASE("router delays: a sequence of messages, flit by flit") {
  const auto row = network::make_cube_worms({.radix = 5, .dimensions = 1}, 1);
  RandomSequence random({3, 0}, 1, 0);
  for (const RouterTiming& timing : some_timings())
    for (const std::uint32_t buffer : {1U, 2U, 3U, 5U, 9U}) {
      CAPTURE(timing.in_words(), buffer);
      std::vector<WormMessage> messages;
      for (std::uint64_t born = 0; messages.size() < 40; born += random.next_below(25))
        messages.push_back({.born = born, .source = 0, .destination = 4, .flits = 1 + random.next_below(9)});
      const auto expected = crossings(messages, 6, buffer, timing);
      WormEngine engine(*row, buffer, {1, 0}, timing);
      std::size_t sent = 0, arrived = 0, last = 0;
      while (sent < messages.size() || !engine.idle()) {
        for (; sent < messages.size() && messages[sent].born <= engine.now(); ++sent)
          engine.send(messages[sent]);
        engine.cycle();
        for (const WormDelivery& delivery : engine.delivered()) {
          const std::size_t first = last;
          last += messages[arrived++].flits;
          REQUIRE(delivery.started == expected[0][first]);
          REQUIRE(delivery.ended == expected[5][last - 1] + 1);
        }
      }
      CHECK(arrived == messages.size());
    }
}

TEST_CASE("router delays: flits are conserved, and a saved run continues unchanged") {
  for (const auto& network : some_networks())
    for (const RouterTiming& timing : some_timings())
      for (const std::uint32_t buffer : {1U, 4U}) {
        CAPTURE(network->layout().name, timing.in_words(), buffer);
        auto whole = std::make_unique<WormEngine>(*network, buffer, RandomKey{2, 0}, timing);
        auto cut = std::make_unique<WormEngine>(*network, buffer, RandomKey{2, 0}, timing);
        RandomSequence random({4, 0}, 5, 0);
        const std::uint32_t nodes = network->layout().nodes;
        std::size_t sent = 0, arrived = 0;
        while (whole->now() < 150 || !whole->idle()) {
          REQUIRE(whole->now() < 100'000);
          for (int i = 0; i < 2 && whole->now() < 150; ++i, ++sent) {
            const std::uint32_t from = random.next_below(nodes);
            const WormMessage message{.born = whole->now(),
                                      .source = from,
                                      .destination = (from + 1 + random.next_below(nodes - 1)) % nodes,
                                      .variant = random.next_below(network->layout().variants),
                                      .flits = 1 + random.next_below(8)};
            whole->send(message);
            cut->send(message);
          }
          whole->cycle();
          cut->cycle();
          arrived += whole->delivered().size();
          REQUIRE(whole->crossings() == cut->crossings());
          REQUIRE(whole->delivered().size() == cut->delivered().size());
          if (whole->now() % 31 != 0) continue;
          REQUIRE(whole->balance().conserved());
          ByteWriter writer;
          cut->save(writer);
          const std::string bytes = writer.take();
          cut = std::make_unique<WormEngine>(*network, buffer, RandomKey{2, 0}, timing);
          ByteReader reader(bytes);
          cut->load(reader);
          REQUIRE(reader.at_end());
          if (whole->now() != 93) continue;
          for (std::size_t length = 0; length < bytes.size(); length += 997) {
            ByteReader shorter(std::string_view(bytes).substr(0, length));
            CHECK_THROWS_AS(WormEngine(*network, buffer, RandomKey{2, 0}, timing).load(shorter), ParseError);
          }
        }
        CHECK(arrived == sent);
        CHECK(whole->balance().conserved());
      }
}

TEST_CASE("router delays: a deadlock is reported with its channels") {
  const auto ring =
      network::make_cube_worms({.links = CubeLinks::unidirectional_torus, .radix = 4, .dimensions = 1}, 1);
  for (const Reallocate reallocate : {Reallocate::empty, Reallocate::tail}) {
    WormEngine engine(*ring, 2, {1, 0}, {.router_cycles = 1, .credit_cycles = 1, .reallocate = reallocate});
    for (std::uint32_t node = 0; node < 4; ++node)
      engine.send({.born = 0, .source = node, .destination = (node + 2) % 4, .flits = 20});
    CHECK_THROWS_AS(
        [&] {
          for (int cycle = 0; cycle < 10'000; ++cycle) engine.cycle();
        }(),
        NoAnswer);
  }
}

TEST_CASE("router delays: fields out of range are rejected by name") {
  CHECK_THROWS_AS(check(RouterTiming{.router_cycles = 31}), InvalidArgument);
  CHECK_THROWS_AS(check(RouterTiming{.link_cycles = 0}), InvalidArgument);
  CHECK_THROWS_AS(check(RouterTiming{.credit_cycles = 31}), InvalidArgument);
  CHECK_THROWS_AS(check(RouterTiming{.reallocate = Reallocate::tail}), InvalidArgument);
  CHECK_NOTHROW(check(RouterTiming{30, 30, 30, Reallocate::tail}));
}

}  // namespace
}  // namespace tailbound::sim
