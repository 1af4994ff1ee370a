#include <catch2/catch.hpp>
#include <tailbound/answers/delay/delay.hpp>
#include <tailbound/answers/delay/solve_load_scale.hpp>
#include <tailbound/bounds/sizing/max_load.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/demands/uniform_traffic.hpp>
#include <tailbound/network/fabric/fabric.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tailbound/network/queue_traffic.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tests/support/rational.hpp>

#include <algorithm>
#include <memory>
#include <random>
#include <string>

// The maximum factor of all rates, compared with the network scaled by it.

using namespace tailbound;
using answers::LoadScaleAnswer;
using answers::LoadScaleQuery;
using numeric::Rational;
using tailbound::test::rational;

namespace {

network::Network star(int hosts) {
  std::string text = "hosts = [";
  for (int i = 0; i < hosts; ++i) text += "\"h" + std::to_string(i) + "\", ";
  text += "]\nswitches = [\"s\"]\n[[link]]\nfrom = [";
  for (int i = 0; i < hosts; ++i) text += "\"h" + std::to_string(i) + "\", ";
  text += "]\nto = \"s\"\nboth = true\n";
  return network::read_network(text, "star", network::FileUse::packets, network::FlowsFrom::elsewhere)
      .network;
}

/// Two routes of one and two queues from a to c; b also sends to c.
answers::NetworkTopology two_paths() {
  return {.network = network::read_network(R"(
hosts = ["a", "b", "c"]
switches = ["s", "t"]
link = [{from = ["a", "b"], to = "s"}, {from = "s", to = "t"}, {from = "s", to = "c"}, {from = "t", to = "c"}]
flow = [{from = "a", to = "c", rate = 0.4, routes = [{share = "1/4", path = ["s", "t"]},
  {share = "3/4", path = ["s"]}]}, {from = "b", to = "c", rate = 0.3}]
)",
                                           "two ways")
                         .network,
          .file = "two ways"};
}

/// The latency of the flow's percentile with all rates multiplied by `factor`.
Slots latency_at(const answers::NetworkTopology& topology, const std::string& flow,
                 const Rational& percentile, const Rational& factor) {
  answers::DelayQuery query{.topology = answers::NetworkTopology{
                                .network = answers::scaled(topology.network, factor), .file = "scaled"}};
  query.flow = flow;
  query.percentiles = {percentile};
  return answers::answer(query).flows.front().delay.latency.front().slots;
}

}  // namespace

TEST_CASE("maximum load scale: exactly where the first link is full", "[answers][load_scale]") {
  std::mt19937_64 random(20260302);
  for (int trial = 0; trial < 20; ++trial) {
    network::Network network = star(5);
    network::add_uniform_traffic(network, 1);
    for (network::Flow& flow : network.flows)
      flow.rate = Rational(1 + static_cast<long>(random() % 50)) / 1000;
    const LoadScaleAnswer answer =
        answers::answer(LoadScaleQuery{.topology = {.network = network, .file = "star"}});
    const Rational factor = std::get<numeric::Exact<unit::Ratio>>(answer.largest()).value;
    // Loads as the analysis computes them, with all rates multiplied by the factor: at most 1, and 1
    // somewhere.
    Rational maximum = 0;
    for (network::Flow& flow : network.flows) flow.rate = flow.rate * factor;
    for (const network::QueueTraffic& traffic :
         network::queue_traffic(network, network::Sources::independent_sources))
      maximum = std::max(maximum, traffic.load);
    CHECK(maximum == 1);
    CHECK(std::is_sorted(answer.limits.begin(), answer.limits.end(),
                         [](const auto& a, const auto& b) { return a.factor < b.factor; }));
    CHECK(answer.limits.size() == 10);  // five links to hosts, five hosts that send
    CHECK_FALSE(answer.target.has_value());
  }
}

