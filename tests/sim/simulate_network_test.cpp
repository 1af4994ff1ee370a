#include <tailbound/sim/simulate_network.hpp>

#include <catch2/catch.hpp>
#include <tailbound/network/tree.hpp>

using namespace tailbound;

namespace {

/// a -> s -> t -> b at rate 1/2, c -> t -> b at 1/4: the link s -> t never makes a packet wait.
network::Network two_in_a_row() {
  const numeric::Rational half = numeric::parse_rational("1/2", "rate");
  network::Network network;
  network.name = "two in a row";
  network.nodes = {{"a", true}, {"b", true}, {"c", true}, {"s"}, {"t"}};
  network.links = {{0, 3}, {3, 4}, {4, 1}, {2, 4}};
  network.flows = {{"a -> b", 0, 1, half, {{{0, 1, 2}, 1}}}, {"c -> b", 2, 1, half / 2, {{{3, 2}, 1}}}};
  return network;
}

bool holds(const auto& estimate, double value) {
  return estimate.lower <= value && value <= estimate.upper;
}

}  // namespace

TEST_CASE("simulate_network: queues whose answer is known") {
  const sim::NetworkModel model{two_in_a_row(), std::nullopt};
  const sim::RunPlan plan{.seed = 4, .replications = 2, .warmup = 1000, .slots = 200'000, .batches = 16};
  const sim::NetworkEstimates found = sim::network_estimates(
      model, sim::run_network(model, plan),
      {.occupancy_levels = {0, 1}, .delay_levels = {0}, .percentiles = {0.5}, .confidence = 0.999});
  REQUIRE(found.links.size() == 2);
  CHECK(found.links[0].link == 1);
  CHECK(holds(found.links[0].load, 0.5));
  CHECK(found.links[0].tail[1].count == 0);  // one packet a slot at most: none ever waits
  CHECK(found.links[1].link == 2);
  CHECK(holds(found.links[1].load, 0.75));
  CHECK(holds(found.links[1].tail[0].probability, 0.75));
  // E[Q] = rho + A''(1) / (2 (1 - rho)), A'' = 2 * 1/2 * 1/4
  CHECK(holds(found.links[1].mean_occupancy, 0.75 + 0.25 / (2 * 0.25)));
  // The first queue only shifts its Bernoulli source in time. Little's law: E[W] = (E[Q] - rho) / rho
  CHECK(holds(found.mean_queueing, 0.5 / 0.75));
  REQUIRE(found.flows.size() == 2);
  CHECK(found.flows[0].packets + found.flows[1].packets == found.packets);
  CHECK(holds(*found.flows[0].mean_queueing, found.flows[0].mean_queueing->value));
  const double mixed = (static_cast<double>(found.flows[0].packets) * found.flows[0].mean_queueing->value +
                        static_cast<double>(found.flows[1].packets) * found.flows[1].mean_queueing->value) /
                       static_cast<double>(found.packets);
  CHECK(mixed == Approx(found.mean_queueing.value));
  CHECK(found.mean_latency.value == Approx(found.mean_queueing.value + 1 + 2.0 / 3).epsilon(0.01));
  CHECK(found.links[1].dropped == 0);
}

TEST_CASE("simulate_network: work, losses, and whose checkpoint it is") {
  const sim::NetworkModel model{two_in_a_row(), 1};
  const sim::NetworkWork work = sim::network_work(model.network);
  CHECK(work.utilization == Approx(0.75));
  CHECK(work.hops == 2);
  CHECK(work.queues == 2);
  CHECK(work.steps_per_slot == Approx(1.25));
  const sim::RunPlan plan{.seed = 4, .replications = 2, .warmup = 1000, .slots = 100'000, .batches = 16};
  const sim::NetworkEstimates found =
      sim::network_estimates(model, sim::run_network(model, plan), {.confidence = 0.999});
  // Room for one packet: the one in service has left when the next arrive; lost is one of two.
  CHECK(holds(found.links[1].loss, 0.5 * 0.25 / 0.75));

  sim::NetworkModel other = model;
  CHECK(sim::describe(other) == sim::describe(model));
  other.network.flows[1].rate = numeric::parse_rational("1/5", "rate");
  CHECK(sim::describe(other) != sim::describe(model));
}

TEST_CASE("simulate_network: too little is refused") {
  const sim::NetworkModel model{two_in_a_row(), std::nullopt};
  const sim::RunPlan plan{.seed = 4, .replications = 1, .warmup = 0, .slots = 100, .batches = 1};
  CHECK_THROWS_AS(sim::network_estimates(model, sim::run_network(model, plan), {}), InvalidArgument);
}
