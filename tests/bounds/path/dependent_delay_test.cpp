#include <tailbound/bounds/network/dependent_network.hpp>
#include <tailbound/bounds/network/wired_delay.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/files/network_file.hpp>

#include <catch2/catch.hpp>
#include <tests/support/ends.hpp>
#include <tests/support/rational.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

using namespace tailbound;
using bounds::DependentDelay;
using numeric::Rational;
using tailbound::test::computed;
using tailbound::test::rational;

namespace {

bounds::DependentPaths tree(std::int64_t radix, int levels, const char* load,
                            network::TreeRouting routing = network::TreeRouting::random_root) {
  return bounds::dependent_tree({radix, levels}, rational(load), routing);
}

/// The queue to a host of a leaf-spine network, 16 leaves of 16 hosts that send 0.4, uniformly to all others.
struct QueuesOfLeaf {
  int spines;

  [[nodiscard]] double mean() const {
    constexpr double each = 0.4 / 255;
    bounds::DependentHops hops;
    // Over each spine 240 hosts of other leaves send to this one; 1/16 of it is for the host.
    const double through = 16 * each / spines;
    hops.pairs = {{{{240, through, each * (spines - 1) / spines}, {15, 0, each}}, 1.0 / 16}};
    hops.queues.resize(2);
    hops.queues[0].sources = {{240, through}};
    hops.queues[1].sources = {{255, each}};
    hops.queues[1].links = {{0, static_cast<double>(spines)}};
    hops.queues[1].straight = {{15, each}};
    DependentDelay delays(std::make_shared<const bounds::DependentHops>(hops));
    const bounds::Route route{{1}, 1};
    return computed(delays.claims({&route, 1}, {}).mean_queueing);
  }
};

}  // namespace

TEST_CASE("dependent hops: percentiles match simulation to the slot") {
  struct Row {
    std::int64_t radix;
    const char* load;
    std::int64_t slots;
    double mean, variance;
  };
  // Simulations of 2.5e9 to 1.2e10 packets (docs/derivations/dependent_hops.md); mean and variance of the
  // model.
  const Row rows[] = {{16, "0.6", 23, 0, 0},
                      {16, "0.8", 53, 9.585, 26.52},
                      {4, "0.6", 23, 0, 0},
                      {4, "0.8", 51, 8.232, 23.21}};
  for (const Row& row : rows) {
    const bounds::DependentPaths paths = tree(row.radix, 3, row.load);
    DependentDelay delays(paths.hops);
    bounds::DelayQuery query{{}, {rational("0.999999")}};
    for (int t = 0; t < 60; ++t) query.levels.emplace_back(t);
    const bounds::ClaimedDelayAnswer answer = delays.claims(paths.flows[0], query);
    CHECK(answer.queueing[0].slots.value == row.slots);
    CHECK(answer.latency[0].slots.value == row.slots + 5);
    if (row.mean == 0) continue;
    CHECK(computed(answer.mean_queueing) == Approx(row.mean).margin(0.0006));
    double second = 0;  // E[D^2] = sum (2t + 1) P(D > t)
    for (int t = 0; t < 60; ++t)
      second += (2 * t + 1) * computed(answer.above[static_cast<std::size_t>(t)].probability);
    const double mean = computed(answer.mean_queueing);
    CHECK(second - mean * mean == Approx(row.variance).margin(0.006));
  }
}

TEST_CASE("dependent hops: P(D > t) matches 1e10 simulated packets within 2 %") {
  const bounds::DependentPaths paths = tree(16, 3, "0.8");
  DependentDelay delays(paths.hops);
  const bounds::DelayQuery query{{Slots(10), Slots(20), Slots(30), Slots(40)}, {}};
  const bounds::ClaimedDelayAnswer answer = delays.claims(paths.flows[0], query);
  const double simulated[] = {0.3943 * 0.944, 0.03740 * 0.927, 1.846e-3 * 0.957, 6.510e-5 * 1.016};
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(computed(answer.above[i].probability) == Approx(simulated[i]).epsilon(0.02));
}

TEST_CASE("dependent hops: stated digits agree with a deeper computation") {
  for (const char* load : {"0.5", "0.8"})
    for (const std::int64_t radix : {2, 8}) {
      const bounds::DependentPaths paths = tree(radix, 2, load);
      bounds::DelayQuery query{{}, {rational("0.999999")}};
      DependentDelay delays(paths.hops);
      const auto percentile = delays.claims(paths.flows[0], query).queueing[0];
      query.percentiles = {1 - rational("1e-15")};
      query.levels = {percentile.at.slots};
      const double deeper =
          computed(DependentDelay(paths.hops).claims(paths.flows[0], query).above[0].probability);
      const auto& predicted = std::get<numeric::Approximation<unit::Probability>>(percentile.at.probability);
      CHECK(predicted.agreed_digits >= 3);
      CHECK(static_cast<double>(predicted.value) ==
            Approx(deeper).epsilon(std::pow(10.0, -predicted.agreed_digits)));
    }
}

