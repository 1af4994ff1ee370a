#include <tailbound/answers/delay/delay.hpp>
#include <tailbound/answers/validation/validate_delay.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/files/network_file.hpp>

#include <catch2/catch.hpp>
#include <tests/support/rational.hpp>

using namespace tailbound;
using answers::DelayQuery;
using answers::Hops;
using numeric::Rational;
using tailbound::test::rational;

namespace {

answers::NetworkTopology topology_of_text(const std::string& text) {
  return {.network = network::read_network(text, "text").network, .file = "text", .matrix = {}};
}

DelayQuery of_tree(std::optional<Hops> hops) {
  DelayQuery query{.topology = answers::TreeTopology{.tree = {4, 2}, .load = rational("0.7")}};
  query.percentiles = {rational("0.99"), rational("0.999999")};
  query.levels = {Slots(3)};
  query.hops = hops;
  return query;
}

const char* three_switches = R"(
hosts = ["a", "b", "c", "d", "e"]
switches = ["s", "t", "u"]
[[link]]
from = ["a", "b"]
to = "s"
both = true
[[link]]
from = ["c", "e"]
to = "t"
both = true
[[link]]
from = "d"
to = "u"
both = true
[[link]]
from = "s"
to = "t"
both = true
[[link]]
from = "t"
to = "u"
rate = RATE
both = true
[[flow]]
from = "a"
to = "d"
rate = 0.3
[[flow]]
from = "b"
to = "d"
rate = 0.25
[[flow]]
from = "c"
to = "d"
rate = 0.2
[[flow]]
from = "e"
to = "c"
rate = 0.4
)";

answers::NetworkTopology switches(const std::string& rate) {
  std::string text = three_switches;
  return topology_of_text(text.replace(text.find("RATE"), 4, rate));
}

}  // namespace

TEST_CASE("hops: chain by default, bounds above it") {
  const auto chain = answers::answer(of_tree({})), bound = answers::answer(of_tree(Hops::bound)),
             independent = answers::answer(of_tree(Hops::independent));
  CHECK(chain.flows[0].hops == Hops::chain);
  CHECK_FALSE(chain.proved());
  CHECK(bound.flows[0].hops == Hops::bound);
  CHECK(bound.proved());
  CHECK(independent.flows[0].hops == Hops::independent);
  for (std::size_t i = 0; i < 2; ++i)
    CHECK(bound.flows[0].delay.queueing[i].slots > chain.flows[0].delay.queueing[i].slots);
  const auto& claim = bound.flows[0].delay.mean_queueing;
  // Added as if independent: the sum is not proved.
  CHECK_FALSE(independent.proved());
  const auto& mean =
      std::get<numeric::Approximation<unit::Slot>>(independent.flows[0].delay.mean_queueing).value;
  CHECK(std::get<numeric::UpperBound<unit::Slot>>(claim).value >= mean * (1 - 1e-9));
}

TEST_CASE("hops: without a chain model hops are independent, and other models are rejected") {
  DelayQuery query = of_tree(Hops::bound);
  query.topology = switches("1");
  CHECK_THROWS_AS(answers::answer(query), InvalidArgument);
  query.hops.reset();
  CHECK(answers::answer(query).flows[0].hops == Hops::chain);
  CHECK(answers::possible_hops(query.topology).size() == 2);
}

namespace {

DelayQuery of_bursts(const char* burst, traffic::Destination destination, std::optional<Hops> hops = {}) {
  DelayQuery query = of_tree(hops);
  auto& tree = std::get<answers::TreeTopology>(query.topology);
  tree.load = rational("0.6");
  tree.burst = traffic::Burst{.slots = rational(burst)};
  tree.destination = destination;
  return query;
}

}  // namespace

