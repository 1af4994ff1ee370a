#include <tailbound/core/error.hpp>
#include <tailbound/network/worms/hypercube_worms.hpp>
#include <tailbound/sim/broadcast/simulate_broadcasts.hpp>

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>
#include <tests/support/cut_replication.hpp>
#include <tests/support/estimate.hpp>
#include <tests/support/rigid_worms.hpp>
#include <tests/support/worm_ends.hpp>

/// Random runs have fixed seeds: a test that passes once passes always. If an interval must contain an exact
/// value, its confidence is such that one in 10 000 runs fails.
namespace tailbound::sim {
namespace {

using numeric::parse_rational;
using test::all_ends;
using test::sure;

BroadcastModel model_of(int dimensions, int virtual_channels, std::int64_t flits, const char* rate,
                        const char* broadcast, std::int64_t startup = 0) {
  return {.dimensions = dimensions,
          .virtual_channels = virtual_channels,
          .flits = flits,
          .rate = parse_rational(rate, "rate"),
          .broadcast = parse_rational(broadcast, "broadcast"),
          .startup = startup};
}

BroadcastEstimates simulated(const BroadcastModel& model, std::int64_t cycles,
                             std::vector<double> percentiles = {}) {
  const RunPlan plan{.seed = 5, .replications = 4, .warmup = cycles / 10, .slots = cycles, .batches = 16};
  return broadcast_estimates(model, run_broadcasts(model, plan), percentiles, sure);
}

template <class Unit>
bool holds(const numeric::Estimate<Unit>& estimate, double exact) {
  CAPTURE(estimate.lower, estimate.value, estimate.upper, exact);
  const bool inside = estimate.lower <= exact && exact <= estimate.upper;
  CHECK(inside);
  return inside;
}

/// All kinds of injection and ejection, the published one last. Ejection channels on a route.
std::uint64_t ejections(const network::WormEnds& ends) {
  return ends.ejection == network::Ejection::one ? 1 : 0;
}

TEST_CASE("hypercube simulation: alone, a unicast takes M + d cycles and a broadcast n (M + 1 + Delta)") {
  // One cycle more for each ejection channel. With one injection channel the first forwarded copy, for which
  // the rest of a broadcast waits longest, takes as long as with ports.
  const network::WormEnds ends = GENERATE(from_range(all_ends));
  for (const int n : {1, 2, 4})
    for (const std::int64_t flits : {1, 3, 20})
      for (const std::int64_t startup : {0, 7}) {
        // So rare that no two messages of this seed meet.
        BroadcastModel model = model_of(n, 2, flits, "0.0000002", "0.5", startup);
        model.ends = ends;
        const auto replication = make_broadcast_replication(model, {3, 0});
        std::size_t unicasts = 0;
        replication->watch([&](const WormDelivery& delivery) {
          const WormMessage& message = delivery.message;
          const auto links = static_cast<std::uint64_t>(std::popcount(message.source ^ message.destination));
          const bool waits = message.tag > 0 && ends.injection == network::Injection::one;
          REQUIRE(delivery.ended - (waits ? delivery.started : message.born) ==
                  static_cast<std::uint64_t>(flits) + links + ejections(ends));
          REQUIRE(delivery.distance == links + 1 + ejections(ends));
          unicasts += message.tag == 0 ? 1 : 0;
        });
        replication->advance(100'000'000);
        const Counts counts = replication->take_counts();
        const std::uint64_t broadcasts = counts[BroadcastRows::broadcasts][0];
        CAPTURE(n, flits, startup, unicasts, broadcasts);
        CHECK(unicasts >= 10);
        REQUIRE(broadcasts >= 10);
        CHECK(counts[BroadcastRows::broadcasts][1] ==
              broadcasts * static_cast<std::uint64_t>(n) *
                  (static_cast<std::uint64_t>(flits + 1 + startup) + ejections(ends)));
      }
}

TEST_CASE("hypercube simulation: each broadcast reaches each node once, along its tree, with its start-up") {
  BroadcastModel model = model_of(4, 2, 8, "0.006", "0.1", 5);
  model.ends = GENERATE(from_range(all_ends));
  const bool ports = model.ends.injection == network::Injection::ports;
  const auto replication = make_broadcast_replication(model, {11, 0});
  struct Seen {
    std::set<std::uint32_t> nodes;
    std::map<std::uint32_t, std::uint64_t> has;  // [node]: start time
    std::uint32_t root = 0;
  };
  std::map<std::uint32_t, Seen> open;  // [tag]
  std::vector<std::uint64_t> by_dimension(4);
  std::uint64_t ended = 0, links = 0, delivered = 0;
  replication->watch([&](const WormDelivery& delivery) {
    const WormMessage& message = delivery.message;
    ++delivered;
    links += delivery.distance;
    if (message.tag == 0) return;
    REQUIRE(std::popcount(message.source ^ message.destination) == 1);
    const auto dimension = static_cast<std::uint32_t>(std::countr_zero(message.source ^ message.destination));
    REQUIRE(message.variant == (ports ? dimension : 0));  // the port of the link
    ++by_dimension[dimension];
    Seen& seen = open[message.tag];
    if (seen.nodes.empty()) {
      seen.root = message.source;
      seen.nodes.insert(seen.root);
      seen.has[seen.root] = message.born - 5;
    }
    REQUIRE(seen.has.contains(message.source));
    REQUIRE(message.born == seen.has[message.source] + 5);
    REQUIRE(seen.nodes.insert(message.destination).second);
    seen.has[message.destination] = delivery.ended;
    if (seen.nodes.size() == 16) {
      ++ended;
      open.erase(message.tag);
    }
  });
  for (int i = 0; i < 40'000; ++i) {
    replication->advance(1);
    if (i % 16 == 0) REQUIRE(replication->engine().balance().conserved());
  }
  const Counts counts = replication->take_counts();
  CHECK(ended > 250);
  CHECK(counts[BroadcastRows::broadcasts][0] == ended);
  CHECK(counts[BroadcastRows::delivered][0] == delivered);
  CHECK(counts[BroadcastRows::delivered][1] == 8 * delivered);
  CHECK(counts[BroadcastRows::unicasts][0] + counts[BroadcastRows::copies][0] == delivered);
  // Crossings without delivery are still in progress.
  const std::uint64_t in_transit = counts[BroadcastRows::crossings][0] - 8 * links;
  CHECK(in_transit < 16 * 4 * 3 * 8 + ejections(model.ends) * 16 * 8);
  // Bases are equally likely, so each dimension has the same number of copies.
  const double expected = static_cast<double>(counts[BroadcastRows::copies][0]) / 4;
  for (const std::uint64_t count : by_dimension)
    CHECK(std::abs(static_cast<double>(count) - expected) < 0.07 * expected);
}

TEST_CASE("hypercube simulation: copies of single broadcasts never share a channel") {
  // All messages on a link come through one port, one after the other.
  for (const int virtual_channels : {1, 4}) {
    const auto replication =
        make_broadcast_replication(model_of(4, virtual_channels, 8, "0.02", "1"), {4, 0});
    std::uint64_t copies = 0, waited = 0;
    replication->watch([&](const WormDelivery& delivery) {
      REQUIRE(delivery.ended - delivery.started == 9);
      ++copies;
      waited += delivery.started - delivery.message.born;
    });
    replication->advance(50'000);
    CHECK(copies > 100'000);
    CHECK(waited > copies);  // the ports are busy
  }
}

TEST_CASE("hypercube simulation: two nodes match the exact wait of a queue") {
  // One port and one link with one sender: M/D/1, for unicasts and for broadcasts. Nothing else arrives at
  // the ejection channel.
  const network::WormEnds ends = GENERATE(from_range(all_ends));
  for (const char* rate : {"0.02", "0.05", "0.08"})
    for (const char* broadcast : {"0", "0.5"}) {
      BroadcastModel model = model_of(1, 2, 10, rate, broadcast, 3);
      model.ends = ends;
      CAPTURE(describe(model));
      const auto after = static_cast<double>(ejections(ends));
      const double rho = 10 * numeric::nearest_double(model.rate);
      const double wait = rho * 10 / (2 * (1 - rho));
      const BroadcastEstimates found = simulated(model, 400'000);
      CHECK(holds(found.unicast_wait.value(), wait));
      CHECK(holds(found.unicast_latency.value(), wait + 11 + after));
      CHECK(holds(found.throughput, rho));
      CHECK(found.offered == Approx(rho).epsilon(1e-12));
      CHECK(found.broadcast_latency.has_value() == (found.broadcasts > 0));
      if (found.broadcasts > 0) {
        CHECK(holds(found.copy_wait.value(), wait));
        CHECK(holds(found.copy_latency.value(), wait + 11 + after));
        CHECK(holds(found.broadcast_latency.value(), wait + 14 + after));
      }
      CHECK(found.mean_links == 1);
      CHECK(found.stability.stable);
      REQUIRE(found.dimensions.size() == 1);
      CHECK(std::abs(found.dimensions[0].flits - rho) < 0.01);
      CHECK(std::abs(found.dimensions[0].busy - rho) < 0.01);
    }
}

TEST_CASE("hypercube simulation: unicasts with one channel per link match a second simulator") {
  BroadcastModel model = model_of(4, 1, 8, "0.05", "0");
  model.ends = GENERATE(from_range(all_ends));
  const BroadcastEstimates found = simulated(model, 60'000);
  const auto network = network::make_hypercube_worms(4, 1, model.ends);
  CAPTURE(describe(model));
  const test::RigidResult rigid = test::simulate_rigid_worms(*network, 0.4, 8, 3000, 40, 17);
  double mean = 0, square = 0;
  for (const double latency : rigid.batch_latency) {
    mean += latency / 40;
    square += latency * latency / 40;
  }
  const double error = std::sqrt((square - mean * mean) / 39);
  CAPTURE(found.unicast_latency->value, mean, error);
  CHECK(found.unicast_latency->lower < mean + 4 * error);
  CHECK(found.unicast_latency->upper > mean - 4 * error);
  CHECK(error < 0.01 * mean);
  CHECK(std::abs(found.unicast_latency->value - mean) < 0.02 * mean);
}

TEST_CASE("hypercube simulation: delivered flits are (1 + b (N - 2)) M lg") {
  const network::WormEnds ends = GENERATE(from_range(all_ends));
  // One channel per node cannot carry as many copies.
  const char* text = ends == network::all_port ? "0.008" : "0.004";
  const double rate = std::stod(text);
  for (const char* broadcast : {"0", "0.02", "0.3", "1"}) {
    BroadcastModel model = model_of(4, 3, 6, text, broadcast);
    model.ends = ends;
    const double b = numeric::nearest_double(model.broadcast);
    const BroadcastEstimates found = simulated(model, 60'000, {0.5, 0.9});
    CAPTURE(broadcast);
    CHECK(found.offered == Approx((1 + b * 14) * 6 * rate).epsilon(1e-12));
    CHECK(holds(found.throughput, found.offered));
    CHECK(found.generated == Approx(found.throughput.value).epsilon(0.005));  // except messages in progress
    CHECK(found.unicast_latency.has_value() == (b < 1));
    CHECK(found.broadcast_latency.has_value() == (b > 0));
    REQUIRE(found.percentiles.size() == 2);
    CHECK(found.percentiles[0].unicast.has_value() == (b < 1));
    CHECK(found.percentiles[1].broadcast.has_value() == (b > 0));
    if (b == 0) CHECK(found.mean_links == Approx(2 * 16.0 / 15).epsilon(0.01));
    double flits = 0;
    for (const DimensionUse& dimension : found.dimensions) flits += dimension.flits / 4;
    const double expected = rate * 6 * ((1 - b) * (32.0 / 15) + b * 15) / 4;
    CHECK(flits == Approx(expected).epsilon(0.03));
    const double path_ends = 1.0 + static_cast<double>(ejections(ends));
    CHECK(flit_hops_per_cycle(model) ==
          Approx(16 * 4 * expected + path_ends * 16 * rate * 6 * (1 - b + 15 * b)).epsilon(1e-12));
    CHECK(found.flit_hops / (4.0 * 60'000) == Approx(flit_hops_per_cycle(model)).epsilon(0.03));
  }
}

BroadcastModel by_one_channel() {
  BroadcastModel model = model_of(3, 2, 7, "0.03", "0.1", 11);
  model.ends = {};
  return model;
}

TEST_CASE("hypercube simulation: cuts, saving and loading, and threads change nothing") {
  for (const BroadcastModel& model : {model_of(3, 2, 7, "0.03", "0.1", 11), model_of(4, 4, 5, "0.06", "0"),
                                      model_of(2, 1, 3, "0.1", "1"), by_one_channel()}) {
    CAPTURE(describe(model));
    const auto whole = make_broadcast_replication(model, {9, 1});
    whole->advance(2000);
    const auto cut = make_broadcast_replication(model, {9, 1});
    test::advance_in_parts(*cut, 2000);
    test::require_equal(whole->take_counts(), cut->take_counts());
    const RunPlan plan{.seed = 2, .replications = 3, .warmup = 50, .slots = 600, .batches = 4};
    const RunResult one = run_broadcasts(model, plan), two = run_broadcasts(model, plan, {.threads = 2});
    REQUIRE(one.all().size() == 12);
    for (std::size_t i = 0; i < one.all().size(); ++i) test::require_equal(*one.all()[i], *two.all()[i]);
  }
}

TEST_CASE("hypercube simulation: a port carries one flit per cycle") {
  const SimulatedSaturation found =
      simulated_saturation(model_of(1, 2, 10, "0.01", "0.3"), {.first_guess = 0.08});
  CAPTURE(found.max_stable, found.min_unstable);
  // A load is called stable if less than 0.5 % remain, and 12 000 messages are counted to 0.9 %.
  CHECK(found.max_stable <= 0.102);
  CHECK(found.min_unstable >= 0.0985);
  CHECK(found.min_unstable <= found.max_stable * 1.0101);
  const BroadcastEstimates beyond = simulated(model_of(1, 2, 10, "0.12", "0.3"), 60'000);
  CHECK_FALSE(beyond.stability.stable);
  CHECK(std::abs(beyond.throughput.value - 1) < 0.01);
}

TEST_CASE("hypercube simulation: invalid parameters are rejected") {
  const auto rejected = [](auto change) {
    BroadcastModel model = model_of(3, 2, 4, "0.01", "0.1");
    change(model);
    CHECK_THROWS_AS(make_broadcast_replication(model, {1, 0}), InvalidArgument);
  };
  rejected([](BroadcastModel& model) { model.dimensions = 0; });
  rejected([](BroadcastModel& model) { model.dimensions = 17; });
  rejected([](BroadcastModel& model) { model.virtual_channels = 0; });
  rejected([](BroadcastModel& model) { model.virtual_channels = 65; });
  rejected([](BroadcastModel& model) { model.flits = 0; });
  rejected([](BroadcastModel& model) { model.rate = 0; });
  rejected([](BroadcastModel& model) { model.rate = 2; });
  rejected([](BroadcastModel& model) { model.broadcast = -1; });
  rejected([](BroadcastModel& model) { model.broadcast = 2; });
  rejected([](BroadcastModel& model) { model.startup = -1; });
  rejected([](BroadcastModel& model) { model.buffer_flits = 0; });
}

}  // namespace
}  // namespace tailbound::sim
