#include <tailbound/network/clocks/link_clocks.hpp>
#include <tailbound/network/queue_traffic.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/sim/network/clocked_replication.hpp>
#include <tailbound/sim/network/simulate_network.hpp>

#include <catch2/catch.hpp>
#include <tests/support/estimate.hpp>

using namespace tailbound;
using numeric::Rational;

namespace {

Rational ratio(const char* text) {
  return numeric::parse_rational(text, "rate");
}

/// Two hosts at one packet per slot, and a queue that sends two.
network::Network two_slow_hosts(const Rational& rate) {
  network::Network network;
  network.name = "two slow hosts";
  network.nodes = {{"a", true}, {"b", true}, {"c", true}, {"s"}};
  network.links = {{0, 3}, {1, 3}, {3, 2, {2, 1}}};
  network.flows = {{"a -> c", 0, 2, rate, {{{0, 2}, 1}}}, {"b -> c", 1, 2, rate, {{{1, 2}, 1}}}};
  return network;
}

/// A fast and a slow host, classes, bursts, and two queues in series.
network::Network everything() {
  network::Network network;
  network.name = "everything";
  network.nodes = {{"a", true}, {"b", true}, {"c", true}, {"s"}, {"t"}};
  network.links = {{0, 3, {4, 1}}, {1, 3}, {3, 4, {5, 2}}, {4, 2, {4, 1}}};
  network.flows = {{"a -> c", 0, 2, ratio("6/5"), {{{0, 2, 3}, 1}}},
                   {"b -> c", 1, 2, ratio("2/5"), {{{1, 2, 3}, 1}}},
                   {"x", 0, 2, ratio("1/2"), {{{0, 2, 3}, 1}}}};
  network.flows[1].priority = 2;
  network.flows[2].burst = {{6, 1}};
  return network;
}

const sim::RunPlan plan{.seed = 2, .replications = 4, .warmup = 500, .slots = 100'000, .batches = 50};

sim::NetworkEstimates estimates(const sim::NetworkModel& model, const sim::NetworkQueries& queries) {
  return sim::network_estimates(model, sim::run_network(model, plan), queries);
}

}  // namespace

TEST_CASE("clocked network: phases of two hosts are independent and uniform") {
  // A packet waits if one of the other host began within the half slot before (32 of 64 ticks; one of two in
  // the same tick is first): for 1/4 slot on average.
  const Rational rate = ratio("4/5");
  const auto found = estimates(
      {two_slow_hosts(rate), std::nullopt, {}},
      {.occupancy_levels = {0}, .delay_levels = {0}, .percentiles = {0.5, 0.99}, .confidence = 0.999});
  CHECK(test::holds(found.mean_queueing, 0.8 / 8));
  CHECK(test::holds(found.mean_latency, 0.8 / 8 + 0.5));
  CHECK(test::holds(found.delay_ccdf[0].probability, 0.8 * 31.5 / 64));
  CHECK(found.percentiles[0].queueing.value == 0);
  CHECK(found.percentiles[0].latency.value == 0.5);
  CHECK(found.percentiles[1].queueing.value <= 0.5);
  REQUIRE(found.links.size() == 1);
  CHECK(test::holds(found.links[0].load, 1.6));
  CHECK(test::holds(found.links[0].tail[0].probability, 0.8));
  REQUIRE(found.flows.size() == 2);
  for (const sim::FlowEstimates& flow : found.flows) CHECK(test::holds(*flow.mean_queueing, 0.8 / 8));
}

TEST_CASE("clocked network: a fast and a slow host") {
  // The slow host's packets wait for those of the fast one, not for each other; spec values of lanes differ.
  network::Network network = two_slow_hosts(1);
  network.links[0].rate = {2, 1};
  network.flows[0].rate = ratio("6/5");
  network.flows[1].rate = ratio("3/10");
  const auto found = estimates({network, std::nullopt, {}}, {.confidence = 0.999});
  CHECK(found.flows[0].mean_queueing->value < found.flows[1].mean_queueing->value);
  CHECK(found.flows[1].mean_queueing->value < 0.5);
}

TEST_CASE("clocked network: packets are neither lost nor made, and a saved run continues unchanged") {
  for (const std::optional<std::int64_t> buffer :
       {std::optional<std::int64_t>(), std::optional<std::int64_t>(2)}) {
    const sim::NetworkModel model{everything(), buffer, {0, 1, 1}};
    const auto whole = sim::make_clocked_replication(model, {7, 2});
    whole->advance(3'333);
    const sim::PacketBalance balance = whole->balance();
    CHECK(balance.sent == balance.delivered + balance.dropped + balance.queued);
    CHECK((balance.dropped > 0) == buffer.has_value());
    const auto first = sim::make_clocked_replication(model, {7, 2});
    first->advance(1'000);
    first->advance(111);
    sim::ByteWriter writer;
    first->save(writer);
    const std::string bytes = writer.take();
    const auto second = sim::make_clocked_replication(model, {7, 2});
    sim::ByteReader reader(bytes);
    second->load(reader);
    second->advance(2'222);
    const sim::Counts counts = whole->take_counts();
    CHECK(counts == second->take_counts());
    const sim::ClockedRows rows(model);
    std::uint64_t delivered = 0;
    for (std::size_t kind = 0; kind < rows.kinds.size(); ++kind)
      for (const std::uint64_t packets : counts[rows.waits(kind)]) delivered += packets;
    CHECK(delivered == static_cast<std::uint64_t>(balance.delivered));
    for (std::size_t cut = 0; cut < bytes.size(); cut += 1 + bytes.size() / 40) {
      const auto third = sim::make_clocked_replication(model, {7, 2});
      sim::ByteReader shorter(std::string_view(bytes).substr(0, cut));
      CHECK_THROWS_AS(third->load(shorter), ParseError);
    }
  }
}

TEST_CASE("clocked network: bins of waits are exact to 512 ticks, then to 0.4 %, and at whole packets") {
  for (std::int64_t ticks = 0; ticks < 100'000; ++ticks) {
    const std::size_t bin = sim::WaitBins::bin(ticks);
    const std::int64_t last = sim::WaitBins::last(bin);
    CHECK(last >= ticks);
    CHECK(last - ticks <= (ticks <= 512 ? 0 : ticks / 256));
    CHECK(sim::WaitBins::bin(last) == bin);
    CHECK(sim::WaitBins::bin(last + 1) == bin + 1);
    if (ticks % 32 == 0 && ticks <= 8192) CHECK(last == ticks);
    const double average =
        (static_cast<double>(last) + static_cast<double>(bin == 0 ? 0 : sim::WaitBins::last(bin - 1) + 1)) /
        2;
    CHECK(sim::WaitBins::average(bin) == (bin == 0 ? 0 : average));
  }
}

TEST_CASE("clocked network: errors") {
  network::Network network = two_slow_hosts(1);
  CHECK_THROWS_AS(sim::make_clocked_replication({network, std::nullopt, {}}, {1, 0}), network::Overloaded);
  CHECK_NOTHROW(sim::make_clocked_replication({network, 4, {}}, {1, 0}));
  network.flows[0].rate = ratio("11/10");
  CHECK_THROWS_WITH(sim::make_clocked_replication({network, 4, {}}, {1, 0}), Catch::Contains("at most 1"));
}
