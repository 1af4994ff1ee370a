#include <tailbound/network/queue_traffic.hpp>
#include <tailbound/sim/network/simulate_network.hpp>
#include <tailbound/sim/tree/simulate_tree.hpp>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <tailbound/network/tree.hpp>
#include <tests/support/estimate.hpp>

using namespace tailbound;

namespace {

/// a -> s -> t -> b at rate 1/2, c -> t -> b at 1/4: packets never wait for the link s -> t.
network::Network two_in_a_row() {
  const numeric::Rational half = numeric::parse_rational("1/2", "rate");
  network::Network network;
  network.name = "two in a row";
  network.nodes = {{"a", true}, {"b", true}, {"c", true}, {"s"}, {"t"}};
  network.links = {{0, 3}, {3, 4}, {4, 1}, {2, 4}};
  network.flows = {{"a -> b", 0, 1, half, {{{0, 1, 2}, 1}}}, {"c -> b", 2, 1, half / 2, {{{3, 2}, 1}}}};
  return network;
}

}  // namespace

TEST_CASE("simulate_network: queues with known results") {
  const sim::NetworkModel model{two_in_a_row(), std::nullopt};
  const sim::RunPlan plan{.seed = 4, .replications = 2, .warmup = 1000, .slots = 200'000, .batches = 16};
  const sim::NetworkEstimates found = sim::network_estimates(
      model, sim::run_network(model, plan),
      {.occupancy_levels = {0, 1}, .delay_levels = {0}, .percentiles = {0.5}, .confidence = 0.999});
  REQUIRE(found.links.size() == 2);
  CHECK(found.links[0].link == 1);
  CHECK(test::holds(found.links[0].load, 0.5));
  CHECK(found.links[0].tail[1].count == 0);  // at most one packet per slot: none ever waits
  CHECK(found.links[1].link == 2);
  CHECK(test::holds(found.links[1].load, 0.75));
  CHECK(test::holds(found.links[1].tail[0].probability, 0.75));
  // E[Q] = rho + A''(1) / (2 (1 - rho)), A'' = 2 * 1/2 * 1/4
  CHECK(test::holds(found.links[1].mean_occupancy, 0.75 + 0.25 / (2 * 0.25)));
  // The first queue only shifts its Bernoulli source in time. Little's law: E[W] = (E[Q] - rho) / rho
  CHECK(test::holds(found.mean_queueing, 0.5 / 0.75));
  REQUIRE(found.flows.size() == 2);
  CHECK(found.flows[0].packets + found.flows[1].packets == found.packets);
  CHECK(test::holds(*found.flows[0].mean_queueing, found.flows[0].mean_queueing->value));
  const double mixed = (static_cast<double>(found.flows[0].packets) * found.flows[0].mean_queueing->value +
                        static_cast<double>(found.flows[1].packets) * found.flows[1].mean_queueing->value) /
                       static_cast<double>(found.packets);
  CHECK(mixed == Approx(found.mean_queueing.value));
  CHECK(found.mean_latency.value == Approx(found.mean_queueing.value + 1 + 2.0 / 3).epsilon(0.01));
  CHECK(found.links[1].dropped == 0);
}

TEST_CASE("simulate_network: delays of each flow, counted separately") {
  sim::NetworkModel model{two_in_a_row(), std::nullopt};
  const sim::RunPlan plan{.seed = 4, .replications = 2, .warmup = 1000, .slots = 200'000, .batches = 16};
  const sim::RunResult without = sim::run_network(model, plan);
  model.groups = {0, 1};
  const sim::RunResult with = sim::run_network(model, plan);
  const sim::NetworkRows rows(model), plain(model.network);
  const auto delays = [&](const sim::RunResult& run, std::size_t first, std::size_t last) {
    return sim::HistogramBatches(
        run.all(),
        [=](const sim::Counts& counts) {
          sim::Histogram sum;
          for (std::size_t row = first; row < last; ++row) {
            sum.resize(std::max(sum.size(), counts[row].size()));
            for (std::size_t i = 0; i < counts[row].size(); ++i) sum[i] += counts[row][i];
          }
          return sum;
        },
        0.999);
  };
  const auto first = delays(with, rows.groups[0].first, rows.groups[1].first);
  const auto second = delays(with, rows.groups[1].first, rows.delays(0));
  const auto all = delays(with, rows.delays(0), rows.count());
  // The average backlog is r_a r_c / (1 - rho) = 1/2; half of the other source's packets are served before
  // one's own.
  CHECK(test::holds(first.mean<unit::Slot>(), 0.5 + 0.25 / 2));
  CHECK(test::holds(second.mean<unit::Slot>(), 0.5 + 0.5 / 2));
  CHECK(first.all() + second.all() == all.all());
  CHECK(first.tail(1).count + second.tail(1).count == all.tail(1).count);
  // Nothing else is different.
  const auto same = delays(without, plain.delays(0), plain.count());
  CHECK(same.all() == all.all());
  CHECK(same.tail(2).count == all.tail(2).count);
  CHECK(sim::describe(model) != sim::describe({model.network, std::nullopt}));
}

TEST_CASE("simulate_network: work, losses, and the identity of checkpoints") {
  const sim::NetworkModel model{two_in_a_row(), 1};
  const sim::NetworkWork work = sim::network_work(model.network);
  CHECK(work.utilization == Approx(0.75));
  CHECK(work.hops == 2);
  CHECK(work.queues == 2);
  CHECK(work.steps_per_slot == Approx(1.25));
  const sim::RunPlan plan{.seed = 4, .replications = 2, .warmup = 1000, .slots = 100'000, .batches = 16};
  const sim::NetworkEstimates found =
      sim::network_estimates(model, sim::run_network(model, plan), {.confidence = 0.999});
  // A buffer of one packet: the one in service has left when the next arrive; one of two is lost.
  CHECK(test::holds(found.links[1].loss, 0.5 * 0.25 / 0.75));

  sim::NetworkModel other = model;
  CHECK(sim::describe(other) == sim::describe(model));
  other.network.flows[1].rate = numeric::parse_rational("1/5", "rate");
  CHECK(sim::describe(other) != sim::describe(model));
}

TEST_CASE("simulate_network: flows with bursts match a tree's first hop") {
  // Four hosts send in bursts through one link; one flow has two routes with half of its packets each.
  const numeric::Rational rate = numeric::parse_rational("0.15", "rate"), quarter = numeric::Rational(1) / 4;
  network::Network network;
  network.nodes = {{"a", true}, {"b", true}, {"c", true}, {"d", true}, {"to", true}, {"s"}, {"t"}};
  network.links = {{0, 5}, {1, 5}, {2, 5}, {3, 5}, {5, 4}, {5, 6}, {6, 4}};
  for (std::size_t host = 0; host < 4; ++host)
    network.flows.push_back(
        {network.nodes[host].name, host, 4, rate, {{{host, 4}, 1}}, traffic::Burst{8, quarter}});
  network.flows.push_back({"split", 3, 4, rate * 2, {{{3, 4}, quarter}, {{3, 5, 6}, 3 * quarter}}});
  network.flows.back().burst = traffic::Burst{30};
  const auto traffic = network::queue_traffic(network, network::Sources::independent_sources);
  CHECK(traffic[4].load == rate * 4 + rate / 2);
  REQUIRE(traffic[4].bursts.size() == 2);
  CHECK(traffic[4].bursts[1] == network::BurstySource{traffic::on_off(rate, {8, quarter}), 4});
  CHECK(traffic[4].bursts[0] ==
        network::BurstySource{traffic::thinned(traffic::on_off(rate * 2, {30}), quarter), 1});
  CHECK_THROWS_AS(network::queue_traffic(network, network::Sources::first_hop), InvalidArgument);
  const sim::NetworkWork work = sim::network_work(network);
  CHECK(work.memory.slots == Approx(30 * 0.7));
  CHECK(work.memory.variance > 0);

  // The shares of the routes, also for packets in bursts.
  sim::NetworkModel model{network, std::nullopt};
  sim::RunPlan plan = sim::automatic_plan(work.utilization, work.hops, 150'000, 4, 1, work.memory);
  const auto split = sim::network_estimates(model, sim::run_network(model, plan), {.confidence = 0.9999});
  CHECK(test::holds(split.links[0].load, 0.15 * 4 + 0.075));
  CHECK(test::holds(split.links[1].load, 0.3 * 0.75));

  // Without the fifth flow: the first hop of a 4-ary tree whose leaves send at 0.6.
  model.network.flows.pop_back();
  const auto found = sim::network_estimates(
      model, sim::run_network(model, plan),
      {.occupancy_levels = {0, 1, 2, 4}, .delay_levels = {}, .percentiles = {}, .confidence = 0.9999});
  sim::TreeModel tree{{4, 1}, rate * 4};
  tree.burst = traffic::Burst{8};
  tree.destination = traffic::Destination::per_packet;
  const auto expected =
      sim::tree_estimates(tree, sim::run_tree(tree, sim::automatic_plan(tree, 600'000, 4, 2)),
                          {.occupancy_levels = {0, 1, 2, 4}, .confidence = 0.9999});
  for (std::size_t i = 0; i < 4; ++i) {
    const auto& one = found.links[0].tail[i].probability;
    const auto& other = expected.stages[0].tail[i].probability;
    CAPTURE(i, one.value, other.value, one.upper - one.value, other.upper - other.value);
    CHECK(std::abs(one.value - other.value) <= std::hypot(one.upper - one.value, other.upper - other.value));
    CHECK(one.upper - one.value < 0.3 * one.value);
  }
}

TEST_CASE("simulate_network: bursts stay in order for any time splitting") {
  sim::NetworkModel model{two_in_a_row(), std::nullopt};
  model.network.flows[0].burst = traffic::Burst{20};
  model.network.flows[1].burst = traffic::Burst{7, numeric::parse_rational("0.4", "on-rate")};
  const auto whole = sim::make_network_replication(model, {1, 2});
  for (int slot = 0; slot < 300; ++slot) {
    whole->advance(1);
    REQUIRE(whole->balance().conserved());
  }
  auto cut = sim::make_network_replication(model, {1, 2});
  for (const int slots : {123, 5, 64, 108}) {
    cut->advance(slots);
    sim::ByteWriter writer;
    cut->save(writer);
    const std::string bytes = writer.take();
    cut = sim::make_network_replication(model, {1, 2});
    sim::ByteReader reader(bytes);
    cut->load(reader);
  }
  CHECK(cut->take_counts() == whole->take_counts());
  CHECK(cut->balance() == whole->balance());
}

TEST_CASE("simulate_network: too short runs are rejected") {
  const sim::NetworkModel model{two_in_a_row(), std::nullopt};
  const sim::RunPlan plan{.seed = 4, .replications = 1, .warmup = 0, .slots = 100, .batches = 1};
  CHECK_THROWS_AS(sim::network_estimates(model, sim::run_network(model, plan), {}), InvalidArgument);
}