TEST_CASE("dependent hops: binary trees, where a leaf's packet uses one link") {
  const bounds::DependentPaths paths = tree(2, 3, "0.8");
  const bounds::DelayQuery query{{Slots(31)}, {rational("0.999999")}};
  const bounds::ClaimedDelayAnswer answer = DependentDelay(paths.hops).claims(paths.flows[0], query);
  CHECK(computed(answer.mean_queueing) == Approx(6.037).margin(0.0006));
  CHECK(answer.queueing[0].slots.value == 44);  // simulated 43
  CHECK(computed(answer.above[0].probability) == Approx(9.77e-5).epsilon(0.02));
}

TEST_CASE("dependent hops: P(W_2 > y | W_1 = w) as simulated") {
  // k = 4, load 0.8; c_2 inserted into the conditional distribution. Simulated, to two digits: rows w = 0, 4,
  // 10.
  const double simulated[3][3] = {{0.36, 0.075, 4.1e-3}, {0.44, 0.11, 6.9e-3}, {0.47, 0.14, 1.1e-2}};
  const queue::QueuePair pair{{{4, 0.2, 0}, {12, 0, 0.05}}, 0.25};
  constexpr std::size_t size = 128;
  const queue::PairLaw law = queue::pair_law(pair, size, 1e-6);
  const queue::PairKernel kernel(pair, law);
  const queue::LoneQueue first = queue::lone_first(pair, size), alone = queue::lone_second(pair, size);
  const std::vector<double> second = law.second();
  const std::vector<double> behind = queue::wait_behind(pair, kernel);
  const queue::SmoothedLinks links{&second, &alone.occupancy, &behind, 4, 0.2};
  const std::vector<double> wait = queue::smoothed_wait(alone, {}, {&links, 1}).of_links[0];
  double mean = 0;
  for (std::size_t n = 0; n < size; ++n) mean += static_cast<double>(n) * wait[n];
  CHECK(mean == Approx(1.660).margin(0.0006));
  std::vector<double> mixed(size, 0), factor(size, 0);
  for (std::size_t w = 0; w < size; ++w)
    for (std::size_t n = 0; n + w < size; ++n) mixed[n] += first.wait[w] * kernel.row(w)[n];
  for (std::size_t n = 0; n < 40; ++n) {
    double sum = wait[n];
    for (std::size_t i = 1; i <= n; ++i) sum -= mixed[i] * factor[n - i];
    factor[n] = sum / mixed[0];
  }
  const std::size_t waits[] = {0, 4, 10}, levels[] = {1, 4, 10};
  for (std::size_t i = 0; i < 3; ++i) {
    std::vector<double> conditional(40, 0);
    for (std::size_t n = 0; n < 40; ++n)
      for (std::size_t j = 0; j <= n; ++j) conditional[n] += factor[j] * kernel.row(waits[i])[n - j];
    for (std::size_t j = 0; j < 3; ++j) {
      double tail = 0;
      for (std::size_t n = 40; n-- > levels[j] + 1;) tail += conditional[n];
      CHECK(tail == Approx(simulated[i][j]).epsilon(0.06));
    }
  }
}

// 4e7 slots each, all flows' means from an independent simulation; standard errors are below 0.5 %. The flows
// pass queues that others reach through queues, over links of low and high rate.
TEST_CASE("Wired delay: mean delays in networks of unequal rates match simulation") {
  struct Row {
    const char* flow;
    double mean;
  };
  const std::pair<const char*, std::vector<Row>> networks[] = {
      {"unequal_tree.toml",
       {{"h3 -> h13", 0.4424},
        {"h0 -> h10", 0.5767},
        {"h0 -> h5", 0.3849},
        {"h9 -> h15", 2.539},
        {"h14 -> h7", 1.203}}},
      {"unequal_ring.toml",
       {{"h3 -> h8", 1.658}, {"h20 -> h6", 1.877}, {"h5 -> h7", 1.806}, {"h15 -> h19", 0.2312}}}};
  for (const auto& [file, rows] : networks) {
    std::ifstream stream(std::string(TAILBOUND_DATA_DIR) + "/networks/" + file);
    const std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    const network::Network network = network::read_network(text, file).network;
    bounds::WiredDelay delays(network);
    for (const Row& row : rows) {
      const auto flow = std::find_if(network.flows.begin(), network.flows.end(),
                                     [&](const network::Flow& each) { return each.name == row.flow; });
      const auto place = static_cast<std::size_t>(flow - network.flows.begin());
      INFO(row.flow);
      CHECK(computed(delays.claims(delays.routes(place), {}).mean_queueing) ==
            Approx(row.mean).epsilon(0.025));
    }
  }
}

