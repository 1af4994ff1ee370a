#include <tailbound/network/channels/buffer_cycle.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/sim/network/simulate_controlled.hpp>

#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>
#include <random>
#include <tests/support/cut_replication.hpp>
#include <tests/support/estimate.hpp>

using namespace tailbound;
using numeric::Rational;

namespace {

using sim::BackPressure;
using sim::ControlledRows;
using sim::FlowControl;
using sim::Ingress;

/// Host a sends to b through `switches` switches in a row, in each slot.
network::Network one_line(std::size_t switches, const Rational& rate) {
  network::Network network;
  network.name = "line";
  network.nodes = {{"a", true}, {"b", true}};
  network::Route route;
  for (std::size_t i = 0; i < switches; ++i) {
    network.nodes.push_back({"s" + std::to_string(i)});
    network.links.push_back({i == 0 ? 0 : i + 1, i + 2});
  }
  network.links.push_back({switches + 1, 1});
  for (std::size_t i = 0; i < network.links.size(); ++i) route.links.push_back(i);
  network.flows = {{"a -> b", 0, 1, rate, {route}}};
  return network;
}

/// k hosts send to k others through one switch, each to all of them equally.
network::Network one_switch(std::size_t k, const Rational& load) {
  network::Network network;
  network.name = "switch";
  for (std::size_t i = 0; i < 2 * k; ++i) network.nodes.push_back({"h" + std::to_string(i), true});
  network.nodes.push_back({"s"});
  for (std::size_t i = 0; i < k; ++i) network.links.push_back({i, 2 * k});
  for (std::size_t i = 0; i < k; ++i) network.links.push_back({2 * k, k + i});
  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t j = 0; j < k; ++j)
      network.flows.push_back({std::to_string(i) + " to " + std::to_string(j),
                               i,
                               k + j,
                               load / Rational(static_cast<long>(k)),
                               {{{i, k + j}, 1}}});
  return network;
}

/// Some hosts send to one other in each slot.
network::Network to_one(std::size_t hosts) {
  network::Network network;
  network.name = "to one";
  network.nodes = {{"s"}, {"to", true}};
  network.links = {{0, 1}};
  for (std::size_t i = 0; i < hosts; ++i) {
    network.nodes.push_back({"h" + std::to_string(i), true});
    network.links.push_back({i + 2, 0});
    network.flows.push_back({"from " + std::to_string(i), i + 2, 1, 1, {{{i + 1, 0}, 1}}});
  }
  return network;
}

/// Four switches in a ring, each with a host that sends to the one before it, three switches further.
network::Network ring(const Rational& rate) {
  network::Network network;
  network.name = "ring";
  for (std::size_t i = 0; i < 4; ++i) network.nodes.push_back({"h" + std::to_string(i), true});
  for (std::size_t i = 0; i < 4; ++i) network.nodes.push_back({"s" + std::to_string(i)});
  for (std::size_t i = 0; i < 4; ++i) network.links.push_back({i, 4 + i});
  for (std::size_t i = 0; i < 4; ++i) network.links.push_back({4 + i, 4 + (i + 1) % 4});
  for (std::size_t i = 0; i < 4; ++i) network.links.push_back({4 + i, i});
  for (std::size_t i = 0; i < 4; ++i) {
    network::Route route{{i}, 1};
    for (std::size_t hop = 0; hop < 3; ++hop) route.links.push_back(4 + (i + hop) % 4);
    route.links.push_back(8 + (i + 3) % 4);
    network.flows.push_back({"from " + std::to_string(i), i, (i + 3) % 4, rate, {route}});
  }
  return network;
}