TEST_CASE("maximum load scale: the latency of a percentile on both sides", "[answers][load_scale]") {
  const answers::NetworkTopology topology = two_paths();
  for (const auto& [text, within] :
       {std::pair{"0.9999", 12}, std::pair{"0.99", 4}, std::pair{"0.999", 7}, std::pair{"0.9", 2}}) {
    const Rational percentile = rational(text);
    const LoadScaleAnswer answer = answers::answer(LoadScaleQuery{
        .topology = topology, .requested = answers::LatencyTarget{percentile, Rational(within)}});
    REQUIRE(answer.target.has_value());
    REQUIRE(answer.target->missed.has_value());
    const Rational met = answer.target->met, missed = *answer.target->missed;
    CHECK(met < missed);
    CHECK(missed - met <= met * rational("1e-10"));
    CHECK(missed < answer.first_limit().factor);
    const auto worst = [&](const Rational& factor) {
      return std::max(latency_at(topology, "a -> c", percentile, factor),
                      latency_at(topology, "b -> c", percentile, factor));
    };
    CHECK(worst(met) <= Slots(within));
    CHECK(worst(missed) > Slots(within));
    CHECK(answer.omissions.correlated_waits);
  }
  // For a single flow the factor is larger or equal.
  LoadScaleQuery query{.topology = topology, .requested = answers::LatencyTarget{rational("0.99"), 3}};
  const Rational all = answers::answer(query).target->met;
  query.flow = "b -> c";
  const LoadScaleAnswer of_b = answers::answer(query);
  CHECK(of_b.target->met >= all);
  CHECK(of_b.target->at_met.name == "b -> c");
  query.flow = "nobody";
  CHECK_THROWS_WITH(answers::answer(query), Catch::Contains("nobody") && Catch::Contains("a -> c, b -> c"));
}

TEST_CASE("maximum load scale: times in ns include the time added by hops", "[answers][load_scale]") {
  const answers::NetworkTopology topology = two_paths();
  const auto met = [&](const Rational& within, const std::optional<answers::SlotTime>& time) {
    return answers::answer(
               LoadScaleQuery{.topology = topology,
                              .requested = answers::LatencyTarget{rational("0.999"), within, time}})
        .target->met;
  };
  // Slots of 10 ns without more are slots.
  CHECK(met(60, answers::SlotTime{.slot = 10}) == met(6, std::nullopt));
  CHECK(met(69, answers::SlotTime{.slot = 10}) == met(6, std::nullopt));
  const Rational hop = rational("12.5"), found = met(100, answers::SlotTime{.slot = 10, .hop = hop});
  answers::DelayQuery query{.topology = answers::NetworkTopology{
                                .network = answers::scaled(topology.network, found), .file = "scaled"}};
  query.percentiles = {rational("0.999")};
  query.units = {.packet_bytes = 64, .link_gbps = rational("51.2")};
  query.hop_ns = hop;
  Rational largest = 0;
  for (const answers::FlowDelay& flow : answers::answer(query).flows)
    largest = std::max(largest, flow.latency_ns.front());
  CHECK(largest <= 100);
  CHECK(largest > 80);
}

TEST_CASE("maximum load scale: buffers agree with the maximum load of a single queue",
          "[answers][load_scale]") {
  // Around one switch of 9 hosts every queue has 8 inputs: the maximum load for a buffer is that of
  // bounds::max_load.
  network::Network network = star(9);
  network::add_uniform_traffic(network, rational("0.5"));
  for (const bounds::Criterion criterion : {bounds::Criterion::overflow, bounds::Criterion::loss}) {
    const bounds::DropTarget target{rational("1e-9"), criterion};
    const LoadScaleAnswer answer =
        answers::answer(LoadScaleQuery{.topology = {.network = network, .file = "star"},
                                       .requested = answers::BufferTarget{Packets(24), target}});
    const bounds::MaxLoad maximum = bounds::max_load(
        {.arrivals = series::Arrivals::equal_inputs(8, rational("0.5")), .packets_per_slot = 1}, Packets(24),
        target);
    CHECK(numeric::nearest_double(answer.target->met) / 2 ==
          Approx(static_cast<double>(maximum.load.lower())).epsilon(1e-9));
    const auto enclosure = std::get<numeric::Enclosure<unit::Ratio>>(answer.largest());
    CHECK(static_cast<double>(enclosure.lower()) <= static_cast<double>(enclosure.upper()));
  }
}