TEST_CASE("hops: bursts that keep their path have an aged delay") {
  using enum traffic::Destination;
  const auto chain = answers::answer(of_bursts("16", per_burst)).flows[0],
             independent = answers::answer(of_bursts("16", per_burst, Hops::independent)).flows[0];
  CHECK(chain.hops == Hops::chain);
  CHECK(chain.hops_reason.empty());
  CHECK(independent.delay.queueing[0].slots > chain.delay.queueing[0].slots);
  CHECK(answers::possible_hops(of_bursts("16", per_burst).topology) ==
        std::vector<Hops>{Hops::chain, Hops::independent});
  CHECK_THROWS_WITH(answers::answer(of_bursts("16", per_burst, Hops::bound)),
                    Catch::Contains("bound") && Catch::Contains("per-burst"));
  // For bursts of less than two packets ages explain little.
  const auto shortest = answers::answer(of_bursts("1.6", per_burst)).flows[0];
  CHECK(shortest.hops == Hops::independent);
  CHECK(shortest.hops_reason.find("2 packets") != std::string::npos);
  CHECK_THROWS_AS(answers::answer(of_bursts("1.6", per_burst, Hops::chain)), InvalidArgument);
  // Packets of a burst share its path: their delays do not show whether packets are reordered.
  DelayQuery reordered = of_bursts("16", per_burst);
  reordered.reorder = answers::ReorderTargets{.probability = rational("0.001"), .levels = {}};
  reordered.flow_rate = rational("0.1");
  CHECK_THROWS_WITH(answers::answer(reordered), Catch::Contains("simulate tree --reorder"));
}

TEST_CASE("hops: bursts with per-packet paths form a chain below an upper bound") {
  using enum traffic::Destination;
  const auto chain = answers::answer(of_bursts("16", per_packet)).flows[0],
             bound = answers::answer(of_bursts("16", per_packet, Hops::bound)).flows[0];
  CHECK(chain.hops == Hops::chain);
  CHECK(bound.hops == Hops::bound);
  CHECK(bound.delay.queueing[1].slots > chain.delay.queueing[1].slots);
  CHECK(std::get<numeric::UpperBound<unit::Slot>>(bound.delay.mean_queueing).value >
        std::get<numeric::Approximation<unit::Slot>>(chain.delay.mean_queueing).value);
  CHECK(answers::possible_hops(of_bursts("16", per_packet).topology) ==
        std::vector<Hops>{Hops::chain, Hops::independent, Hops::bound});
  // In binary trees the chain underestimates: it is used only on request.
  DelayQuery binary = of_bursts("16", per_packet);
  std::get<answers::TreeTopology>(binary.topology).tree = {2, 3};
  const auto usual = answers::answer(binary).flows[0];
  CHECK(usual.hops == Hops::independent);
  CHECK(usual.hops_reason.find("binary") != std::string::npos);
  binary.hops = Hops::chain;
  CHECK(answers::answer(binary).flows[0].hops == Hops::chain);
}

TEST_CASE(
    "hops: one queue with only sources as inputs is exact; links of several packets per slot are "
    "independent") {
  DelayQuery query = of_tree({});
  query.topology = switches("1");
  const auto answer = answers::answer(query);
  CHECK(answer.flows[0].hops == Hops::chain);        // a: s -> t, t -> u, u -> d
  CHECK(answer.flows[3].hops == Hops::independent);  // e: only t -> c
  CHECK(std::holds_alternative<numeric::Exact<unit::Slot>>(answer.flows[3].delay.mean_queueing));
  // Links of different speeds: each queue in slots of its own.
  query.topology = switches("2");
  CHECK(answers::answer(query).flows[0].hops == Hops::independent);
  CHECK_FALSE(answers::answer(query).proved());
  std::string text = three_switches;
  text.replace(text.find("RATE"), 4, "2");
  for (const char* host : {"f", "g"})
    text += std::string("[[flow]]\nfrom = \"") + host + "\"\nto = \"d\"\nrate = 0.05\n";
  text.replace(text.find("\"e\"]\nswitches"), 3, "\"e\", \"f\", \"g\"");
  text.replace(text.find("from = [\"c\", \"e\"]"), 17, "from = [\"c\", \"e\", \"f\", \"g\"]");
  query.topology = topology_of_text(text);
  CHECK(answers::answer(query).flows[0].hops == Hops::independent);
}