/// Three hosts at one switch, two at a second; the flows share links and have routes of different length.
network::Network two_switches(const Rational& rate) {
  network::Network network;
  network.name = "two switches";
  network.nodes = {{"a", true}, {"b", true}, {"c", true}, {"d", true}, {"s"}, {"t"}, {"e", true}};
  network.links = {{0, 4}, {1, 4}, {2, 4}, {3, 5}, {4, 5}, {5, 4}, {4, 0}, {4, 1}, {5, 3}, {6, 5}};
  network.flows = {{"a d", 0, 3, rate, {{{0, 4, 8}, 1}}},     {"a b", 0, 1, rate, {{{0, 7}, 1}}},
                   {"b d", 1, 3, rate, {{{1, 4, 8}, 1}}},     {"b a", 1, 0, rate / 2, {{{1, 6}, 1}}},
                   {"c d", 2, 3, rate / 2, {{{2, 4, 8}, 1}}}, {"d b", 3, 1, rate, {{{3, 5, 7}, 1}}},
                   {"e d", 6, 3, rate / 2, {{{9, 8}, 1}}}};
  return network;
}

sim::ControlledEstimates estimates(const network::Network& network, const FlowControl& control,
                                   const sim::RunPlan& plan,
                                   const sim::NetworkQueries& queries = {.confidence = 0.9999}) {
  const sim::NetworkModel model{network, {}, {}, control};
  return sim::controlled_estimates(model, sim::run_network(model, plan), queries);
}

/// Packets delivered in `slots` slots, after a long start.
std::int64_t delivered(const network::Network& network, const FlowControl& control, std::int64_t slots) {
  const auto simulation = sim::make_controlled_replication({network, {}, {}, control}, {1, 0});
  simulation->advance(5000);
  const std::int64_t before = simulation->balance().delivered;
  simulation->advance(slots);
  CHECK(simulation->balance().conserved());
  return simulation->balance().delivered - before;
}

const sim::RunPlan long_plan{.seed = 5, .replications = 4, .warmup = 2000, .slots = 400'000, .batches = 16};

}  // namespace

TEST_CASE("controlled network: a link with B credits and round trip R carries min(1, B/R)") {
  for (const Ingress ingress : {Ingress::voq, Ingress::fifo})
    for (const std::size_t switches : {std::size_t{1}, std::size_t{2}, std::size_t{4}})
      for (std::int64_t buffer = 1; buffer <= 6; ++buffer)
        for (std::int64_t trip = 1; trip <= 9; ++trip) {
          INFO(switches << " switches, " << buffer << " credits, round trip " << trip);
          CHECK(delivered(one_line(switches, 1), {.ingress = ingress, .buffer = buffer, .round_trip = trip},
                          1000 * trip) == 1000 * std::min(buffer, trip));
        }
}

TEST_CASE("controlled network: saturation of FIFO buffers in front of output buffers of b packets") {
  // The exact chain of x_j, heads for output j and packets in its buffer (specification: maximum load).
  struct Known {
    std::size_t ports;
    std::int64_t output_buffer;
    double throughput;
  };
  for (const Known& known : {Known{4, 1, 0.6552419355}, Known{4, 2, 0.7396876006}, Known{4, 4, 0.8244082360},
                             Known{8, 2, 0.7032511151}, Known{2, 3, 0.875}}) {
    INFO(known.ports << " ports, output buffers of " << known.output_buffer);
    const auto found =
        estimates(one_switch(known.ports, 1),
                  {.ingress = Ingress::fifo, .buffer = 3, .output_buffer = known.output_buffer}, long_plan);
    const auto ports = static_cast<double>(known.ports);
    CHECK(test::holds(found.throughput, known.throughput * ports));
    CHECK(found.throughput.upper - found.throughput.lower < 0.004 * ports);
    CHECK(found.saturated);
    CHECK_FALSE(found.delays);
    CHECK(found.balance.dropped == 0);
    for (const auto& link : found.links)
      if (link.of_host) CHECK(test::holds(*link.growth, 1 - known.throughput));
  }
  // Without head-of-line blocking the utilization of the outputs is near 100 %.
  CHECK(estimates(one_switch(4, 1), {.ingress = Ingress::voq, .buffer = 500}, long_plan).throughput.value >
        3.98);
}

