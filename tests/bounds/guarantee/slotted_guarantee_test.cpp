#include <tailbound/bounds/guarantee/slotted_guarantee.hpp>
#include <tailbound/core/error.hpp>

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <tests/support/policed_adversary.hpp>
#include <tests/support/policed_ports.hpp>
#include <tests/support/rational.hpp>
#include <vector>

using namespace tailbound;
using namespace tailbound::test;
using bounds::slotted_guarantee;
using bounds::SlottedGuarantee;
using network::PolicedNetwork;

namespace {

using Counts = std::vector<std::int64_t>;

const Paths one_port{{0}, {0}, {0}};
const Paths two_ports{{0, 1}, {0}, {1}};
const Paths three_ports{{0, 1, 2}, {0}, {1}, {2}};
const Paths tree{{0, 2}, {0, 2}, {1, 2}, {1, 2}};

struct Attained {
  int networks = 0, finished = 0, backlogs = 0, exact_backlogs = 0, delays = 0, exact_delays = 0;
};

Attained compare_random_ports(int networks, std::uint32_t seed, const AdversaryLimits& limits) {
  std::mt19937 random(seed);
  Attained tally;
  for (; tally.networks < networks; ++tally.networks) {
    const PolicedNetwork network = random_ports(random);
    INFO(text_of(network));
    const SlottedGuarantee bound = slotted_guarantee(network);
    const PolicedTruth truth = policed_truth(network, limits);
    if (truth.finished) ++tally.finished;
    for (std::size_t port = 0; port < network.ports.size(); ++port) {
      CHECK(truth.backlog[port] <= bound.backlog[port]);
      if (!truth.finished || bound.backlog[port] == 0) continue;
      if (bound.attained[port]) CHECK(truth.backlog[port] == bound.backlog[port]);
      ++tally.backlogs;
      tally.exact_backlogs += truth.backlog[port] == bound.backlog[port] ? 1 : 0;
    }
    for (std::size_t flow = 0; flow < network.flows.size(); ++flow) {
      CHECK(truth.delay[flow] <= bound.delay[flow]);
      if (!truth.finished) continue;
      ++tally.delays;
      tally.exact_delays += truth.delay[flow] == bound.delay[flow] ? 1 : 0;
    }
  }
  WARN(tally.networks << " networks, " << tally.finished << " of them whole: attained are "
                      << tally.exact_backlogs << " of " << tally.backlogs << " backlogs and "
                      << tally.exact_delays << " of " << tally.delays << " delays");
  return tally;
}

}  // namespace

TEST_CASE("guarantees in slots: small networks, bound and true value") {
  struct Row {
    PolicedNetwork network;
    Counts bound, truth;
    std::int64_t delay_bound, delay;  ///< of flow 0
  };
  const std::vector<Row> rows{
      {identical(1, one_port, "2", "1/4"), {6}, {6}, 6, 6},
      {identical(1, one_port, "3", "1/4", true), {8}, {8}, 8, 8},
      {identical(2, two_ports, "2", "1/3"), {4, 3}, {4, 3}, 7, 7},
      {identical(2, two_ports, "2", "1/3", true), {3, 3}, {3, 3}, 6, 5},
      {identical(2, two_ports, "3", "1/3"), {6, 5}, {6, 5}, 11, 10},
      {identical(2, two_ports, "3", "1/3", true), {5, 5}, {5, 5}, 10, 8},
      {identical(3, three_ports, "1", "1/3"), {2, 2, 2}, {2, 2, 2}, 6, 6},
      {identical(3, three_ports, "2", "1/4"), {4, 3, 3}, {4, 3, 3}, 10, 10},
      {identical(3, tree, "2", "1/4"), {4, 4, 8}, {4, 4, 7}, 12, 9},
      {identical(3, tree, "2", "1/4", true), {3, 3, 8}, {3, 3, 7}, 11, 9},
  };
  for (const Row& row : rows) {
    INFO(text_of(row.network));
    const SlottedGuarantee bound = slotted_guarantee(row.network);
    CHECK(bound.backlog == row.bound);
    CHECK(bound.delay.front() == row.delay_bound);
    const PolicedTruth truth = policed_truth(row.network);
    REQUIRE(truth.finished);
    CHECK(truth.backlog == row.truth);
    CHECK(truth.delay.front() == row.delay);
  }
}

TEST_CASE("guarantees in slots: one port, closed form for equal flows") {
  // B = N + floor((N - 1)(b - 1)/(1 - r)) where (b - 1)/(1 - r) is whole.
  for (const auto& [flows, burst, unit] :
       {std::tuple{3, 4, 4}, {10, 10, 10}, {100, 125, 125}, {40, 79, 40}}) {
    if (flows >= unit) continue;
    const std::int64_t at = (burst - 1) * unit / (unit - 1);
    if (at * (unit - 1) != (burst - 1) * unit) continue;
    PolicedNetwork network = slotted_ports(1);
    for (int flow = 0; flow < flows; ++flow)
      add_flow(network, {0}, {{ratio(1, unit), numeric::Rational(burst)}, traffic::one_per_slot()});
    const SlottedGuarantee bound = slotted_guarantee(network);
    CHECK(bound.backlog.front() == flows + (flows - 1) * at);
    CHECK(bound.attained.front());
  }
  // Without a peak rate: the bucket depths.
  CHECK(slotted_guarantee(identical(1, one_port, "5", "1/4")).backlog.front() == 15);
}