TEST_CASE("hops: flows through one queue have different delays") {
  DelayQuery query = of_tree({});
  const std::string star =
      "hosts = ['a', 'b', 'd']\nswitches = ['s']\n[[link]]\nfrom = ['a', 'b']\nto = 's'\n[[link]]\nfrom = "
      "'s'\nto = 'd'\n"
      "[[flow]]\nfrom = 'a'\nto = 'd'\nrate = ";
  query.topology = topology_of_text(star + "0.9\n[[flow]]\nfrom = 'b'\nto = 'd'\nrate = 0.05\n");
  const auto unequal = answers::answer(query);
  const auto mean = [&](std::size_t flow) {
    return std::get<numeric::Exact<unit::Slot>>(unequal.flows[flow].delay.mean_queueing).value;
  };
  CHECK(mean(0) == rational("0.925"));
  CHECK(mean(1) == rational("1.35"));
  CHECK(unequal.flows[1].one_queue);
  CHECK(unequal.proved());
  query.topology = topology_of_text(star + "0.4\n[[flow]]\nfrom = 'b'\nto = 'd'\nrate = 0.4\n");
  CHECK(std::holds_alternative<numeric::Exact<unit::Slot>>(
      answers::answer(query).flows[0].delay.mean_queueing));
}

TEST_CASE("hops: each flow of one queue has the law of its own source") {
  const auto certified = [](const std::string& text) {
    DelayQuery query = of_tree({});
    query.topology = topology_of_text(text);
    query.levels = {Slots(0)};
    return answers::answer(query);
  };
  const auto at_zero = [](const answers::DelayAnswer& answer, std::size_t flow) {
    const auto& above =
        std::get<numeric::Enclosure<unit::Probability>>(answer.flows[flow].delay.above.front().probability);
    return static_cast<double>(above.lower());
  };
  const std::string bursts =
      "hosts = ['a', 'b', 'd']\nswitches = ['s']\n[[link]]\nfrom = ['a', 'b']\nto = 's'\n[[link]]\nfrom = "
      "'s'\nto = 'd'\n[[flow]]\nfrom = 'a'\nto = 'd'\nrate = 0.01\nburst = 2\n[[flow]]\nfrom = 'b'\nto = "
      "'d'\nrate = 0.9\nburst = 20\n";
  const auto unlike = certified(bursts);
  CHECK(unlike.proved());
  const auto mean = [&](std::size_t flow) {
    return static_cast<double>(
        std::get<numeric::Enclosure<unit::Slot>>(unlike.flows[flow].delay.mean_queueing).lower());
  };
  // All packets together wait 0.327473 slots on average.
  CHECK(mean(0) * 0.01 / 0.91 + mean(1) * 0.9 / 0.91 == Approx(0.327473).epsilon(1e-5));
  CHECK(mean(0) > 1.5);
  // The same rate, other bursts: not identical.
  const auto same_rate = certified(
      "hosts = ['a', 'b', 'd']\nswitches = ['s']\n[[link]]\nfrom = ['a', 'b']\nto = 's'\n[[link]]\nfrom = "
      "'s'\nto = 'd'\n[[flow]]\nfrom = 'a'\nto = 'd'\nrate = 0.4\nburst = 2\n[[flow]]\nfrom = 'b'\nto = "
      "'d'\nrate = 0.4\nburst = 20\n");
  CHECK(at_zero(same_rate, 0) != Approx(at_zero(same_rate, 1)).epsilon(1e-6));
}