TEST_CASE("controlled network: with large buffers, each packet waits as long as without flow control") {
  const network::Network network = two_switches(numeric::parse_rational("0.3", "rate"));
  const auto plain = sim::make_network_replication({network, {}}, {3, 1});
  plain->advance(30'000);
  const sim::Counts expected = plain->take_counts();
  const sim::NetworkRows rows(network);
  const ControlledRows own({network, {}});
  for (const FlowControl& control :
       {FlowControl{.buffer = 10'000}, FlowControl{.by = BackPressure::pause, .buffer = 10'000},
        FlowControl{.ingress = Ingress::fifo, .buffer = 10'000, .output_buffer = 10'000}}) {
    const auto simulation = sim::make_controlled_replication({network, {}, {}, control}, {3, 1});
    simulation->advance(30'000);
    const sim::Counts counts = simulation->take_counts();
    for (std::size_t queues = 0; queues <= rows.max_queues; ++queues)
      CHECK(counts[own.delays(queues)] == expected[rows.delays(queues)]);
    CHECK(sim::total_count(expected[rows.delays(1)]) > 10'000);
    CHECK(counts[rows.flow_delays()] == expected[rows.flow_delays()]);
    for (std::size_t link = 4; link < 9; ++link)
      CHECK(counts[rows.occupancy(link)] == expected[rows.occupancy(link)]);
  }
}

TEST_CASE("controlled network: pausing is without loss exactly if the headroom covers the round trip") {
  // Each host is served once in 24 slots: longer than the round trip.
  const network::Network network = to_one(24);
  for (const std::int64_t trip : {1, 2, 7, 20})
    for (const std::int64_t headroom : {trip - 1, trip, trip + 1}) {
      if (headroom < 1) continue;
      INFO("round trip " << trip << ", headroom " << headroom);
      const auto found = estimates(network,
                                   {.by = BackPressure::pause,
                                    .ingress = Ingress::fifo,
                                    .buffer = headroom + 3,
                                    .round_trip = trip,
                                    .headroom = headroom},
                                   {.replications = 2, .slots = 10'000, .batches = 8});
      CHECK((found.balance.dropped > 0) == (headroom < trip));
      std::uint64_t dropped = 0;
      for (const auto& link : found.links) dropped += link.dropped;
      CHECK(dropped == found.balance.dropped);
    }
}

TEST_CASE("controlled network: buffers in a cycle are rejected, or deadlock as reported") {
  const network::Network network = ring(1);
  CHECK(network::buffer_cycle(network) == std::vector<std::size_t>{4, 5, 6, 7});
  CHECK(network::buffer_cycle(two_switches(Rational(1) / 4)).empty());
  for (const BackPressure by : {BackPressure::credit, BackPressure::pause})
    for (const Ingress ingress : {Ingress::voq, Ingress::fifo}) {
      FlowControl control{.by = by, .ingress = ingress, .buffer = 2};
      CHECK_THROWS_WITH(sim::make_controlled_replication({network, {}, {}, control}, {1, 0}),
                        Catch::Contains("s0 -> s1, s1 -> s2, s2 -> s3, s3 -> s0"));
      control.allow_deadlock = true;
      const auto found = estimates(network, control, {.replications = 2, .slots = 4000, .batches = 8});
      REQUIRE(found.deadlock);
      CHECK(found.deadlock->replications == 2);
      CHECK(found.deadlock->links.size() == 4);
      CHECK_FALSE(found.delays);
      // Nothing is delivered any more, and nothing was before the reported slot.
      const auto simulation = sim::make_controlled_replication({network, {}, {}, control}, {1, 0});
      simulation->advance(found.deadlock->after + 64);
      const std::int64_t all = simulation->balance().delivered;
      simulation->advance(10'000);
      CHECK(simulation->balance().delivered == all);
      CHECK(simulation->balance().conserved());
    }
  // A light load never fills the buffers.
  FlowControl large{.buffer = 50, .allow_deadlock = true};
  const auto light =
      estimates(ring(Rational(1) / 5), large, {.replications = 2, .slots = 20'000, .batches = 8});
  CHECK_FALSE(light.deadlock);
  CHECK(light.delays);
  // Nor are full buffers stuck whose packets leave: three more hosts, two of which send to the third.
  network::Network busy = ring(Rational(1) / 20);
  for (const char* name : {"x", "y", "z"}) busy.nodes.push_back({name, true});
  for (const std::size_t host : {std::size_t{8}, std::size_t{9}}) busy.links.push_back({host, 4});
  busy.links.push_back({4, 10});
  for (const std::size_t host : {std::size_t{8}, std::size_t{9}})
    busy.flows.push_back({busy.nodes[host].name, host, 10, 1, {{{host + 4, 14}, 1}}});
  for (const Ingress ingress : {Ingress::voq, Ingress::fifo}) {
    const FlowControl full{.ingress = ingress, .buffer = 8, .allow_deadlock = true};
    const auto found = estimates(busy, full, {.replications = 2, .slots = 20'000, .batches = 8});
    CHECK(found.saturated);
    CHECK_FALSE(found.deadlock);
    CHECK(found.throughput.value == Approx(1.2).epsilon(0.02));
  }
}

TEST_CASE("controlled network: cut into parts, it counts as a whole") {
  network::Network network = two_switches(numeric::parse_rational("0.4", "rate"));
  network.flows[0].burst = {{6, 1}};
  for (const BackPressure by : {BackPressure::credit, BackPressure::pause})
    for (const Ingress ingress : {Ingress::voq, Ingress::fifo}) {
      const sim::NetworkModel model{
          network,
          {},
          {},
          FlowControl{.by = by, .ingress = ingress, .buffer = 4, .round_trip = 3, .headroom = 2}};
      const auto whole = sim::make_controlled_replication(model, {7, 2});
      const auto parts = sim::make_controlled_replication(model, {7, 2});
      whole->advance(3000);
      test::advance_in_parts(*parts, 3000);
      CHECK(whole->balance() == parts->balance());
      test::require_equal(whole->take_counts(), parts->take_counts());
    }
}

namespace {

/// What a simple simulation of its own counts.
struct Witness {
  double throughput = 0, mean_delay = 0;
  double blocked = 0, trunk = 0;  ///< the first link, link 4
};

/// Credits, slot by slot, with one list for all packets at switches: no virtual queues. Buffers are
/// counted from the places of the packets; a place is known to be free again from the slot in `free_at`.
Witness witness(const network::Network& network, const FlowControl& control, std::int64_t slots) {
  struct Packet {
    std::size_t flow, step;
    std::int64_t birth;
    bool asks, in_output;
    double order;  ///< in which packets ask
  };
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> share;
  std::vector<std::deque<Packet>> hosts(network.links.size());
  std::vector<Packet> inside, moving;
  std::vector<std::deque<std::int64_t>> free_at(network.links.size());
  std::vector<std::int64_t> busy(network.links.size(), -1);  ///< FIFO buffers: last slot in which one asks
  for (auto& of : free_at) of.resize(static_cast<std::size_t>(control.buffer), 0);  // one entry per credit
  std::int64_t delivered = 0, blocked = 0, trunk = 0;
  double delays = 0;
  const auto links = [&](const Packet& p) -> const std::vector<std::size_t>& {
    return network.flows[p.flow].routes[0].links;
  };
  const auto credit = [&](std::size_t link, std::int64_t now) {
    const auto found =
        std::find_if(free_at[link].begin(), free_at[link].end(), [&](auto at) { return at <= now; });
    if (found == free_at[link].end()) return false;
    free_at[link].erase(found);
    return true;
  };
  for (std::int64_t now = 0; now < slots; ++now) {
    const auto arrive = [&](Packet p) {
      p.asks = p.in_output = false;
      p.order = 2.0 * static_cast<double>(slots);  // after those that ask, as they came
      ++p.step;
      inside.push_back(p);
    };
    for (const Packet& p : moving) arrive(p);
    moving.clear();
    std::vector<double> left(network.nodes.size());
    for (double& draw : left) draw = share(random);
    for (std::size_t flow = 0; flow < network.flows.size(); ++flow) {
      double& draw = left[network.flows[flow].source];
      const double rate = numeric::nearest_double(network.flows[flow].rate);
      if (draw >= 0 && draw < rate)
        hosts[network.flows[flow].routes[0].links[0]].push_back({flow, 0, now, false, false, 0});
      draw = draw < rate ? -1 : draw - rate;
    }
    for (std::size_t link = 0; link < hosts.size(); ++link)
      if (!hosts[link].empty()) {
        if (credit(link, now)) {
          arrive(hosts[link].front());
          hosts[link].pop_front();
        } else {
          blocked += link == 0;
        }
      }
    // Of a FIFO buffer one packet asks at a time; the next one in the slot after it was taken.
    for (Packet& p : inside) {
      const std::size_t input = links(p)[p.step - 1];
      if (p.asks || (control.ingress == Ingress::fifo && busy[input] >= now)) continue;
      p.asks = true;
      p.order = static_cast<double>(now) + share(random);
      busy[input] = slots;
    }
    std::stable_sort(inside.begin(), inside.end(),
                     [](const auto& a, const auto& b) { return a.order < b.order; });
    std::vector<std::int64_t> in_output(network.links.size());
    for (const Packet& p : inside) in_output[links(p)[p.step]] += p.in_output;
    for (Packet& p : inside) {
      const std::size_t output = links(p)[p.step], input = links(p)[p.step - 1];
      if (!p.asks || p.in_output || in_output[output] == control.output_buffer) continue;
      p.in_output = true;
      busy[input] = now;
      ++in_output[output];
      free_at[input].push_back(now - (network.has_queue(input) ? 1 : 0) + control.round_trip);
    }
    std::vector<bool> done(network.links.size());
    for (auto p = inside.begin(); p != inside.end();) {
      const std::size_t link = links(*p)[p->step];
      const bool last = p->step + 1 == links(*p).size();
      if (!p->in_output || done[link]) {
        ++p;
        continue;
      }
      done[link] = true;
      if (!last && !credit(link, now)) {
        trunk += link == 4;
        ++p;
        continue;
      }
      if (last) {
        ++delivered;
        delays += static_cast<double>(now - p->birth + 1) - static_cast<double>(links(*p).size() - 1);
      } else {
        moving.push_back(*p);
      }
      p = inside.erase(p);
    }
  }
  const auto all = static_cast<double>(slots);
  return {static_cast<double>(delivered) / all, delays / static_cast<double>(delivered),
          static_cast<double>(blocked) / all, static_cast<double>(trunk) / all};
}

}  // namespace

TEST_CASE("controlled network: a simple simulation of its own agrees") {
  const network::Network network = two_switches(numeric::parse_rational("0.27", "rate"));
  for (const FlowControl& control : {FlowControl{.buffer = 2, .round_trip = 2},
                                     FlowControl{.ingress = Ingress::fifo, .buffer = 3, .round_trip = 2},
                                     FlowControl{.buffer = 3, .round_trip = 3, .output_buffer = 2}}) {
    const auto found = estimates(network, control, long_plan);
    const Witness other = witness(network, control, 1'000'000);
    REQUIRE(found.delays);
    CHECK(other.throughput == Approx(found.throughput.value).epsilon(0.005));
    CHECK(other.mean_delay == Approx(found.delays->mean_queueing.value).epsilon(0.03));
    CHECK(other.blocked > 0.01);
    CHECK(other.blocked == Approx(found.links[0].blocked.value).epsilon(0.03));
    CHECK(other.trunk > 0.01);
    CHECK(other.trunk == Approx(found.links[4].blocked.value).epsilon(0.03));
  }
}
