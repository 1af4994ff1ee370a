#include <tailbound/bounds/path/delay_bound.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/queue/delay/markov_delay.hpp>

#include <catch2/catch.hpp>
#include <tests/support/rational.hpp>

#include <cmath>
#include <initializer_list>

using namespace tailbound;
using numeric::Rational;
using tailbound::test::ratio;
using tailbound::test::rational;

namespace {

constexpr network::TreeRouting bursty_bound_routing = network::TreeRouting::random_root;

double bursty_bound_value(const bounds::ClaimedSlotProbability& above) {
  return static_cast<double>(std::get<numeric::UpperBound<unit::Probability>>(above.probability).value);
}

std::vector<bounds::BoundedRoute> bursty_bound_tree(std::int64_t radix, int levels, const char* load,
                                                    const char* burst) {
  return bounds::bounded_tree({radix, levels}, rational(load), bursty_bound_routing,
                              traffic::Burst{rational(burst)});
}

bounds::DelayQuery bursty_bound_levels(std::initializer_list<int> levels) {
  bounds::DelayQuery query;
  for (const int t : levels) query.levels.emplace_back(t);
  return query;
}

/// log of the larger eigenvalue of [[1 - a, a y], [b, (1 - b) y]] by definition.
double bursty_bound_log_eigenvalue(double load, double burst, double share, double z) {
  const double b = 1 / burst, a = load * b / (1 - load), y = 1 - share + share * z;
  const double trace = 1 - a + (1 - b) * y, determinant = (1 - a - b) * y;
  return std::log((trace + std::sqrt(trace * trace - 4 * determinant)) / 2);
}

/// (8) and (9) directly: the minimum over many z, in double, the first wait as a power series.
double bursty_bound_plain(int k, int levels, int hops, double load, double burst, int t) {
  const queue::OnOffGroup group{
      traffic::thinned(traffic::on_off(numeric::to_rational(load), {numeric::to_rational(burst)}),
                       ratio(1, k)),
      k};
  queue::MarkovQueue queue(queue::MarkovArrivals::on_off({group}));
  const queue::ClaimedHopDelay first = queue::hop_delay(queue, queue::HopDelay::wait, 300);
  double minimum = 1;
  for (double x = 1e-3; x < 3; x *= 1.004) {
    const double z = 1 + x;
    double product = 0;
    for (std::size_t w = first.values.mass.size(); w-- > 0;)
      product = product * z + static_cast<double>(first.values.mass[w]);
    for (int h = 2; h <= hops; ++h) {
      const double m = std::pow(k, std::min(h, levels));
      const double others = std::exp(m * (k - 1) / k * bursty_bound_log_eigenvalue(load, burst, 1 / m, z));
      const double busy = (1 + x / k) * others, spare = (1 - 1. / k) * (1 - load);
      if (z - busy <= 0) return minimum;
      product *= spare * x / (z - busy) * (1 + others) / 2;
    }
    minimum = std::min(minimum, product * std::pow(z, -(t + 1)));
  }
  return minimum;
}

}  // namespace

TEST_CASE("delay bound with bursts: percentiles match the derivation") {
  struct Row {
    std::int64_t radix;
    const char *load, *burst;
    std::size_t hops;
    std::int64_t slots[5];  ///< of 1e-4, 1e-5, 1e-6, 1e-9, 1e-12; 0: not derived
  };
  const Row rows[] = {{4, "0.6", "16", 5, {29, 33, 37, 50, 61}}, {4, "0.6", "16", 3, {24, 29, 33, 45, 56}},
                      {4, "0.8", "16", 5, {58, 0, 74, 98, 0}},   {4, "0.6", "64", 5, {42, 0, 56, 76, 0}},
                      {8, "0.6", "16", 5, {25, 0, 32, 43, 0}},   {16, "0.6", "16", 5, {23, 0, 30, 40, 0}}};
  bounds::DelayQuery query;
  for (const char* p : {"0.9999", "0.99999", "0.999999", "0.999999999", "0.999999999999"})
    query.percentiles.push_back(rational(p));
  for (const Row& row : rows) {
    auto routes = bursty_bound_tree(row.radix, 3, row.load, row.burst);
    CHECK(routes.front().proved_hops == 3);
    routes.front().later.resize(row.hops - 1);
    const bounds::BoundedDelayAnswer answer = bounds::delay_bound(routes, query);
    for (std::size_t i = 0; i < 5; ++i) {
      if (row.slots[i] != 0) CHECK(answer.queueing[i].slots.value == row.slots[i]);
      CHECK(answer.latency[i].slots.value ==
            answer.queueing[i].slots.value + static_cast<std::int64_t>(row.hops));
      // The smallest such t: one slot less does not suffice.
      CHECK(bursty_bound_value(answer.queueing[i].at) <=
            numeric::nearest_double(1 - query.percentiles[i]) * (1 + 1e-12));
      CHECK(bursty_bound_value(answer.queueing[i].before.at(0)) >
            numeric::nearest_double(1 - query.percentiles[i]));
    }
  }
}

