#include <tailbound/answers/delay/delay.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tailbound/numeric/rational.hpp>

#include <catch2/catch.hpp>
#include <cmath>

namespace tailbound::answers {
namespace {

/// Waits with P(D > t) = first * ratio^t, in batches of about as many packets.
std::vector<sim::Counts> geometric(double first, double ratio, double packets, int batches) {
  std::vector<sim::Counts> all;
  double above = 1;
  for (int batch = 0; batch < batches; ++batch) {
    sim::Counts counts(1);
    above = 1;
    for (int t = 0; t < 12; ++t) {
      const double next = first * std::pow(ratio, t);
      counts[0].push_back(static_cast<std::uint64_t>(std::llround(packets * (above - next))));
      above = next;
    }
    counts[0].push_back(static_cast<std::uint64_t>(std::llround(packets * above)));
    counts[0][0] += static_cast<std::uint64_t>(batch % 3);
    all.push_back(counts);
  }
  return all;
}

SeenTimes seen(const std::vector<sim::Counts>& batches) {
  std::vector<const sim::Counts*> pointers;
  for (const sim::Counts& batch : batches) pointers.push_back(&batch);
  return {pointers, {{0, 0}}, [](std::size_t at) { return static_cast<double>(at); }, false};
}

double value(const Stated<unit::Probability>& number) {
  return span_of(number).upper;
}

bool is_extrapolated(const Stated<unit::Probability>& number) {
  return std::holds_alternative<numeric::Model<unit::Probability>>(number);
}

/// A convolved tail first * ratio^t, known up to `last`.
ConvolvedTail convolved(double first, double ratio, std::int64_t last = 1'000'000) {
  return [=](const std::vector<Slots>& levels) -> std::optional<std::vector<double>> {
    std::vector<double> tails;
    for (const Slots level : levels) {
      if (level.value > last) return std::nullopt;
      tails.push_back(first * std::pow(ratio, static_cast<double>(level.value)));
    }
    return tails;
  };
}

const ConvolvedTail none = [](const std::vector<Slots>&) { return std::nullopt; };

}  // namespace

TEST_CASE("extended tail: estimates down to the anchor, then its decay") {
  const auto batches = geometric(0.5, 0.5, 1e5, 16);
  const SeenTimes waits = seen(batches);
  ExtendedTail tail(waits, none, 0);
  CHECK_FALSE(is_extrapolated(tail.above(3)));
  CHECK(value(tail.above(3)) == Approx(0.5 * 0.125).epsilon(1e-3));
  CHECK(is_extrapolated(tail.above(40)));
  CHECK(value(tail.above(29)) == Approx(std::pow(0.5, 30)).epsilon(0.5));
  CHECK_FALSE(tail.anchor().power);
  // The smallest t with P(D > t) = 2^-(t + 1) <= 1e-9 is 29.
  CHECK(std::abs(tail.percentile(1e-9).t - 29) <= 1);
  CHECK_FALSE(tail.percentile(1e-9).at_most);
  CHECK(tail.percentile(0.1).t == 3);
  CHECK(tail.percentile(0.1).at_most);
}

TEST_CASE("extended tail: a convolved tail that falls equally is followed, another one is bent or omitted") {
  const auto batches = geometric(0.5, 0.5, 1e5, 16);
  const SeenTimes waits = seen(batches);
  const ConvolvedTail equal = convolved(0.7, 0.5), flatter = convolved(0.7, 0.6), off = convolved(0.7, 0.95),
                      ends = convolved(0.7, 0.5, 20);
  ExtendedTail follows(waits, equal, 0), bent(waits, flatter, 0), left(waits, off, 0), ended(waits, ends, 0);
  REQUIRE(follows.anchor().power);
  CHECK(*follows.anchor().power == Approx(1).epsilon(0.1));
  REQUIRE(bent.anchor().power);
  CHECK(*bent.anchor().power == Approx(std::log(0.5) / std::log(0.6)).epsilon(0.1));
  CHECK_FALSE(left.anchor().power);
  for (ExtendedTail* tail : {&follows, &bent, &left, &ended})
    CHECK(value(tail->above(29)) == Approx(std::pow(0.5, 30)).epsilon(0.6));
}

TEST_CASE("simulated delays: of one queue as proved, in slots and ns") {
  DelayQuery query{.topology =
                       TreeTopology{.tree = {.radix = 4, .levels = 1}, .load = numeric::Rational(7) / 10}};
  query.percentiles = {numeric::Rational(9) / 10, numeric::Rational(999'999) / 1'000'000};
  for (std::int64_t t = 0; t < 12; ++t) query.levels.emplace_back(t);
  query.units = {.packet_bytes = 64, .link_gbps = numeric::Rational(512) / 10};  // slots of 10 ns
  query.hop_ns = 5;
  const FlowDelay proved = answer(query).flows.front();
  CHECK(proved.kind == DelayKind::proved);
  const SimulatedDelays simulated = simulated_delays(query.topology, {}, DelayEffort::brief);
  DelayAnchor anchor;
  const StatedDelay found =
      simulated_delay(simulated, std::nullopt, {query.levels, query.percentiles}, none, anchor);
  const double mean = span_of(proved.delay.mean_queueing).upper;
  const auto& estimate = std::get<numeric::Estimate<unit::Slot>>(found.mean_queueing);
  CHECK(std::abs(estimate.value - mean) < 3 * (estimate.upper - estimate.value));
  for (std::size_t t = 0; t < query.levels.size(); ++t)
    CHECK(value(found.above[t].probability) == Approx(value(proved.delay.above[t].probability)).epsilon(0.3));
  CHECK(found.latency[0].slots == proved.delay.latency[0].slots);
  CHECK(std::abs((found.latency[1].slots - proved.delay.latency[1].slots).value) <= 1);
  const SimulatedTimes times = simulated_latency_ns(simulated, std::nullopt, query.percentiles, none, 10, 5);
  CHECK(times.percentiles[0] == proved.latency_ns[0]);
}

TEST_CASE("delay: bursts through several queues are simulated, equivalent flows once") {
  const NetworkTopology network{.network = network::read_network(R"(
hosts = ["a", "b", "c", "d"]
switches = ["s", "t"]
link = [{from = ["a", "b"], to = "s", both = true}, {from = ["c", "d"], to = "t", both = true},
  {from = "s", to = "t", both = true}]
flow = [{from = "a", to = "c", rate = 0.25, burst = 4}, {from = "b", to = "c", rate = 0.25, burst = 4},
  {from = "c", to = "a", rate = 0.2}, {from = "d", to = "c", rate = 0.2, burst = 4}]
)",
                                                                 "test")
                                               .network};
  DelayQuery query{.topology = network};
  query.percentiles = {numeric::Rational(99) / 100};
  query.levels = {Slots(0), Slots(5)};
  query.by = DelayBy::best;
  const DelayAnswer answer = answers::answer(query);
  REQUIRE(answer.flows.size() == 4);
  CHECK(answer.flows[0].kind == DelayKind::simulated);
  CHECK(answer.flows[2].kind == DelayKind::proved);  // alone along its path
  CHECK(value(answer.flows[0].delay.above[0].probability) ==
        value(answer.flows[1].delay.above[0].probability));
  CHECK(answer.flows[0].anchor);
  query.by = DelayBy::analysis;
  const DelayAnswer analysis = answers::answer(query);
  CHECK(analysis.flows[0].kind == DelayKind::convolved);
  CHECK_FALSE(analysis.check);
  // One seed, one answer.
  query.by = DelayBy::best;
  CHECK(value(answers::answer(query).flows[0].delay.above[1].probability) ==
        value(answer.flows[0].delay.above[1].probability));
}

}  // namespace tailbound::answers