TEST_CASE("maximum load scale: targets that every factor meets, and that none does",
          "[answers][load_scale]") {
  // A single flow never waits: the factor is the limit of the link.
  const answers::NetworkTopology lonely{
      .network =
          network::read_network("hosts = [\"a\", \"b\"]\nswitches = [\"s\"]\nlink = [{from = \"a\", to = "
                                "\"s\"}, {from = \"s\", to = \"b\", rate = 2}]\nflow = [{from = \"a\", to = "
                                "\"b\", rate = 0.5}]\n",
                                "lonely")
              .network,
      .file = "lonely"};
  LoadScaleQuery query{.topology = lonely, .requested = answers::LatencyTarget{rational("0.99"), 1}};
  const LoadScaleAnswer answer = answers::answer(query);
  // Its link carries 2 packets per slot, so the host is the limit, which is attained.
  CHECK(answer.first_limit().kind == answers::ScaleLimit::Kind::node);
  CHECK(std::get<numeric::Exact<unit::Ratio>>(answer.largest()).value == 2);
  CHECK_FALSE(answer.target->missed.has_value());
  query.requested = answers::LatencyTarget{rational("0.99"), 0};
  CHECK_THROWS_AS(answers::answer(query), NoAnswer);
  CHECK_THROWS_WITH(answers::answer(query), Catch::Contains(": its latency is at least 1 slot"));
  query.requested = answers::LatencyTarget{1, 5};
  CHECK_THROWS_AS(answers::answer(query), InvalidArgument);
  query.requested = answers::LatencyTarget{rational("0.5"), -1};
  CHECK_THROWS_AS(answers::answer(query), InvalidArgument);
  query.requested = answers::BufferTarget{Packets(3), {rational("1")}};
  CHECK_THROWS_AS(answers::answer(query), InvalidArgument);
}

TEST_CASE("the maximum factor of a fabric equals that of its listed flows", "[answers][load_scale][fabric]") {
  // Two leaves, two spines, eight hosts, links of two speeds.
  const std::string text = R"(
hosts = "h[0..7]"
switches = "leaf[0..1], spine[0..1]"
[[link]]
each = "i = 0..7"
from = "h[i]"
to = "leaf[i/4]"
rate = 2
both = true
[[link]]
each = "l = 0..1, s = 0..1"
from = "leaf[l]"
to = "spine[s]"
rate = 3
both = true
[[traffic]]
name = "all"
uniform = 0.5
route = "spread"
)";
  const network::Fabric fabric = network::read_fabric(text, "fabric").fabric;
  LoadScaleQuery listed{.topology = {.network = network::written_out(fabric), .file = "listed"}};
  LoadScaleQuery whole{.topology = {.network = fabric.network, .file = "whole"},
                       .fabric = std::make_shared<network::Fabric>(fabric)};
  CHECK(answers::answer(listed).first_limit().factor == answers::answer(whole).first_limit().factor);
  listed.digits = whole.digits = {4};
  for (const auto& requested :
       {decltype(whole.requested)(answers::LatencyTarget{.percentile = rational("0.999"), .within = 8}),
        decltype(whole.requested)(answers::BufferTarget{Packets(12), {.probability = rational("1e-6")}})}) {
    listed.requested = whole.requested = requested;
    const LoadScaleAnswer one = answers::answer(listed), other = answers::answer(whole);
    REQUIRE(other.target);
    const Rational a = one.target->met, b = other.target->met;
    INFO(numeric::nearest_double(a) << " " << numeric::nearest_double(b));
    // Listed links have slots of their own, those of a fabric the slots of the slowest.
    CHECK(abs(a - b) * 15 < a);
    CHECK(other.target->missed);
    CHECK_FALSE(other.target->at_missed->name.empty());
  }
  whole.flow = "h0 -> h5";
  CHECK_THROWS_WITH(answers::answer(whole), Catch::Contains("omitted: for a network evaluated as a whole"));
  whole.requested = answers::LatencyTarget{.percentile = rational("0.999"), .within = 8};
  CHECK(answers::answer(whole).target->at_met.name == "h0 -> h5");
}