TEST_CASE("hops: a source that arrives over paths of different delay is not certified") {
  DelayQuery query = of_tree({});
  query.drop = bounds::DropTarget{.probability = rational("1e-3")};
  // 1/2 of a's packets reach t -> d a slot later: never in the slot after one that came directly.
  query.topology = topology_of_text(
      "hosts = ['a', 'b', 'd']\nswitches = ['s', 't', 'u']\n[[link]]\nfrom = 'a'\nto = 's'\n[[link]]\nfrom = "
      "'b'\nto = 't'\n[[link]]\nfrom = 's'\nto = ['t', 'u']\n[[link]]\nfrom = 'u'\nto = 't'\n[[link]]\nfrom "
      "= "
      "'t'\nto = 'd'\n[[flow]]\nfrom = 'a'\nto = 'd'\nrate = 0.5\nroutes = [{share = '1/2', path = ['s', "
      "'t']}, "
      "{share = '1/2', path = ['s', 'u', 't']}]\n[[flow]]\nfrom = 'b'\nto = 'd'\nrate = 0.25\n");
  const auto answer = answers::answer(query);
  CHECK_FALSE(answer.flows[1].one_queue);
  CHECK_FALSE(answer.proved());
  const auto& last = answer.buffers[answer.paths.flows[1].longest.back()];
  CHECK(std::holds_alternative<numeric::Approximation<unit::Probability>>(last->at));
}

TEST_CASE("hops: a source that arrives over several queues can meet itself") {
  DelayQuery query = of_tree({});
  query.drop = bounds::DropTarget{.probability = rational("1e-3")};
  query.topology = topology_of_text(
      "hosts = ['a', 'b', 'd', 'e']\nswitches = ['l', 'm', 'p', 'q']\n[[link]]\nfrom = ['a', 'b']\nto = 'l'\n"
      "[[link]]\nfrom = 'l'\nto = ['p', 'q']\n[[link]]\nfrom = ['p', 'q']\nto = 'm'\n[[link]]\nfrom = "
      "'m'\nto = "
      "['d', 'e']\n[[flow]]\nfrom = 'a'\nto = 'd'\nrate = 0.9\npath = 'spread'\n[[flow]]\nfrom = 'b'\nto = "
      "'e'\nrate = 0.9\npath = 'spread'\n");
  const auto answer = answers::answer(query);
  const auto& last = answer.buffers[answer.paths.flows[0].longest.back()];
  CHECK(last->buffer > Packets(1));
  CHECK(std::holds_alternative<numeric::Approximation<unit::Probability>>(last->at));
}

TEST_CASE("hops: a tandem of bursts whose second queue never waits is one queue, certified") {
  DelayQuery query = of_tree({});
  query.drop = bounds::DropTarget{.probability = rational("1e-9")};
  query.topology = topology_of_text(
      "hosts = ['x', 'y', 'z', 'w']\nswitches = ['s', 't']\n[[link]]\nfrom = ['x', 'y']\nto = 's'\n"
      "[[link]]\nfrom = ['z', 'w']\nto = 't'\nboth = true\n[[link]]\nfrom = 's'\nto = 't'\n"
      "[[flow]]\nfrom = 'x'\nto = 'z'\nrate = 0.45\nburst = 8\n[[flow]]\nfrom = 'y'\nto = 'z'\nrate = "
      "0.45\nburst = 8\n");
  const auto answer = answers::answer(query);
  CHECK(answer.flows[0].one_queue);
  CHECK(answer.proved());
  const auto& mean = std::get<numeric::Enclosure<unit::Slot>>(answer.flows[0].delay.mean_queueing);
  CHECK(static_cast<double>(mean.lower()) == Approx(17.55).epsilon(1e-6));
  CHECK(answer.buffers[answer.paths.flows[0].longest[1]]->buffer == Packets(1));
}

