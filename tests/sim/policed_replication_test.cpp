#include <tailbound/bounds/guarantee/slotted_guarantee.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/sim/policed/simulate_policed.hpp>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <tests/support/cut_replication.hpp>
#include <tests/support/policed_adversary.hpp>
#include <tests/support/policed_ports.hpp>
#include <tests/support/rational.hpp>
#include <vector>

using namespace tailbound;
using namespace tailbound::test;
using bounds::slotted_guarantee;
using bounds::SlottedGuarantee;
using network::PolicedNetwork;
using sim::Counts;
using sim::make_policed_replication;
using sim::PolicedModel;
using sim::PolicedRows;
using sim::PolicedSending;

namespace {

constexpr PolicedSending sendings[] = {PolicedSending::random, PolicedSending::greedy,
                                       PolicedSending::periodic, PolicedSending::together};

std::int64_t largest(const std::vector<std::uint64_t>& histogram) {
  auto value = static_cast<std::int64_t>(histogram.size()) - 1;
  while (value > 0 && histogram[static_cast<std::size_t>(value)] == 0) --value;
  return std::max<std::int64_t>(value, 0);
}

struct MaxSeen {
  std::vector<std::int64_t> backlog, delay;
};
MaxSeen max_seen(const PolicedModel& model, std::int64_t slots, std::uint64_t seed = 1) {
  const auto replication = make_policed_replication(model, {seed, 0});
  replication->advance(slots);
  const Counts counts = replication->take_counts();
  const PolicedRows rows(model.network);
  MaxSeen seen;
  for (std::size_t port = 0; port < rows.ports; ++port)
    seen.backlog.push_back(largest(counts[rows.backlog(port)]));
  for (std::size_t flow = 0; flow < rows.flows; ++flow)
    seen.delay.push_back(largest(counts[rows.delay(flow)]));
  return seen;
}

/// Three ports, flows of several buckets of odd numbers, one of each kind of rate.
PolicedNetwork mixed_ports() {
  PolicedNetwork network = slotted_ports(3);
  add_flow(network, {0, 1, 2}, {{rational("2/7"), rational("3.3")}});
  add_flow(network, {0, 2}, {{rational("1/5"), rational("4")}, traffic::one_per_slot()});
  add_flow(network, {1, 2}, {{rational("1/9"), rational("5.5")}, {rational("1/2"), rational("2")}});
  add_flow(network, {0}, {{rational("2/5"), rational("1")}});
  add_flow(network, {1}, {{rational("3/11"), rational("1.25")}, {rational("4/3"), rational("1.5")}});
  return network;
}

double mean_of(const std::vector<std::uint64_t>& histogram) {
  double sum = 0;
  for (std::size_t value = 0; value < histogram.size(); ++value)
    sum += static_cast<double>(value) * static_cast<double>(histogram[value]);
  return sum;
}

}  // namespace

TEST_CASE("policed simulation: flows conform to their buckets, token by token and window by window") {
  const PolicedNetwork network = mixed_ports();
  for (const PolicedSending sending : sendings) {
    INFO(names_of(sending)[static_cast<std::size_t>(sending)]);
    const auto replication = make_policed_replication({network, {sending}}, {5, 0});
    const std::size_t slots = 6'000;
    std::vector<std::vector<std::int64_t>> sent(network.flows.size(), std::vector<std::int64_t>(slots));
    replication->watch([&](std::uint64_t slot, std::size_t flow, std::int64_t packets) {
      sent.at(flow).at(slot) += packets;
    });
    replication->advance(static_cast<std::int64_t>(slots));
    for (std::size_t flow = 0; flow < network.flows.size(); ++flow) {
      INFO("flow " << flow);
      const std::vector<traffic::TokenBucket>& buckets = network.flows[flow].buckets;
      std::int64_t wrong = 0, packets = 0;
      for (const traffic::TokenBucket& bucket : buckets) {
        numeric::Rational held = bucket.burst;
        for (const std::int64_t now : sent[flow]) {
          held = held + bucket.rate;
          if (held > bucket.burst) held = bucket.burst;
          held = held - numeric::Rational(now);
          if (held < 0) ++wrong;
        }
      }
      const traffic::GreedyPattern pattern(buckets);
      for (std::size_t from = 0; from < slots; ++from) {
        std::int64_t sum = 0;
        for (std::size_t m = 0; m < 60 && from + m < slots; ++m) {
          sum += sent[flow][from + m];
          if (sum > pattern.maximum(static_cast<std::int64_t>(m))) ++wrong;
        }
        packets += sent[flow][from];
      }
      CHECK(wrong == 0);
      // Fraction of the long-run rate of the buckets.
      const double share = static_cast<double>(packets) /
                           (static_cast<double>(slots) * numeric::nearest_double(pattern.rate()));
      if (sending == PolicedSending::greedy || sending == PolicedSending::periodic)
        CHECK(share == Approx(1).epsilon(0.02));
      else
        CHECK(share > 0.15);
    }
  }
}