TEST_CASE("delay bound with bursts: asymptotic decay is the smallest root, that of hop 1") {
  // Logs of A_h(z)/z: all four sources at hop 1, 12 of 16 and a busy link at hop 2, 48 of 64 at hop 3.
  const auto root = [](int links, double others, double share) {
    double low = 1.5, high = 2.5;
    for (int i = 0; i < 60; ++i) {
      const double z = (low + high) / 2;
      const double excess = std::log1p(links * (z - 1) / 4) +
                            others * bursty_bound_log_eigenvalue(0.6, 16, share, z) - std::log(z);
      (excess < 0 ? low : high) = z;
    }
    return low;
  };
  const double first = root(0, 4, 1. / 4), second = root(1, 12, 1. / 16), third = root(1, 48, 1. / 64);
  CHECK(first == Approx(1.8829).margin(5e-5));
  CHECK(second == Approx(1.8904).margin(5e-5));
  CHECK(third == Approx(2.0417).margin(5e-5));
  const auto answer =
      bounds::delay_bound(bursty_bound_tree(4, 3, "0.6", "16"), bursty_bound_levels({20000, 20001}));
  const auto& one = std::get<numeric::UpperBound<unit::Probability>>(answer.above[0].probability).value;
  const auto& next = std::get<numeric::UpperBound<unit::Probability>>(answer.above[1].probability).value;
  CHECK(static_cast<double>(numeric::Real(one / next)) == Approx(first).epsilon(2e-4));
}

TEST_CASE("delay bound with bursts: no z of the formula gives less") {
  const auto routes = bursty_bound_tree(4, 2, "0.5", "8");
  const bounds::BoundedDelayAnswer answer = bounds::delay_bound(routes, bursty_bound_levels({5, 20, 60}));
  for (const bounds::ClaimedSlotProbability& above : answer.above) {
    const double plain = bursty_bound_plain(4, 2, 3, 0.5, 8, static_cast<int>(above.slots.value));
    CHECK(bursty_bound_value(above) <= plain * (1 + 1e-9));
    CHECK(bursty_bound_value(above) == Approx(plain).epsilon(1e-3));
  }
}

TEST_CASE("delay bound with bursts: Bernoulli limit, increasing with burst and load") {
  const auto levels = bursty_bound_levels({3, 10, 30, 100});
  const auto bernoulli =
      bounds::delay_bound(bounds::bounded_tree({4, 3}, rational("0.6"), bursty_bound_routing), levels);
  CHECK(bounds::shortest_bounded_burst(rational("0.6")) == rational("2.5"));
  const auto same = bounds::delay_bound(bursty_bound_tree(4, 3, "0.6", "2.5"), levels);
  for (std::size_t i = 0; i < levels.levels.size(); ++i)
    CHECK(bursty_bound_value(same.above[i]) == bursty_bound_value(bernoulli.above[i]));
  const auto near = bounds::delay_bound(bursty_bound_tree(4, 3, "0.6", "2.5000001"), levels);
  for (std::size_t i = 0; i < levels.levels.size(); ++i)
    CHECK(bursty_bound_value(near.above[i]) == Approx(bursty_bound_value(bernoulli.above[i])).epsilon(1e-4));
  auto before = bernoulli;
  for (const char* burst : {"3", "8", "40", "1000"}) {
    const auto after = bounds::delay_bound(bursty_bound_tree(4, 3, "0.6", burst), levels);
    for (std::size_t i = 0; i < levels.levels.size(); ++i)
      CHECK(bursty_bound_value(after.above[i]) >= bursty_bound_value(before.above[i]));
    before = after;
  }
  for (const char* load : {"0.7", "0.9"}) {
    const auto after = bounds::delay_bound(bursty_bound_tree(4, 3, load, "1000"), levels);
    for (std::size_t i = 0; i < levels.levels.size(); ++i)
      CHECK(bursty_bound_value(after.above[i]) >= bursty_bound_value(before.above[i]));
    before = after;
  }
}

