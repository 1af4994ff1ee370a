#include <tailbound/bounds/guarantee/network_guarantee.hpp>
#include <tailbound/bounds/guarantee/path_program.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>

#include <catch2/catch.hpp>
#include <random>
#include <tests/support/policed_adversary.hpp>
#include <tests/support/policed_ports.hpp>
#include <tests/support/rational.hpp>
#include <vector>

// Guarantees of small networks, chains and rings, against an adversary that tries all arrival patterns.

using namespace tailbound;
using namespace tailbound::test;
using network::PolicedNetwork;

namespace {

struct Held {
  int networks = 0, finished = 0, rejected = 0, backlogs = 0, attained = 0;
};

/// Flows start anywhere on the ring and use each port at most once.
PolicedNetwork random_ring(std::mt19937& random) {
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  const auto ports = static_cast<std::size_t>(pick(2, 3));
  PolicedNetwork network = slotted_ports(ports);
  for (int flows = pick(2, 3); flows > 0; --flows) {
    std::vector<std::size_t> path{static_cast<std::size_t>(pick(0, static_cast<int>(ports) - 1))};
    for (int hops = pick(1, static_cast<int>(ports) - 1); hops > 0; --hops)
      path.push_back((path.back() + 1) % ports);
    std::vector<traffic::TokenBucket> buckets{{ratio(1, pick(3, 6)), pick(1, 2)}};
    if (pick(0, 3) == 0) buckets.push_back(traffic::one_per_slot());
    add_flow(network, path, buckets);
  }
  return network;
}

/// With and without whole slots.
void hold_against(const PolicedNetwork& network, const AdversaryLimits& limits, Held& held) {
  CAPTURE(text_of(network));
  ++held.networks;
  bounds::NetworkGuarantee found;
  try {
    found = bounds::guarantee(network);
  } catch (const NoAnswer&) {
    ++held.rejected;
    return;
  }
  const PolicedTruth truth = policed_truth(network, limits);
  held.finished += truth.finished ? 1 : 0;
  for (const bounds::QueueGuarantee& queue : found.queues) {
    const std::int64_t maximum = numeric::to_int64(numeric::floor(queue.backlog));
    CHECK(truth.backlog[queue.port] <= maximum);
    if (queue.in_slots) CHECK(truth.backlog[queue.port] <= *queue.in_slots);
    ++held.backlogs;
    held.attained += truth.finished && truth.backlog[queue.port] == queue.in_slots.value_or(maximum) ? 1 : 0;
  }
  for (std::size_t f = 0; f < found.flows.size(); ++f) {
    bounds::add_linear_program(network, found, f, 0);
    const bounds::RouteGuarantee& route = found.flows[f].routes[0];
    CHECK(route.lp);
    for (const auto& delay : {route.tfa, route.sfa, route.slots, route.lp})
      if (delay) CHECK(numeric::Rational(truth.delay[f]) <= *delay);
  }
}

Held hold_many(int chains, int rings, std::uint32_t seed, const AdversaryLimits& limits) {
  std::mt19937 random(seed);
  Held held;
  for (int i = 0; i < chains; ++i) hold_against(random_ports(random), limits, held);
  for (int i = 0; i < rings; ++i) hold_against(random_ring(random), limits, held);
  return held;
}

}  // namespace

TEST_CASE("guarantees of chains and rings hold for all arrival patterns") {
  const Held held = hold_many(20, 25, 3, {.states = 60'000, .steps = 1'000'000});
  CHECK(held.finished >= 25);
  CHECK(2 * held.attained >= held.backlogs);
}

TEST_CASE("guarantees of many chains and rings hold for all arrival patterns", "[.full]") {
  const Held held = hold_many(1000, 1000, 5, {.states = 300'000, .steps = 5'000'000});
  CHECK(held.finished >= 1200);
  CHECK(2 * held.attained >= held.backlogs);
}