TEST_CASE("hops: where the chain of trees contradicts itself another model answers, and says why") {
  // Four spines, each bringing a total source rate of more than half a packet per slot.
  DelayQuery query = of_tree({});
  query.topology = topology_of_text(
      "hosts = 'h[0..15]'\nswitches = 'leaf[0..3], spine[0..3]'\n"
      "[[link]]\neach = 'i = 0..15'\nfrom = 'h[i]'\nto = 'leaf[i/4]'\nboth = true\n"
      "[[link]]\neach = 'l = 0..3, s = 0..3'\nfrom = 'leaf[l]'\nto = 'spine[s]'\nboth = true\n"
      "[traffic]\npermutation = 'shift'\nshift = 4\nrate = 0.8\nroute = 'spread'\n");
  const auto answer = answers::answer(query);
  CHECK(answer.flows[0].hops == Hops::chain);
  CHECK(answer.flows[0].hops_reason.find("contradicts itself") != std::string::npos);
  for (const auto& above : answer.flows[0].delay.above)
    CHECK(std::get<numeric::Approximation<unit::Probability>>(above.probability).value <= 1);
}

TEST_CASE("hops: beyond the reach of a chain hops are independent, with a reason") {
  DelayQuery query = of_tree({});
  query.levels = {Slots(5000)};
  CHECK(answers::answer(query).flows[0].hops == Hops::independent);
  query.hops = Hops::chain;
  CHECK_THROWS_AS(answers::answer(query), LimitExceeded);
}

TEST_CASE("hops: reorder buffers of a chain are computed, of a bound rejected") {
  DelayQuery query = of_tree({});
  query.reorder = answers::ReorderTargets{.probability = rational("1e-6"), .levels = {Packets(2)}};
  const auto chain = answers::answer(query);
  REQUIRE(chain.flows[0].reorder);
  CHECK(chain.flows[0].reorder->computed);
  query.hops = Hops::independent;
  const auto independent = answers::answer(query);
  CHECK(independent.flows[0].reorder->computed);
  const auto difference =
      chain.flows[0].reorder->size->buffer.value - independent.flows[0].reorder->size->buffer.value;
  CHECK(std::abs(difference) <= 3);
  query.hops = Hops::bound;
  CHECK_THROWS_AS(answers::answer(query), InvalidArgument);
}

TEST_CASE("hops: latencies in ns for routes of several lengths, with chain and bound") {
  DelayQuery query = of_tree({});
  std::get<answers::TreeTopology>(query.topology).routing = network::TreeRouting::nearest_ancestor;
  query.units.packet_bytes = 125;
  query.units.link_gbps = rational("100");  // a slot of 10 ns
  query.hop_ns = Rational(25);
  const auto chain = answers::answer(query);
  query.hops = Hops::bound;
  const auto bound = answers::answer(query);
  for (std::size_t i = 0; i < 2; ++i) {
    const Rational& minimum = chain.flows[0].latency_ns[i];
    CHECK(minimum >= Rational(static_cast<long>(chain.flows[0].delay.latency[i].slots.value)) * 10);
    CHECK(bound.flows[0].latency_ns[i] > minimum);
  }
}

TEST_CASE("hops: a chain agrees with simulations, a bound exceeds them") {
  answers::ValidateDelayQuery query{.topology =
                                        answers::TreeTopology{.tree = {4, 2}, .load = rational("0.8")}};
  query.levels = {Slots(0), Slots(4), Slots(12)};
  query.length.slots = 40'000;
  query.length.seed = 3;
  const auto chain = answers::answer(query);
  CHECK(chain.hops == Hops::chain);
  for (std::size_t i = 0; i < query.levels.size(); ++i) {
    const auto& above = chain.rows.at(i).probability();
    const auto& predicted = std::get<numeric::Approximation<unit::Probability>>(*above.predicted);
    CHECK(static_cast<double>(predicted.value) == Approx(above.simulated.value).epsilon(0.06));
  }
  query.hops = Hops::bound;
  const auto bound = answers::answer(query);
  CHECK(bound.hops == Hops::bound);
  CHECK(bound.tally.rows() == chain.tally.rows());
}