TEST_CASE("delay bound with bursts: above simulated delays") {
  // tailbound simulate tree --burst 16 --destination per-packet, seed 1, four replications of 1.5 to 5
  // million slots
  struct Row {
    std::int64_t radix;
    int levels;
    const char *load, *on_rate;
    bool nearest;
    double mean, at[6];  ///< P(D > 0), P(D > 4), .., P(D > 20)
  };
  const Row rows[] = {
      {4, 3, "0.6", "1", false, 3.4241, {0.91792, 0.27802, 0.04481, 0.00576, 0.0006624, 7.05e-05}},
      {8, 2, "0.8", "1", false, 5.6204, {0.962295, 0.53625, 0.2013, 0.06288, 0.017718, 0.004674}},
      {2, 4, "0.5", "1", false, 2.8432, {0.85009, 0.20811, 0.03476, 0.005002, 0.000658, 8.36e-05}},
      {4, 2, "0.7", "0.8", false, 2.8405, {0.872135, 0.20111, 0.026301, 0.002835, 0.0002783, 2.69e-05}},
      {4, 3, "0.7", "1", true, 3.3719, {0.895405, 0.27777, 0.04765, 0.006402, 0.0007547, 8.24e-05}},
  };
  for (const Row& row : rows) {
    const auto routing =
        row.nearest ? network::TreeRouting::nearest_ancestor : network::TreeRouting::random_root;
    const auto routes = bounds::bounded_tree({row.radix, row.levels}, rational(row.load), routing,
                                             traffic::Burst{rational("16"), rational(row.on_rate)});
    const auto answer = bounds::delay_bound(routes, bursty_bound_levels({0, 4, 8, 12, 16, 20}));
    for (std::size_t i = 0; i < 6; ++i) CHECK(bursty_bound_value(answer.above[i]) > row.at[i]);
    Rational mean = 0;
    for (const bounds::BoundedRoute& route : routes) mean = mean + route.share * route.mean_wait;
    CHECK(numeric::nearest_double(mean) > row.mean);
  }
}

TEST_CASE("delay bound with bursts: bursts too short for the proof are rejected with the reason") {
  try {
    (void)bursty_bound_tree(4, 3, "0.6", "2.4");
    FAIL("no error");
  } catch (const InvalidArgument& error) {
    CHECK(error.argument() == "burst");
    CHECK_THAT(error.what(), Catch::Contains("5/2") && Catch::Contains("alpha + beta > 1"));
  }
  const std::vector<bounds::BoundedRoute> routes{
      {{{rational("0.2"), 4, traffic::Burst{rational("1.2"), 1}}}, {}, 1}};
  CHECK_THROWS_AS(bounds::delay_bound(routes, bursty_bound_levels({1})), InvalidArgument);
}

TEST_CASE("delay bound with bursts: which hops are proved") {
  const auto proved = [](int levels, network::TreeRouting routing) {
    std::vector<std::size_t> hops;
    for (const auto& route :
         bounds::bounded_tree({4, levels}, rational("0.5"), routing, traffic::Burst{rational("8")}))
      hops.push_back(route.proved_hops);
    return hops;
  };
  CHECK(proved(1, network::TreeRouting::random_root) == std::vector<std::size_t>{1});
  CHECK(proved(3, network::TreeRouting::random_root) == std::vector<std::size_t>{3});
  CHECK(proved(1, network::TreeRouting::nearest_ancestor) == std::vector<std::size_t>{1});
  CHECK(proved(3, network::TreeRouting::nearest_ancestor) == std::vector<std::size_t>{0, 1, 1});
}