// Simulated: 0.3193 and 0.3166, standard errors 0.0005. Uplinks at 0.86 send to links at 0.4.
TEST_CASE("dependent hops: a flow through one queue that others reach through queues") {
  const QueuesOfLeaf eight{8}, seven{7};
  CHECK(eight.mean() == Approx(0.3193).epsilon(0.01));
  CHECK(seven.mean() == Approx(0.3166).epsilon(0.01));
}

TEST_CASE("dependent hops: covariances of neighbouring waits match simulation") {
  const double simulated[][2] = {{16, 0.095}, {4, 0.267}, {2, 0.276}};
  for (const auto& [k, covariance] : simulated) {
    const queue::QueuePair pair{{{static_cast<std::int64_t>(k), 0.8 / k, 0},
                                 {static_cast<std::int64_t>(k * k - k), 0, 0.8 / (k * k)}},
                                1 / k};
    constexpr std::size_t size = 96;
    const queue::PairKernel kernel(pair, queue::pair_law(pair, size, 1e-5));
    const queue::LoneQueue first = queue::lone_first(pair, size);
    double both = 0, one = 0, other = 0;
    for (std::size_t w = 0; w < size; ++w)
      for (std::size_t n = 0; n + w < size; ++n) {
        const double mass = first.wait[w] * kernel.row(w)[n];
        both += mass * static_cast<double>(w * n);
        one += mass * static_cast<double>(w);
        other += mass * static_cast<double>(n);
      }
    CHECK(both - one * other == Approx(covariance).epsilon(0.04));
  }
}

TEST_CASE("dependent hops: a tree in closed form equals the listed tree") {
  const network::Tree shape{3, 2};
  const Rational load = rational("0.6");
  const auto routing = network::TreeRouting::nearest_ancestor;
  const bounds::DependentPaths closed = bounds::dependent_tree(shape, load, routing);
  const network::Network network = network::tree_network(shape, load, routing);
  const bounds::DependentPaths written = bounds::dependent_network(network);
  const bounds::DelayQuery query{{Slots(0), Slots(3), Slots(10)}, {}};
  for (const std::size_t flow : {std::size_t{1}, std::size_t{8}}) {  // leaf 0 to leaf 1, and to leaf 8
    const std::size_t turn = flow == 1 ? 0 : 1;
    std::vector<bounds::Route> route{closed.flows[0][turn]};
    route[0].share = 1;
    const auto a = DependentDelay(closed.hops).claims(route, query);
    const auto b = DependentDelay(written.hops).claims(written.flows[flow], query);
    for (std::size_t i = 0; i < 3; ++i)
      CHECK(computed(a.above[i].probability) == Approx(computed(b.above[i].probability)).epsilon(2e-4));
  }
}

TEST_CASE("dependent hops: routes that meet bursts are excluded") {
  network::Network network =
      network::tree_network({2, 2}, rational("0.5"), network::TreeRouting::nearest_ancestor);
  const bounds::DependentPaths all = bounds::dependent_network(network);
  CHECK_FALSE(all.flows[3].empty());
  network.flows[7].burst = traffic::Burst{.slots = 4};
  REQUIRE(network.flows[7].destination == network.flows[3].destination);
  const bounds::DependentPaths paths = bounds::dependent_network(network);
  CHECK(paths.flows[3].empty());
  CHECK(paths.flows.size() == network.flows.size());
}

TEST_CASE("dependent hops: invalid or too deep queries are rejected") {
  const bounds::DependentPaths paths = tree(4, 2, "0.8");
  DependentDelay delays(paths.hops, 64);
  CHECK_THROWS_AS(delays.claims(paths.flows[0], {{Slots(64)}, {}}), LimitExceeded);
  CHECK_THROWS_AS(delays.claims(paths.flows[0], {{}, {1 - rational("1e-30")}}), LimitExceeded);
  CHECK_THROWS_AS(delays.claims(paths.flows[0], {{}, {rational("1.5")}}), InvalidArgument);
  const std::vector<bounds::Route> wrong{{{0, 5}, 1}}, jump{{{1, 0}, 1}};
  CHECK_THROWS_AS(delays.claims(wrong, {{Slots(1)}, {}}), InvalidArgument);
  CHECK_THROWS_AS(delays.claims(jump, {{Slots(1)}, {}}), InvalidArgument);
}

TEST_CASE("dependent hops: percentiles of more trees match simulation") {
  struct Row {
    std::int64_t radix;
    int levels;
    const char* load;
    std::int64_t minimum, maximum;
  };
  for (const Row& row : {Row{16, 3, "0.9", 110, 111}, Row{4, 3, "0.9", 106, 108}, Row{2, 3, "0.8", 43, 44}}) {
    const bounds::DependentPaths paths = tree(row.radix, row.levels, row.load);
    const auto answer = DependentDelay(paths.hops).claims(paths.flows[0], {{}, {rational("0.999999")}});
    CHECK(answer.queueing[0].slots.value >= row.minimum);
    CHECK(answer.queueing[0].slots.value <= row.maximum);
  }
}