namespace {

using Patterns = std::vector<traffic::GreedyPattern>;

std::int64_t most_of(const Patterns& patterns, const std::vector<std::size_t>& flows, std::int64_t m) {
  std::int64_t sum = 0;
  for (const std::size_t flow : flows) sum += patterns[flow].maximum(m);
  return sum;
}

/// Arrivals of `group` at the next port in m + 1 slots, by the literal formula over all v and L.
std::int64_t leaving_as_written(const Patterns& patterns, const std::vector<std::size_t>& group,
                                const std::vector<std::size_t>& cross, std::int64_t m) {
  std::int64_t maximum = 0;
  // A busy period has more packets than slots at every time.
  for (std::int64_t served = 0; most_of(patterns, group, served) + most_of(patterns, cross, served) > served;
       ++served)
    for (std::int64_t v = 0; v <= served; ++v) {
      const std::int64_t others = most_of(patterns, cross, v);
      if (served >= others + most_of(patterns, group, v)) continue;
      maximum = std::max(maximum, std::min(most_of(patterns, group, m + served - v),
                                           most_of(patterns, group, m + served) -
                                               std::max<std::int64_t>(0, served - others)));
    }
  return std::min(maximum, m + 1);
}

}  // namespace

TEST_CASE("guarantees in slots: two ports, the literal formula") {
  std::mt19937 random(41);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  int together = 0;
  for (int round = 0; round < 60; ++round) {
    PolicedNetwork network = slotted_ports(2);
    std::vector<std::size_t> on, ends, begins;  // from port 0 to port 1, at port 0 alone, at port 1 alone
    for (const auto& [flows, path] :
         {std::pair{&on, std::vector<std::size_t>{0, 1}}, {&ends, {0}}, {&begins, {1}}})
      for (int count = pick(1, 3); count > 0; --count) {
        flows->push_back(network.flows.size());
        std::vector<traffic::TokenBucket> buckets{{ratio(1, pick(7, 12)), ratio(pick(4, 16), 4)}};
        if (pick(0, 2) == 0) buckets.push_back(traffic::one_per_slot());
        add_flow(network, path, buckets);
      }
    INFO(text_of(network));
    Patterns patterns;
    for (const network::PolicedFlow& flow : network.flows) patterns.emplace_back(flow.buckets);
    std::int64_t backlog = 0;
    for (std::int64_t m = 0;; ++m) {
      std::int64_t one_by_one = 0;
      for (const std::size_t flow : on) {
        std::vector<std::size_t> others = ends;
        for (const std::size_t other : on)
          if (other != flow) others.push_back(other);
        one_by_one += leaving_as_written(patterns, {flow}, others, m);
      }
      const std::int64_t group = leaving_as_written(patterns, on, ends, m);
      if (group < std::min(one_by_one, m + 1)) ++together;
      const std::int64_t left = std::min(group, one_by_one) + most_of(patterns, begins, m) - m;
      if (left <= 0) break;
      backlog = std::max(backlog, left);
    }
    CHECK(slotted_guarantee(network).backlog[1] == backlog);
  }
  CHECK(together > 10);
}

TEST_CASE("guarantees in slots: random networks, never below an adversary") {
  const Attained tally = compare_random_ports(40, 7, {.states = 100'000, .steps = 2'000'000});
  CHECK(tally.finished >= 25);
  CHECK(10 * tally.exact_backlogs >= 9 * tally.backlogs);
}

TEST_CASE("guarantees in slots: many random networks, never below an adversary", "[.full]") {
  const Attained tally = compare_random_ports(400, 11, {.states = 1'000'000, .steps = 20'000'000});
  CHECK(tally.finished >= 250);
  CHECK(10 * tally.exact_backlogs >= 9 * tally.backlogs);
}

TEST_CASE("the adversary handles rings and reports where it stopped") {
  const Paths ring{{0, 1}, {1, 2}, {2, 0}};
  const PolicedNetwork network = identical(3, ring, "1", "1/3");
  const PolicedTruth truth = policed_truth(network);
  REQUIRE(truth.finished);
  CHECK(truth.backlog == Counts{2, 2, 2});
  CHECK(truth.delay == Counts{4, 4, 4});
  CHECK_FALSE(policed_truth(network, {.states = 10, .steps = 1'000}).finished);
  CHECK_THROWS_AS(slotted_guarantee(network), InvalidArgument);
}

TEST_CASE("guarantees in slots: errors") {
  CHECK_THROWS_AS(slotted_guarantee(identical(1, one_port, "2", "2/5")), Unstable);
  CHECK_THROWS_AS(slotted_guarantee(identical(1, one_port, "1/2", "1/5")), InvalidArgument);
  CHECK_THROWS_AS(slotted_guarantee(identical(1, {{}}, "2", "1/5")), InvalidArgument);
  CHECK_THROWS_AS(slotted_guarantee(identical(1, {{1}}, "2", "1/5")), InvalidArgument);
  CHECK_THROWS_AS(slotted_guarantee(identical(2, two_ports, "9000000", "999999/3000000")), LimitExceeded);
  for (const auto& change : std::vector<void (*)(PolicedNetwork&)>{
           [](PolicedNetwork& n) { n.ports[0].rate = 2; }, [](PolicedNetwork& n) { n.ports[0].latency = 1; },
           [](PolicedNetwork& n) { n.ports[0].wire = 1; },
           [](PolicedNetwork& n) { n.ports[0].scheduler = network::Scheduler::priority; },
           [](PolicedNetwork& n) { n.ports[0].reshaped = true; },
           [](PolicedNetwork& n) { n.flows[0].longest = 2; },
           [](PolicedNetwork& n) {
             n.flows[0].path = {0, 0};
           },
           [](PolicedNetwork& n) { n.flows[0].traffic_class = 1; },
           [](PolicedNetwork& n) { n.flows[0].shortest = ratio(1, 2); }}) {
    PolicedNetwork network = identical(1, one_port, "2", "1/5");
    change(network);
    CHECK_THROWS_AS(slotted_guarantee(network), InvalidArgument);
  }
}