TEST_CASE("delay bound with bursts: long bursts, high loads, wide and deep trees") {
  struct Row {
    std::int64_t radix;
    int levels;
    const char *load, *burst;
  };
  for (const Row& row : {Row{64, 2, "0.95", "1000"}, Row{4, 5, "0.95", "1000"}, Row{2, 5, "0.05", "1000"},
                         Row{16, 5, "0.95", "1000"}, Row{1000, 2, "0.6", "16"}, Row{2, 1, "0.95", "1000"},
                         Row{3, 3, "0.001", "1000000"}, Row{2, 3, "0.999", "1000"}}) {
    bounds::DelayQuery query = bursty_bound_levels({0, 100, 100000});
    query.percentiles = {rational("0.999999")};
    const auto answer =
        bounds::delay_bound(bursty_bound_tree(row.radix, row.levels, row.load, row.burst), query);
    CHECK(bursty_bound_value(answer.above[1]) <= 1);
    CHECK(bursty_bound_value(answer.above[2]) < 1e-6);
    CHECK(bursty_bound_value(answer.queueing[0].at) <= 1e-6 * (1 + 1e-12));
    CHECK(bursty_bound_value(answer.queueing[0].before.at(0)) > 1e-6);
  }
}

TEST_CASE("delay bound with bursts: a queue behind a busy link that is full is an error") {
  const bounds::BoundedSource source{rational("0.2"), 3, traffic::Burst{rational("10"), rational("1/2")}};
  const std::vector<bounds::BoundedRoute> routes{{{source}, {{{source}, rational("1/2")}}, 1}};
  CHECK_THROWS_AS(bounds::delay_bound(routes, bursty_bound_levels({1})), Unstable);
}

TEST_CASE("delay bound with bursts: a first queue of unequal sources, including Bernoulli, is bounded") {
  const traffic::Burst burst{rational("10"), rational("1/4")};
  const bounds::BoundedSource two{rational("0.15"), 2, burst};
  const std::vector<bounds::BoundedRoute> apart{{{two, two}, {}, 1}},
      together{{{{rational("0.15"), 4, burst}}, {}, 1}}, mixed{{{two, {rational("0.15"), 2}}, {}, 1}},
      bernoulli{{{{rational("0.15"), 4}}, {}, 1}};
  const auto levels = bursty_bound_levels({0, 2, 5, 10, 20});
  const auto loose = bounds::delay_bound(apart, levels), exact = bounds::delay_bound(together, levels),
             half = bounds::delay_bound(mixed, levels), none = bounds::delay_bound(bernoulli, levels);
  for (std::size_t i = 0; i < levels.levels.size(); ++i) {
    CHECK(bursty_bound_value(loose.above[i]) >= bursty_bound_value(exact.above[i]));
    CHECK(bursty_bound_value(loose.above[i]) >= bursty_bound_value(half.above[i]));
    CHECK(bursty_bound_value(half.above[i]) >= bursty_bound_value(none.above[i]));
  }
  CHECK(bursty_bound_value(exact.above[4]) < 0.9 * bursty_bound_value(loose.above[4]));
}

TEST_CASE("delay bound with bursts: means exact for Bernoulli sources, upper bounds for on-off sources") {
  const bounds::BoundedSource plain{rational("0.1"), 7};
  CHECK(numeric::nearest_double(bounds::mean_wait_bound({plain})) ==
        Approx(0.1 * 6 / (2 * (1 - 0.7))).epsilon(1e-14));
  const queue::OnOffGroup group{traffic::on_off(rational("0.15"), {rational("16"), rational("1/4")}), 4};
  queue::MarkovQueue queue(queue::MarkovArrivals::on_off({group}));
  const double exact = static_cast<double>(
      numeric::upper(queue::claim_bounds(queue::mean_hop_delay(queue, queue::HopDelay::wait)).bounds));
  const double bound = numeric::nearest_double(
      bounds::mean_wait_bound({{rational("0.15"), 4, traffic::Burst{rational("16"), rational("1/4")}}}));
  CHECK(exact == Approx(0.878).epsilon(2e-3));
  CHECK(bound == Approx(1.9125).epsilon(1e-9));
  // V'(1)/rho by a difference quotient of V by definition.
  const auto left = [](double x) {
    return 0.4 * x / (1 + x - std::exp(4 * bursty_bound_log_eigenvalue(0.6, 16, 0.25, 1 + x)));
  };
  CHECK(bound == Approx((left(1e-4) - left(-1e-4)) / 2e-4 / 0.6).epsilon(1e-5));
  CHECK_THROWS_AS(bounds::mean_wait_bound({{rational("0.25"), 4}}), Unstable);
}