TEST_CASE("policed simulation: one port matches its arrivals, slot by slot") {
  PolicedNetwork network = slotted_ports(1);
  for (int flow = 0; flow < 5; ++flow) add_flow(network, {0}, {{ratio(1, 6), numeric::Rational(2 + flow)}});
  for (const PolicedSending sending : sendings) {
    const auto replication = make_policed_replication({network, {sending}}, {3, 0});
    std::int64_t came = 0, backlog = 0;
    replication->watch([&](std::uint64_t, std::size_t, std::int64_t packets) { came += packets; });
    std::int64_t wrong = 0;
    for (int slot = 0; slot < 20'000; ++slot) {
      came = 0;
      replication->advance(1);
      backlog = std::max<std::int64_t>(backlog - 1, 0) + came;
      if (replication->backlogs().front() != backlog) ++wrong;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("policed simulation: packets are conserved, and their delays match the queues") {
  PolicedNetwork network = mixed_ports();
  network.classes = {"high", "low"};
  network.flows[0].traffic_class = 1;
  network.flows[4].traffic_class = 1;
  for (const auto scheduler : {network::Scheduler::fifo, network::Scheduler::priority}) {
    for (network::PolicedPort& port : network.ports) port.scheduler = scheduler;
    const auto replication = make_policed_replication({network, {PolicedSending::together}}, {9, 0});
    const PolicedRows rows(network);
    replication->advance(5'000);
    const auto inside = [&] {
      const std::vector<std::int64_t> lengths = replication->backlogs();
      return std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
    };
    for (int more = 0; inside() > 0 && more < 5'000; ++more) replication->advance(1);
    REQUIRE(inside() == 0);
    const Counts counts = replication->take_counts();
    double in_queues = 0, delays = 0, of_classes = 0;
    std::uint64_t left = 0, minimum = 0;
    for (std::size_t port = 0; port < rows.ports; ++port) {
      in_queues += mean_of(counts[rows.backlog(port)]);
      for (std::size_t number = 0; number < 2; ++number)
        of_classes += mean_of(counts[rows.of_class(port, number)]);
    }
    for (std::size_t flow = 0; flow < rows.flows; ++flow) {
      const auto& histogram = counts[rows.delay(flow)];
      delays += mean_of(histogram);
      const std::uint64_t packets = std::accumulate(histogram.begin(), histogram.end(), std::uint64_t{0});
      CHECK(packets == counts[PolicedRows::sent][flow]);
      left += packets;
      for (std::size_t slots = 0; slots < network.flows[flow].path.size() && slots < histogram.size();
           ++slots)
        minimum += histogram[slots];
    }
    CHECK(left > 2'500);
    CHECK(in_queues == delays);
    CHECK(minimum == 0);
    CHECK(of_classes == (scheduler == network::Scheduler::priority ? in_queues : 0));
  }
}

TEST_CASE("policed simulation: periodic flows match the exact distribution over phases") {
  // Three flows of a packet every five slots, phases independent: P(Q > 0) = 3/5, P(Q > 1) = 17/125, P(Q > 2)
  // = 1/125.
  PolicedNetwork network = slotted_ports(1);
  for (int flow = 0; flow < 3; ++flow) add_flow(network, {0}, {{ratio(1, 5), 1}});
  const int runs = 20'000;
  std::vector<double> above(3);
  for (int run = 0; run < runs; ++run) {
    const auto replication = make_policed_replication({network, {PolicedSending::periodic}},
                                                      {77, static_cast<std::uint64_t>(run)});
    replication->advance(10);
    static_cast<void>(replication->take_counts());
    replication->advance(5);
    const Counts counts = replication->take_counts();
    const auto& histogram = counts[PolicedRows(network).backlog(0)];
    for (std::size_t q = 0; q < 3; ++q)
      for (std::size_t length = q + 1; length < histogram.size(); ++length)
        above[q] += static_cast<double>(histogram[length]) / 5 / runs;
  }
  CHECK(above[0] == Approx(0.6).margin(1e-9));
  // Four standard deviations of a run's fraction, at most sqrt(p / 5) each.
  CHECK(std::abs(above[1] - 0.136) < 4 * std::sqrt(0.136 / runs));
  CHECK(std::abs(above[2] - 0.008) < 4 * std::sqrt(0.008 / runs));
}

TEST_CASE("policed simulation: greedy flows attain the backlog bound of one port") {
  for (const auto& [flows, unit, burst, peak] : {std::tuple{3, 4, 3, true},
                                                 {3, 4, 2, false},
                                                 {10, 11, 10, true},
                                                 {60, 80, 5, true},
                                                 {20, 20, 3, false}}) {
    PolicedNetwork network = slotted_ports(1);
    for (int flow = 0; flow < flows; ++flow) {
      std::vector<traffic::TokenBucket> buckets{{ratio(1, unit), numeric::Rational(burst)}};
      if (peak) buckets.push_back(traffic::one_per_slot());
      add_flow(network, {0}, buckets);
    }
    const SlottedGuarantee bound = slotted_guarantee(network);
    REQUIRE(bound.attained.front());
    CHECK(max_seen({network, {PolicedSending::greedy}}, 2'000).backlog == bound.backlog);
    const MaxSeen seen = max_seen({network, {PolicedSending::together}}, 100'000);
    CHECK(seen.backlog == bound.backlog);
    CHECK(*std::max_element(seen.delay.begin(), seen.delay.end()) == bound.delay.front());
  }
}

TEST_CASE("policed simulation: small networks attain their worst case exactly") {
  for (const auto& [network, max_delay] : {std::pair{identical(2, {{0, 1}, {0}, {1}}, "2", "1/3"), 7},
                                           {identical(3, {{0, 2}, {0, 2}, {1, 2}, {1, 2}}, "2", "1/4"), 9},
                                           {identical(3, {{0, 1}, {1, 2}, {2, 0}}, "1", "1/3"), 4}}) {
    INFO(text_of(network));
    const PolicedTruth truth = policed_truth(network);
    REQUIRE(truth.finished);
    MaxSeen maximum{std::vector<std::int64_t>(network.ports.size()),
                    std::vector<std::int64_t>(network.flows.size())};
    for (const PolicedSending sending : sendings) {
      const MaxSeen seen = max_seen({network, {sending}}, 200'000);
      for (std::size_t port = 0; port < network.ports.size(); ++port) {
        CHECK(seen.backlog[port] <= truth.backlog[port]);
        maximum.backlog[port] = std::max(maximum.backlog[port], seen.backlog[port]);
      }
      for (std::size_t flow = 0; flow < network.flows.size(); ++flow) {
        CHECK(seen.delay[flow] <= truth.delay[flow]);
        maximum.delay[flow] = std::max(maximum.delay[flow], seen.delay[flow]);
      }
    }
    CHECK(maximum.backlog == truth.backlog);
    CHECK(maximum.delay == truth.delay);
    CHECK(maximum.delay.front() == max_delay);
  }
}

namespace {

void compare_with_guarantees(int networks, std::int64_t slots) {
  std::mt19937 random(23);
  int backlogs = 0, attained = 0, delays = 0, attained_delays = 0, rejected = 0;
  double share = 0;
  for (int number = 0; number < networks; ++number) {
    const PolicedNetwork network = random_ports(
        random,
        {.min_ports = 2, .max_ports = 8, .min_flows = 4, .max_flows = 16, .slowest = 20, .max_burst = 8});
    INFO(text_of(network));
    SlottedGuarantee bound;
    try {
      bound = slotted_guarantee(network);
    } catch (const LimitExceeded&) {  // at a load close to 1
      ++rejected;
      continue;
    }
    MaxSeen maximum{std::vector<std::int64_t>(network.ports.size()),
                    std::vector<std::int64_t>(network.flows.size())};
    for (const PolicedSending sending : sendings) {
      const MaxSeen seen = max_seen({network, {sending}}, slots, static_cast<std::uint64_t>(number));
      for (std::size_t port = 0; port < network.ports.size(); ++port)
        maximum.backlog[port] = std::max(maximum.backlog[port], seen.backlog[port]);
      for (std::size_t flow = 0; flow < network.flows.size(); ++flow)
        maximum.delay[flow] = std::max(maximum.delay[flow], seen.delay[flow]);
    }
    for (std::size_t port = 0; port < network.ports.size(); ++port) {
      CHECK(maximum.backlog[port] <= bound.backlog[port]);
      if (bound.attained[port] && bound.backlog[port] > 0)
        CHECK(maximum.backlog[port] == bound.backlog[port]);
      if (bound.backlog[port] == 0) continue;
      ++backlogs;
      attained += maximum.backlog[port] == bound.backlog[port] ? 1 : 0;
      share += static_cast<double>(maximum.backlog[port]) / static_cast<double>(bound.backlog[port]);
    }
    for (std::size_t flow = 0; flow < network.flows.size(); ++flow) {
      CHECK(maximum.delay[flow] <= bound.delay[flow]);
      ++delays;
      attained_delays += maximum.delay[flow] == bound.delay[flow] ? 1 : 0;
    }
  }
  CHECK(50 * rejected <= networks);
  WARN(networks << " networks of up to 8 ports, simulated: attained are " << attained << " of " << backlogs
                << " backlogs and " << attained_delays << " of " << delays
                << " delays; on average a backlog of " << share / backlogs << " of the guarantee is seen");
}

}  // namespace

TEST_CASE("policed simulation: never above the guarantee") {
  compare_with_guarantees(40, 5'000);
}

TEST_CASE("policed simulation: many networks, never above the guarantee", "[.full]") {
  compare_with_guarantees(500, 20'000);
}

TEST_CASE("policed simulation: strict priority, the highest class as if it were alone") {
  PolicedNetwork network = slotted_ports(1);
  network.classes = {"high", "low"};
  network.ports[0].scheduler = network::Scheduler::priority;
  PolicedNetwork all = slotted_ports(1), high = slotted_ports(1);
  for (int flow = 0; flow < 8; ++flow) {
    const std::vector<traffic::TokenBucket> buckets{{ratio(1, 10), numeric::Rational(2 + flow % 3)},
                                                    traffic::one_per_slot()};
    add_flow(network, {0}, buckets);
    network.flows.back().traffic_class = static_cast<std::size_t>(flow % 2);
    add_flow(all, {0}, buckets);
    if (flow % 2 == 0) add_flow(high, {0}, buckets);
  }
  const auto replication = make_policed_replication({network, {PolicedSending::together}}, {1, 0});
  replication->advance(50'000);
  const Counts counts = replication->take_counts();
  const PolicedRows rows(network);
  CHECK(largest(counts[rows.backlog(0)]) == slotted_guarantee(all).backlog.front());
  CHECK(largest(counts[rows.of_class(0, 0)]) == slotted_guarantee(high).backlog.front());
  for (std::size_t flow = 0; flow < 8; flow += 2)
    CHECK(largest(counts[rows.delay(flow)]) <= slotted_guarantee(high).backlog.front());
}

TEST_CASE("policed simulation: a split, saved and loaded run equals a whole one") {
  PolicedNetwork network = mixed_ports();
  network.classes = {"high", "low"};
  network.ports[1].scheduler = network::Scheduler::priority;
  network.flows[2].traffic_class = 1;
  for (const std::vector<PolicedSending>& sending :
       {std::vector<PolicedSending>{PolicedSending::random},
        {PolicedSending::together},
        {PolicedSending::periodic, PolicedSending::random, PolicedSending::greedy, PolicedSending::together,
         PolicedSending::periodic}}) {
    const auto whole = make_policed_replication({network, sending}, {4, 2});
    const auto parts = make_policed_replication({network, sending}, {4, 2});
    whole->advance(9'000);
    const auto fresh = make_policed_replication({network, sending}, {4, 2});
    advance_in_parts(*parts, 4'000);
    // Also into another one.
    sim::ByteWriter writer;
    parts->save(writer);
    const std::string bytes = writer.take();
    sim::ByteReader reader(bytes);
    fresh->load(reader);
    fresh->advance(5'000);
    require_equal(whole->take_counts(), fresh->take_counts());
    for (std::size_t cut = 0; cut < bytes.size(); cut += 97) {
      sim::ByteReader short_reader(std::string_view(bytes).substr(0, cut));
      CHECK_THROWS_AS(fresh->load(short_reader), ParseError);
    }
  }
}

TEST_CASE("policed simulation: estimates of many replications") {
  const PolicedModel model{mixed_ports(), {PolicedSending::random}};
  const sim::RunPlan plan{.seed = 3, .replications = 4, .warmup = 1'000, .slots = 64'000, .batches = 16};
  const sim::PolicedEstimates estimates = sim::policed_estimates(
      model, sim::run_policed(model, plan, {.threads = 2}), {.backlog_levels = {0, 3}, .delay_levels = {3}});
  CHECK(estimates.batches == 64);
  CHECK(estimates.slots == 256'000);
  const SlottedGuarantee bound = slotted_guarantee(model.network);
  double in_queues = 0, delays = 0;
  for (std::size_t port = 0; port < 3; ++port) {
    CHECK(estimates.ports[port].largest <= bound.backlog[port]);
    CHECK(estimates.ports[port].tail[1].count <= estimates.ports[port].tail[0].count);
    CHECK(estimates.ports[port].of_classes.empty());
    in_queues += estimates.ports[port].mean.value;
  }
  for (std::size_t flow = 0; flow < 5; ++flow) {
    const sim::PolicedFlowEstimates& its = estimates.flows[flow];
    CHECK(its.largest <= bound.delay[flow]);
    REQUIRE(its.mean);
    CHECK(static_cast<double>(its.left) == Approx(static_cast<double>(its.sent)).epsilon(0.01));
    delays += its.mean->value * static_cast<double>(its.left);
  }
  // Little's law.
  CHECK(in_queues == Approx(delays / static_cast<double>(estimates.slots)).epsilon(0.01));
}

TEST_CASE("policed simulation: invalid parameters are rejected") {
  const auto made = [](const PolicedNetwork& network, const std::vector<PolicedSending>& sending) {
    return make_policed_replication({network, sending}, {1, 0});
  };
  const PolicedNetwork network = mixed_ports();
  CHECK_THROWS_AS(made(network, {}), InvalidArgument);
  CHECK_THROWS_AS(made(network, {PolicedSending::greedy, PolicedSending::random}), InvalidArgument);
  PolicedNetwork other = network;
  other.ports[2].scheduler = network::Scheduler::drr;
  CHECK_THROWS_AS(made(other, {PolicedSending::greedy}), InvalidArgument);
  other = network;
  other.ports[0].rate = ratio(1, 2);
  CHECK_THROWS_AS(made(other, {PolicedSending::greedy}), InvalidArgument);
  other = network;
  other.flows[0].buckets.front().rate = 1;
  CHECK_THROWS_AS(made(other, {PolicedSending::greedy}), Unstable);
}
