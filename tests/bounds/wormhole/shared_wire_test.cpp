#include <tailbound/bounds/wormhole/shared_wire.hpp>
#include <tailbound/network/worms/hypercube_worms.hpp>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <set>

#include <tests/support/worm_ends.hpp>

namespace tailbound::bounds::wormhole {
namespace {

using test::all_ends;
BroadcastCube cube(int dimensions, std::int64_t virtual_channels, double flits, double broadcast,
                   double startup = 0) {
  return {.dimensions = dimensions,
          .virtual_channels = virtual_channels,
          .flits = flits,
          .broadcast = broadcast,
          .startup = startup,
          .replication = Replication::shared_wire};
}

/// Links of the path from one node to another.
std::vector<std::uint32_t> links(const network::WormNetwork& network, std::uint32_t from, std::uint32_t to) {
  std::vector<std::uint32_t> result;
  network::WormHead head{.source = from, .destination = to};
  for (;;) {
    const std::uint32_t station = network.next_station(head);
    if (station == network::WormNetwork::arrived) return result;
    if (head.passed > 0) result.push_back(station);
    head.channel = network.layout().stations[station].first;
    ++head.passed;
  }
}

/// Every choice of injection and ejection.
TEST_CASE("shared links: streams met by a unicast, path by path") {
  const network::WormEnds ends = GENERATE(from_range(all_ends));
  for (int n = 1; n <= 6; ++n) {
    const auto network = network::make_hypercube_worms(n, 1);
    const std::uint32_t nodes = network->layout().nodes;
    // Unicasts of a link relative to those of a node: each node sends one to each other.
    const double of_link = n / 2.0 * nodes / n;
    std::vector<std::vector<std::uint32_t>> all;  // sorted
    std::vector<std::uint32_t> lasts;
    for (std::uint32_t from = 0; from < nodes; ++from)
      for (std::uint32_t to = 0; to < nodes; ++to) {
        all.push_back(links(*network, from, to));
        lasts.push_back(all.back().empty() ? 0 : all.back().back());
        std::sort(all.back().begin(), all.back().end());
      }
    const std::vector<double> found = streams_met(n, ends);
    REQUIRE(found.size() == static_cast<std::size_t>(n) + 1);
    std::vector<double> met(found.size()), counts(found.size());
    for (std::uint32_t to = 1; to < nodes; ++to) {
      const std::vector<std::uint32_t>& own = all[to];  // from node 0: the cube is symmetric
      counts[own.size()] += 1;
      for (std::uint32_t other = 0; other < nodes * nodes; ++other) {
        const bool meets = std::any_of(all[other].begin(), all[other].end(), [&](std::uint32_t link) {
          return std::find(own.begin(), own.end(), link) != own.end();
        });
        // From the same node, one of n uses the same port and cannot be there too.
        const double same_port = ends.injection == network::Injection::ports ? 1.0 / n : 1;
        // Those that end with it wait for one ejection channel and do not share links.
        const bool waits = ends.ejection == network::Ejection::one && other % nodes == to;
        if (meets && waits) REQUIRE(lasts[other] == lasts[to]);
        if (meets && !waits) met[own.size()] += other < nodes ? 1 - same_port : 1;
      }
    }
    for (std::size_t d = 1; d < found.size(); ++d) {
      CAPTURE(n, d);
      CHECK(found[d] == Approx(met[d] / counts[d] / of_link).epsilon(1e-12).margin(1e-14));
    }
  }
}

struct Plain {
  double unicast = 0, wait = 0, step = 0, blocking = 0, held = 0;
};

/// The literal equations of the derivation: sums as sums, the fixed point by iteration.
Plain plain(const BroadcastCube& of, double rate) {
  const int n = of.dimensions;
  const double N = std::pow(2, n), M = of.flits, b = of.broadcast, dbar = n / 2.0 * N / (N - 1);
  const double lu = rate * (1 - b) * dbar / n, lb = rate * b * (N - 1) / n, l = lu + lb;
  const double ru = lu * M, rb = lb * M;
  const int V = static_cast<int>(of.virtual_channels);
  const auto served_with = [V](double x) {
    double sum = 0;
    for (int v = 1; v < V; ++v) sum += std::pow(x, v);
    return sum;
  };
  const auto choose = [](int m, int k) {
    return std::round(std::exp(std::lgamma(m + 1) - std::lgamma(k + 1) - std::lgamma(m - k + 1)));
  };
  double ku = ru * (1 + rb) / (1 - ru * (1 + rb)), kc = rb / (1 - ru * (1 + rb));  // (S2)
  const double all = ku + kc, limited = all > 0 ? served_with(all / (1 + all)) / all : 1;
  ku *= limited;
  kc *= limited;
  const bool ejects = of.ends.ejection == network::Ejection::one;
  const double q = of.ends.injection == network::Injection::ports ? 1.0 / n : 1;  // by the same port
  const double own = q / dbar, ended = ejects ? 1 / dbar * (1 - n * q / (N - 1)) : 0;
  const double kb = served_with(ru) * (1 - own - ended), c = 2 / (3 * std::sqrt(1 - ru - rb));
  const std::vector<double> D = streams_met(n, {of.ends.injection, network::Ejection::unlimited});
  const std::vector<double> shared = streams_met(n, of.ends);
  std::vector<double> s(D.size()), p(D.size());
  double Hu = 0, Hu2 = 0, behind = 0;
  for (int d = 1; d <= n; ++d) {
    const auto at = static_cast<std::size_t>(d);
    p[at] = choose(n, d) / (N - 1);
    const double with_copies = ejects ? std::max(0.0, d - 1 - q) : d - q;
    s[at] = shared[at] * ku + 1 - std::pow(1 - std::min(1.0, kc), with_copies);  // (S4), (S10)
  }
  // (S11): waits for the ejection channel and their variances, for unicasts and copies.
  double eu = 0, eb = 0, vu = 0, vb = 0;
  if (ejects) {
    const double gu = rate * (1 - b), gb = rate * b * (N - 1);
    double x = gb * M * (1 + kb), x2 = gb * M * M * (std::pow(1 + kb, 2) + c * kb);
    for (int d = 1; d <= n; ++d) {
      const auto at = static_cast<std::size_t>(d);
      x += gu * p[at] * M * (1 + s[at]);
      x2 += gu * p[at] * M * M * (std::pow(1 + s[at], 2) + c * s[at]);
    }
    const double any = x2 / (2 * (1 - x)), when_busy = any / x;  // x: the channel is busy
    eu = any * (1 - (rate * (1 - b) / (N - 1) + rate * b) * q / (gu + gb));
    eb = any * (1 - (gb / n + gu / (N - 1) * q) / (gu + gb));
    vu = 2 * when_busy * eu - eu * eu;
    vb = 2 * when_busy * eb - eb * eb;
  }
  for (int d = 1; d <= n; ++d) {
    const auto at = static_cast<std::size_t>(d);
    Hu += p[at] * d / dbar * (1 + s[at] + eu / M);
    Hu2 += p[at] * d / dbar * (std::pow(1 + s[at] + eu / M, 2) + c * s[at] + vu / (M * M));
    behind += p[at] * d / dbar * D[at] / d * (d - 1) / 2;
  }
  const double held_by_copy = 1 + kb + eb / M;
  const double H = (lu * Hu + lb * held_by_copy) / l;
  const double variation =
      (lu * Hu2 + lb * (std::pow(held_by_copy, 2) + c * kb + vb / (M * M))) / l / (H * H) - 1;
  const auto taken = [V](double a) {  // Erlang's C as a quotient of sums
    double sum = 0, term = 1;
    for (int v = 0; v < V; ++v) {
      sum += term;
      term *= a / (v + 1);
    }
    term *= V / (V - a);
    return term / (sum + term);
  };
  const auto wait = [&](double a, double lambda) {
    return lambda == 0 ? 0 : a / lambda * (1 + variation) / 2 / (V - a);
  };
  double a = l * H * M;
  for (int round = 0; round < 20'000; ++round) a = l * H * M + lu * behind * taken(a) * wait(a, l);  // (S6)
  const double w = wait(a, l), B = taken(a) * w, B2 = 2 * w * B - B * B;
  const double au = a - lb * held_by_copy * M, wc = wait(au, lu), Bc = taken(au) * wc;
  double Su = 0, X = 0, X2 = 0;
  for (int d = 1; d <= n; ++d) {
    const auto at = static_cast<std::size_t>(d);
    const double extra = M * s[at] + D[at] * B, port = M + extra - (d - 1) * extra / M / 2 + eu;
    Su += p[at] * (M + extra + d + (ejects ? 1 + eu : 0));
    X += p[at] * port;
    X2 += p[at] * (port * port + c * s[at] * M * M + D[at] * B2 + vu);
  }
  const double Xb = M * (1 + kb) + (1 - own) * Bc + eb;
  const double var_b = c * kb * M * M + (1 - own) * (2 * wc * Bc - Bc * Bc) + vb;
  const double hops = ejects ? 2 : 1;
  double W = 0;
  if (of.ends.injection == network::Injection::ports) {
    const double pu = rate * (1 - b) / n;
    W = (pu * X2 + lb * (Xb * Xb + var_b)) / (2 * (1 - pu * X - lb * Xb));  // (S7)
  } else {
    double served = rate * (1 - b) * X, squares = rate * (1 - b) * X2;  // (S12)
    const auto batch = [&](double of_rate, int copies) {
      served += of_rate * copies * Xb;
      squares += of_rate * copies * (copies * Xb * Xb + var_b);
    };
    batch(rate * b, n);
    for (int r = 1; r < n; ++r) batch(rate * b * std::pow(2, n - 1 - r), r);
    W = squares / (2 * (1 - served));
  }
  return {.unicast = Su + W, .wait = W, .step = Xb + hops, .blocking = B, .held = a};
}

TEST_CASE("shared links: the literal equations give the same") {
  std::mt19937 random(81);
  const auto uniform = [&](double minimum, double largest) {
    return std::uniform_real_distribution<double>(minimum, largest)(random);
  };
  for (int trial = 0; trial < 100; ++trial) {
    const int n = std::uniform_int_distribution<int>(1, 10)(random);
    const std::int64_t V = std::uniform_int_distribution<std::int64_t>(2, 9)(random);
    const double b = trial % 4 == 0 ? 0 : trial % 4 == 1 ? uniform(0, 1) : uniform(0, 0.05);
    BroadcastCube requested = cube(n, V, std::floor(std::exp(uniform(1, 6))), b);
    requested.ends = all_ends[static_cast<std::size_t>(trial / 4 % 4)];
    const double rate = uniform(0.05, 0.95) * broadcast_saturation(requested);
    const auto point = broadcast_latency(requested, rate);
    REQUIRE(point);
    const Plain expected = plain(requested, rate);
    CAPTURE(n, V, b, requested.flits, rate, trial / 4 % 4);
    CHECK(point->unicast_latency == Approx(expected.unicast).epsilon(1e-9));
    CHECK(point->source_wait == Approx(expected.wait).epsilon(1e-9).margin(1e-12));
    CHECK(point->step_service == Approx(expected.step).epsilon(1e-9));
    REQUIRE(point->dimensions.size() == static_cast<std::size_t>(n));
    for (const BroadcastDimension& dimension : point->dimensions) {
      CHECK(dimension.blocking == Approx(expected.blocking).epsilon(1e-8).margin(1e-12));
      const double l = dimension.utilization / requested.flits;
      CHECK(dimension.service * l == Approx(expected.held).epsilon(1e-9));
    }
  }
}

TEST_CASE("shared links: exactly known cases") {
  for (const double b : {0.0, 0.01, 1.0}) {
    const auto idle = broadcast_latency(cube(6, 4, 32, b, 3), 0);
    REQUIRE(idle);
    CHECK(idle->unicast_latency == Approx(32 + 3 * 64 / 63.0).epsilon(1e-14));
    CHECK(idle->broadcast_latency == Approx(6 * (32 + 1 + 3)).epsilon(1e-12));
    CHECK(idle->multiplexing == 1);
    CHECK(idle->source_wait == 0);
    const auto nearly = broadcast_latency(cube(6, 4, 32, b, 3), 1e-11);
    REQUIRE(nearly);
    CHECK(nearly->unicast_latency == Approx(idle->unicast_latency).epsilon(1e-6));
    CHECK(nearly->broadcast_latency == Approx(idle->broadcast_latency).epsilon(1e-4));
  }
  // With ejection channels, and with one injection channel, where the copies of a node are sent one after
  // another.
  for (const network::WormEnds& ends : all_ends) {
    BroadcastCube requested = cube(6, 4, 32, 0.01, 3);
    requested.ends = ends;
    const auto idle = broadcast_latency(requested, 0);
    REQUIRE(idle);
    const double hops = ends.ejection == network::Ejection::one ? 2 : 1;
    CHECK(idle->unicast_latency == Approx(32 + 3 * 64 / 63.0 + hops - 1).epsilon(1e-14));
    CHECK(idle->broadcast_latency == Approx(6 * (32 + hops + 3)).epsilon(0.002));  // error of the grid
  }
  // Two nodes: one port and one link, M/D/1.
  for (const double b : {0.0, 0.3, 1.0})
    for (const double rho : {0.2, 0.9}) {
      const auto pair = broadcast_latency(cube(1, 2, 10, b, 4), rho / 10);
      REQUIRE(pair);
      const double wait = rho * 10 / (2 * (1 - rho));
      CHECK(pair->source_wait == Approx(wait).epsilon(1e-13));
      CHECK(pair->unicast_latency == Approx(wait + 11).epsilon(1e-13));
      CHECK(pair->broadcast_latency == Approx(wait + 15).epsilon(0.002));  // error of the grid
    }
  for (const network::WormEnds& ends : all_ends) {
    BroadcastCube two = cube(1, 2, 10, 0.3, 4);
    two.ends = ends;
    const double after = ends.ejection == network::Ejection::one ? 1 : 0, wait = 0.9 * 10 / (2 * (1 - 0.9));
    const auto pair = broadcast_latency(two, 0.09);
    REQUIRE(pair);
    CHECK(pair->ejection_wait == Approx(0).margin(1e-13));
    CHECK(pair->source_wait == Approx(wait).epsilon(1e-12));
    CHECK(pair->unicast_latency == Approx(wait + 11 + after).epsilon(1e-12));
    CHECK(pair->broadcast_latency == Approx(wait + 15 + after).epsilon(0.002));
    CHECK(broadcast_saturation(two) == Approx(0.1).epsilon(1e-12));
  }
  CHECK(broadcast_saturation(cube(1, 2, 10, 0.3)) == Approx(0.1).epsilon(1e-13));
  // Copies never share a link with each other.
  const auto copies = broadcast_latency(cube(5, 2, 16, 1), 0.005);
  REQUIRE(copies);
  CHECK(copies->step_service == 17);
  CHECK(copies->source_utilization == Approx(0.005 * 31 / 5 * 16).epsilon(1e-13));
  // Without a limit of virtual channels nothing is blocked.
  double before = HUGE_VAL;
  for (const std::int64_t V : {2, 3, 5, 20, 1'000'000}) {
    const auto point = broadcast_latency(cube(6, V, 32, 0.01), 0.02);
    REQUIRE(point);
    CHECK(point->dimensions.front().blocking < before);
    before = point->dimensions.front().blocking;
  }
  CHECK(before == 0);
}

TEST_CASE("shared links: carried below the saturation rate, not above, with increasing latency") {
  std::mt19937 random(82);
  const auto uniform = [&](double minimum, double largest) {
    return std::uniform_real_distribution<double>(minimum, largest)(random);
  };
  for (int trial = 0; trial < 40; ++trial) {
    const int n = std::uniform_int_distribution<int>(1, 12)(random);
    const std::int64_t V = std::uniform_int_distribution<std::int64_t>(2, trial % 4 == 0 ? 1000 : 8)(random);
    const double b = trial % 3 == 0 ? uniform(0, 1) : trial % 7 == 0 ? 1 : uniform(0, 0.02);
    BroadcastCube requested = cube(n, V, std::floor(std::exp(uniform(0, 7))), b);
    requested.ends = all_ends[static_cast<std::size_t>(trial % 4)];
    const double saturation = broadcast_saturation(requested);
    CAPTURE(n, V, b, requested.flits, trial % 4, saturation);
    REQUIRE(saturation > 0);
    double unicast = 0, broadcast = 0;
    for (const double fraction : {0.0, 0.1, 0.5, 0.9, 0.99, 1 - 1e-12}) {
      const auto point = broadcast_latency(requested, fraction * saturation);
      REQUIRE(point);
      CHECK(point->unicast_latency > unicast);
      CHECK(point->broadcast_latency > broadcast);
      unicast = point->unicast_latency;
      broadcast = point->broadcast_latency;
    }
    for (const double factor : {1 + 1e-11, 1.0001, 1.01, 1.1, 2.0, 10.0})
      CHECK_FALSE(broadcast_latency(requested, factor * saturation));
  }
}

TEST_CASE("shared links: simulated time of a tree") {
  CHECK(tree_time(7, {.base = 5}) == Approx(35).epsilon(1e-12));
  const BroadcastStep step{.base = 33, .wait = 12, .busy = 0.4, .extra = 9, .spread = 130};
  CHECK(tree_time(1, step) == Approx(54).epsilon(0.001));
  std::mt19937_64 random(83);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::exponential_distribution<double> wait(0.4 / 12);
  std::gamma_distribution<double> extra(81.0 / 130, 130.0 / 9);
  for (const int n : {3, 6}) {
    constexpr int trees = 20'000;
    double sum = 0, square = 0;
    for (int tree = 0; tree < trees; ++tree) {
      std::vector<std::pair<double, int>> have{{0, n}};  // since when, and below which dimension it sends
      double last = 0;
      for (std::size_t i = 0; i < have.size(); ++i)
        for (int r = 0; r < have[i].second; ++r) {
          const double waited = uniform(random) < 0.4 ? wait(random) : 0;
          const double time = have[i].first + 33 + waited + extra(random);
          last = std::max(last, time);
          have.emplace_back(time, r);
        }
      sum += last / trees;
      square += last * last / trees;
    }
    const double error = std::sqrt((square - sum * sum) / trees);
    CAPTURE(n, sum, error);
    CHECK(std::abs(tree_time(n, step) - sum) < 4 * error + 0.001 * sum);
  }
}

TEST_CASE("shared links: simulated time of a tree with sequential copies") {
  const auto one = network::Injection::one;
  // Highest first: r copies of a node, each received before its receiver sends the next ones.
  CHECK(tree_time(7, {.base = 24 * 35, .startup = 35, .hops = 70}, one) == 7 * 24 * 35);
  const BroadcastStep step{
      .base = 39, .startup = 5, .hops = 2, .wait = 12, .busy = 0.4, .extra = 9, .spread = 130};
  std::mt19937_64 random(84);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::exponential_distribution<double> wait(0.4 / 12);
  std::gamma_distribution<double> extra(81.0 / 130, 130.0 / 9);
  for (const int n : {1, 3, 6}) {
    constexpr int trees = 20'000;
    double sum = 0, square = 0;
    for (int tree = 0; tree < trees; ++tree) {
      std::vector<std::pair<double, int>> have{{0, n}};
      double last = 0;
      for (std::size_t i = 0; i < have.size(); ++i) {
        double free = have[i].first + 5 + (uniform(random) < 0.4 ? wait(random) : 0);
        for (int r = have[i].second; r-- > 0;) {
          free += 32 + extra(random);
          last = std::max(last, free + 2);
          have.emplace_back(free + 2, r);
        }
      }
      sum += last / trees;
      square += last * last / trees;
    }
    const double error = std::sqrt((square - sum * sum) / trees);
    CAPTURE(n, sum, error);
    CHECK(std::abs(tree_time(n, step, one) - sum) < 4 * error + 0.003 * sum);
  }
}

}  // namespace
}  // namespace tailbound::bounds::wormhole
