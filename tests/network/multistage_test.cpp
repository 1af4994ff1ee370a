#include <tailbound/core/error.hpp>
#include <tailbound/network/multistage.hpp>

#include <catch2/catch.hpp>
#include <functional>
#include <set>

namespace tailbound::network {
namespace {

TEST_CASE("multistage: the load bound is that of Pfister and Norton, and of a server") {
  const auto bound = [](std::int64_t nodes, std::int64_t size, const char* hot,
                        std::optional<std::int64_t> combining, Links links) {
    return saturation_bound({.network = {nodes, size},
                             .hot = numeric::parse_rational(hot, "hot"),
                             .combining = combining,
                             .links = links});
  };
  const auto is = [](const char* text) { return numeric::parse_rational(text, "bound"); };
  // 1 / (1 + h (N - 1)): 64 nodes, 8 %: 0.1656
  CHECK(bound(64, 2, "0.08", 1, Links::one) == is("25/151"));
  CHECK(bound(64, 8, "0.08", 1, Links::one) == is("25/151"));
  CHECK(bound(256, 2, "0.04", 1, Links::one) == is("5/56"));
  CHECK(bound(27, 3, "1", 1, Links::one) == is("1/27"));
  // 1 / (1 - h + h N / s)
  CHECK(bound(64, 2, "0.08", 1, Links::any) == is("25/87"));
  CHECK(bound(64, 4, "0.16", 1, Links::any) == is("5/17"));
  for (const Links links : {Links::one, Links::any}) {
    CHECK(bound(64, 2, "0", 1, links) == 1);
    CHECK(bound(64, 2, "0.5", std::nullopt, links) == 1);
    CHECK(bound(64, 2, "0.5", 2, links) == 1);  // as many combine at each stage as meet there
  }
  // 4 x 4 switches that combine pairs: 1 - h + h 2^3 after the last of three stages, and half of it before.
  CHECK(bound(64, 4, "0.5", 2, Links::one) == is("2/9"));
  CHECK(bound(64, 4, "0.5", 2, Links::any) == is("2/3"));
}

TEST_CASE("multistage: every path ends at the memory given by its digits") {
  for (const Wiring wiring : {Wiring::baseline, Wiring::omega})
    for (const Multistage network : {Multistage{2, 2}, {16, 2}, {27, 3}, {64, 4}, {125, 5}, {7, 7}}) {
      const std::vector<StageWiring> stages = wire(network, wiring);
      REQUIRE(static_cast<int>(stages.size()) == stage_count(network));
      for (std::int64_t from = 0; from < network.nodes; ++from)
        for (std::int64_t memory = 0; memory < network.nodes; ++memory) {
          auto port = static_cast<std::uint32_t>(from);
          std::int64_t divisor = network.nodes;
          for (const StageWiring& stage : stages) {
            divisor /= network.switch_size;
            const auto output = static_cast<std::uint32_t>(memory / divisor % network.switch_size);
            port = stage.first[port] + output * stage.stride;
          }
          REQUIRE(port == memory);
        }
    }
}

TEST_CASE("multistage: links reach every port of the next stage once, and the hot tree halves") {
  for (const Wiring wiring : {Wiring::baseline, Wiring::omega}) {
    const Multistage network{81, 3};
    std::set<std::uint32_t> hot;
    for (std::uint32_t port = 0; port < 81; ++port) hot.insert(port);
    for (const StageWiring& stage : wire(network, wiring)) {
      std::multiset<std::uint32_t> reached;
      for (const std::uint32_t first : stage.first)
        for (std::uint32_t output = 0; output < 3; ++output) reached.insert(first + output * stage.stride);
      // s ports per switch
      for (std::uint32_t port = 0; port < 81; ++port) REQUIRE(reached.count(port) == 3);
      std::set<std::uint32_t> next;
      for (const std::uint32_t port : hot) next.insert(stage.first[port]);
      REQUIRE(next.size() == hot.size() / 3);
      hot = next;
    }
  }
}

TEST_CASE("multistage: parameters out of range are rejected by name") {
  const auto rejected = [](const std::function<void(CombiningMultistage&)>& change) {
    CombiningMultistage network;
    change(network);
    try {
      check(network);
    } catch (const InvalidArgument& error) {
      return error.argument();
    }
    return std::string();
  };
  CHECK(rejected([](auto&) {}).empty());
  CHECK(rejected([](auto& its) { its.combining.reset(); }).empty());
  CHECK(rejected([](auto& its) { its.network.nodes = 48; }) == "nodes");
  CHECK(rejected([](auto& its) { its.network.nodes = 1; }) == "nodes");
  CHECK(rejected([](auto& its) { its.network.switch_size = 1; }) == "switch");
  CHECK(rejected([](auto& its) { its.buffer = 0; }) == "buffer");
  CHECK(rejected([](auto& its) { its.hot = -1; }) == "hot");
  CHECK(rejected([](auto& its) { its.hot = numeric::parse_rational("1.01", "hot"); }) == "hot");
  CHECK(rejected([](auto& its) { its.combining = 0; }) == "combining");
}

}  // namespace
}  // namespace tailbound::network
