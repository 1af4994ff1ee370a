#include <catch2/catch.hpp>
#include <tailbound/bounds/wormhole/broadcast.hpp>
#include <tailbound/core/error.hpp>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <random>
#include <vector>

// Unicast and broadcast in hypercubes: known values, the printed equations solved simultaneously by damped
// iteration, and rates and distances counted on listed trees and paths.

namespace {

using namespace tailbound::bounds::wormhole;
using tailbound::InvalidArgument;

BroadcastCube cube(int dimensions, std::int64_t virtual_channels, double flits, double broadcast,
                   Replication replication = Replication::conserving) {
  return {.dimensions = dimensions,
          .virtual_channels = virtual_channels,
          .flits = flits,
          .broadcast = broadcast,
          .startup = 1,
          .replication = replication};
}

TEST_CASE("broadcast: known saturation rates") {
  for (const Replication replication : {Replication::conserving, Replication::literal})
    CHECK(broadcast_saturation(cube(6, 4, 32, 0, replication)) == Approx(0.02756466163).margin(5.1e-12));
  CHECK(broadcast_saturation(cube(6, 4, 32, 0.01, Replication::literal)) ==
        Approx(0.0253856597289).margin(5.1e-14));
  CHECK(broadcast_saturation(cube(6, 4, 32, 0.01)) == Approx(0.0236184476651).margin(5.1e-14));
  CHECK(broadcast_saturation(cube(8, 4, 32, 0.01, Replication::literal)) ==
        Approx(0.0211571543508).margin(5.1e-14));
  CHECK(broadcast_saturation(cube(8, 4, 32, 0.01)) == Approx(0.0176163856002).margin(5.1e-14));
}

TEST_CASE("broadcast: known latencies at half of saturation") {
  const double rate = broadcast_saturation(cube(6, 4, 32, 0.01)) / 2;
  CHECK(rate == Approx(0.01180922383).margin(5.1e-12));
  const auto conserving = broadcast_latency(cube(6, 4, 32, 0.01), rate);
  const auto literal = broadcast_latency(cube(6, 4, 32, 0.01, Replication::literal), rate);
  REQUIRE(conserving);
  REQUIRE(literal);
  CHECK(conserving->unicast_latency == Approx(60.02881).margin(5.1e-6));
  CHECK(conserving->broadcast_latency == Approx(336.25776).margin(5.1e-6));
  CHECK(literal->unicast_latency == Approx(57.398623).margin(5.1e-7));
  CHECK(literal->broadcast_latency == Approx(321.61834).margin(5.1e-6));
}

/// Unicast and broadcast latency by the printed equations, in order, all S_i together: half steps from S_i =
/// M until nothing changes. With one injection or ejection channel per node, as derived.
struct Iterated {
  double unicast = 0, broadcast = 0;
};

Iterated iterate(const BroadcastCube& of, double rate) {
  const int n = of.dimensions;
  const auto size = static_cast<std::size_t>(n);
  const double N = std::pow(2, n), M = of.flits, b = of.broadcast;
  const auto V = static_cast<std::size_t>(of.virtual_channels);
  const bool literal = of.replication == Replication::literal;
  double wbar = 0;  // (10)
  for (int i = 0; i < n; ++i) wbar += i * std::pow(2, n - i - 1) / (N - 1);
  const double lsu = (1 - b) * rate, lsb = b * rate, lsr = (std::pow(2, n - 1) - 1) * b * rate;  // (3)
  const double lcu = lsu * n / 2 * N / (N - 1) / n, lcb = lsb;                                   // (7), (8)
  const double lcr = literal ? wbar / n * lsr : (N - 1) / n * lsb - lsb;                         // (11)
  const double lc = lcu + lcb + lcr;                                                             // (4)
  double last = M;  // time for which a message occupies its last link
  if (of.ends.ejection == tailbound::network::Ejection::one) {
    const double le = lsu + (N - 1) * lsb;
    last += 1 + (1 - 1.0 / static_cast<double>(size * V)) * le * M * M / (2 * (1 - le * M));
  }
  std::vector<double> S(size, M), B(size), P(V + 1), multiplexing(size);
  std::vector<double> gamma(std::size_t{1} << size, last);  // [destination], from node 0
  double change = 1;
  for (int round = 0; change > 4e-16 && round < 3000; ++round) {
    for (std::size_t i = 0; i < size; ++i) {
      const double before = i == 0 ? M : S[i - 1];
      const double W = lc * S[i] * S[i] * (1 + (S[i] - before) * (S[i] - before) / (S[i] * S[i])) /
                       (2 * (1 - lc * S[i]));  // (15)-(19)
      P[0] = 1;
      double sum = 1, first = 0, second = 0;
      for (std::size_t v = 1; v <= V; ++v) {  // (29), (30)
        P[v] = P[v - 1] * (v < V ? lc * S[i] : lc / (1 / S[i] - lc));
        sum += P[v];
        first += static_cast<double>(v) * P[v];
        second += static_cast<double>(v * v) * P[v];
      }
      B[i] = P[V] / sum * W;             // (14)
      multiplexing[i] = second / first;  // (31)
    }
    change = 0;
    for (std::size_t i = 0; i < size; ++i) {
      double Su = 0;  // (20), (22): destinations 2^i to 2^(i + 1) - 1 in the dimensions up to i
      for (std::size_t node = std::size_t{1} << i; node < std::size_t{2} << i; ++node) {
        gamma[node] = 1 + B[i] + gamma[node - (std::size_t{1} << i)];  // (21)
        Su += gamma[node] / std::pow(2, i);
      }
      const double next = ((lcb + lcr) * (last + B[i]) + lcu * Su) / lc;  // (12), (13)
      change = std::max(change, std::abs(next - S[i]) / next);
      S[i] = (S[i] + next) / 2;
    }
  }
  double Sb = last, Su = 0, Vbar = 0;
  for (std::size_t i = 0; i < size; ++i) {
    Sb += B[i] / n;               // (23), (24)
    Vbar += multiplexing[i] / n;  // (32)
  }
  for (std::size_t node = 1; node < gamma.size(); ++node) Su += gamma[node] / (N - 1);  // (27)
  const double ls = lsu / n + lsb + (literal ? wbar / n * lsr : lcr);                   // (25)
  const double tree = literal ? lsb + lsr : lsb + lcr, other = literal ? lsu : lsu / n;
  const double Ss = (tree * Sb + other * Su) / (tree + other);  // (26)
  if (of.ends.injection == tailbound::network::Injection::one) {
    const double X = Ss * Vbar, variance = (X - M) * (X - M);
    double served = lsu * X, squares = lsu * (X * X + variance);
    const auto batch = [&](double of_rate, int copies) {  // one copy after another
      served += of_rate * copies * X;
      squares += of_rate * (copies * copies * X * X + copies * variance);
    };
    batch(lsb, n);
    for (int r = 0; r < n; ++r) batch(lsb * std::pow(2, n - 1 - r), r);
    const double W = squares / (2 * (1 - served));
    return {Su * Vbar + W, n * (Sb * Vbar + W + of.startup)};
  }
  const double Ws = ls * Ss * Ss * (1 + (Ss - M) * (Ss - M) / (Ss * Ss)) / (2 * (1 - ls * Ss));  // (28)
  return {(Su + Ws) * Vbar, n * ((Sb + Ws) * Vbar + of.startup)};  // (33), (2), (1)
}

/// Every choice of injection and ejection except the published one.
const std::vector<tailbound::network::WormEnds> other_ends{
    {tailbound::network::Injection::one, tailbound::network::Ejection::one},
    {tailbound::network::Injection::one, tailbound::network::Ejection::unlimited},
    {tailbound::network::Injection::ports, tailbound::network::Ejection::one}};

TEST_CASE("broadcast: one injection or ejection channel per node matches damped iteration") {
  for (const auto& ends : other_ends)
    for (const int n : {1, 4, 7})
      for (const int V : {2, 4})
        for (const double b : {0.0, 0.01, 1.0}) {
          BroadcastCube requested = cube(n, V, 32, b);
          requested.ends = ends;
          const double saturation = broadcast_saturation(requested);
          CAPTURE(n, V, b, static_cast<int>(ends.injection), static_cast<int>(ends.ejection), saturation);
          for (const double fraction : {0.2, 0.5, 0.8}) {
            const auto solved = broadcast_latency(requested, fraction * saturation);
            REQUIRE(solved);
            const Iterated other = iterate(requested, fraction * saturation);
            CHECK(solved->unicast_latency == Approx(other.unicast).epsilon(1e-12));
            CHECK(solved->broadcast_latency == Approx(other.broadcast).epsilon(1e-12));
          }
        }
}

TEST_CASE("broadcast: the published equations support ports and no ejection channels") {
  for (const auto& ends : other_ends) {
    BroadcastCube requested = cube(3, 2, 8, 0.1, Replication::literal);
    requested.ends = ends;
    const bool by_one = ends.ejection == tailbound::network::Ejection::unlimited;
    CHECK_THROWS_WITH(
        broadcast_saturation(requested),
        by_one ? "injection is one; it must be ports with replication literal: the published equations"
               : "ejection is one; it must be unlimited with replication literal: the published equations");
  }
}

TEST_CASE("broadcast: bracketing matches damped iteration of the printed equations") {
  for (const Replication replication : {Replication::conserving, Replication::literal}) {
    const std::clock_t start = std::clock();
    double worst = 0;
    int points = 0;
    for (const int n : {4, 5, 6, 7, 8})
      for (const int V : {2, 3, 4, 6})
        for (const int M : {32, 64, 100})
          for (const double b : {0.0, 0.005, 0.01}) {
            const BroadcastCube requested = cube(n, V, M, b, replication);
            const double saturation = broadcast_saturation(requested);
            for (const double fraction : {0.2, 0.5, 0.8}) {
              const auto solved = broadcast_latency(requested, fraction * saturation);
              REQUIRE(solved);
              const Iterated other = iterate(requested, fraction * saturation);
              worst = std::max({worst, std::abs(solved->unicast_latency / other.unicast - 1),
                                std::abs(solved->broadcast_latency / other.broadcast - 1)});
              ++points;
            }
          }
    CHECK(points == 540);
    CHECK(worst < 1e-12);
    CHECK(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC < 2);  // both methods, CPU time of this
                                                                            // process
  }
}

using Node = std::uint32_t;

/// A broadcast along a spanning binomial tree whose dimensions are rotated by `base`: a copy that arrived
/// over relative dimension r is forwarded over 0 .. r - 1. Counts the crossings of each channel [node n +
/// dimension] and the visits of each node.
void walk_tree(int n, Node at, int base, int below, std::vector<int>& crossings, std::vector<int>& visits) {
  ++visits[at];
  for (int r = 0; r < below; ++r) {
    const int dimension = (base + r) % n;
    ++crossings[at * static_cast<Node>(n) + static_cast<Node>(dimension)];
    walk_tree(n, at ^ (Node{1} << dimension), base, r, crossings, visits);
  }
}

/// Number of copies that each node sends in a tree below a number of relative dimensions.
void batches_of_tree(int below, std::vector<int>& copies) {
  copies.push_back(below);
  for (int r = 0; r < below; ++r) batches_of_tree(r, copies);
}

TEST_CASE("broadcast: channel rates match counts over trees and paths") {
  const int n = GENERATE(range(3, 9));
  const Node N = Node{1} << n, channels = N * static_cast<Node>(n);
  std::vector<int> tree(channels, 0), unicast(channels, 0);
  for (Node root = 0; root < N; ++root) {
    for (int base = 0; base < n; ++base) {
      std::vector<int> visits(N, 0);
      std::vector<int> own(channels, 0);
      walk_tree(n, root, base, n, own, visits);
      int crossings = 0;
      for (Node i = 0; i < channels; ++i) {
        crossings += own[i];
        tree[i] += own[i];
      }
      CHECK(crossings == static_cast<int>(N) - 1);
      CHECK(std::all_of(visits.begin(), visits.end(), [](int count) { return count == 1; }));
    }
    for (Node destination = 0; destination < N; ++destination) {
      Node at = root;
      for (int dimension = n - 1; dimension >= 0; --dimension)
        if (((root ^ destination) >> dimension & 1) != 0) {
          ++unicast[at * static_cast<Node>(n) + static_cast<Node>(dimension)];
          at ^= Node{1} << dimension;
        }
      REQUIRE(at == destination);
    }
  }
  // One message of each node, its base or destination random.
  const BroadcastRates all_broadcast = broadcast_rates(cube(n, 2, 32, 1));
  const BroadcastRates all_unicast = broadcast_rates(cube(n, 2, 32, 0));
  CHECK(all_broadcast.unicast == 0);
  CHECK(all_broadcast.broadcast == 1);
  CHECK(all_unicast.broadcast + all_unicast.copies == 0);
  for (Node i = 0; i < channels; ++i) {
    CHECK(all_broadcast.all() == Approx(tree[i] / static_cast<double>(n)).epsilon(1e-14));
    CHECK(all_unicast.all() == Approx(unicast[i] / static_cast<double>(N - 1)).epsilon(1e-14));
  }
  // Each crossing of a tree is a separate message at one of the n ports of a node.
  const auto point = broadcast_latency(cube(n, 2, 32, 1), 1e-6);
  REQUIRE(point);
  CHECK(point->source_utilization == Approx(1e-6 * tree[0] / n * point->step_service).epsilon(1e-14));
  // Copies that a node sends at a time, over all trees with the same base.
  std::vector<int> copies;
  batches_of_tree(n, copies);
  int sent = 0, squares = 0;
  for (const int count : copies) {
    sent += count;
    squares += count * count;
  }
  CHECK(copies.size() == N);
  CHECK(sent == static_cast<int>(N) - 1);
  CHECK(batch_squares(n) == squares);
  double distance = 0;
  for (const int count : unicast) distance += count / static_cast<double>(N) / static_cast<double>(N - 1);
  CHECK(n * all_unicast.unicast == Approx(distance).epsilon(1e-14));  // dbar
  const BroadcastRates printed = broadcast_rates(cube(n, 2, 32, 1, Replication::literal));
  CHECK(printed.copies == Approx(all_broadcast.copies * (N / 2.0 - 1) / (N - 1.0)).epsilon(1e-14));
}

TEST_CASE("broadcast: without broadcasts both variants are the unicast M/G/1 chain") {
  const BroadcastCube conserving = cube(7, 3, 64, 0), literal = cube(7, 3, 64, 0, Replication::literal);
  CHECK(broadcast_saturation(conserving) == broadcast_saturation(literal));
  const double rate = 0.6 * broadcast_saturation(conserving);
  const auto point = broadcast_latency(conserving, rate), other = broadcast_latency(literal, rate);
  REQUIRE(point);
  REQUIRE(other);
  CHECK(point->unicast_latency == other->unicast_latency);
  CHECK(point->broadcast_latency == other->broadcast_latency);
  // S_i - S_(i-1) is then W and B of the dimensions passed: each S_i is the time of a lone unicast.
  double lower = 0;
  for (const BroadcastDimension& dimension : point->dimensions) {
    CHECK(dimension.service == Approx(64 + 1 + dimension.blocking + lower / 2).epsilon(1e-14));
    CHECK(dimension.utilization == Approx(rate * 64 / 127.0 * dimension.service).epsilon(1e-14));
    lower += 1 + dimension.blocking;
  }
  CHECK(point->source_utilization == Approx(rate / 7 * point->unicast_service).epsilon(1e-14));
}

TEST_CASE("broadcast: zero load, and unlimited virtual channels") {
  const Replication replication = GENERATE(Replication::conserving, Replication::literal);
  for (const double b : {0.0, 0.01, 1.0}) {
    const auto idle = broadcast_latency(cube(6, 4, 32, b, replication), 0);
    const auto nearly = broadcast_latency(cube(6, 4, 32, b, replication), 1e-13);
    REQUIRE(idle);
    REQUIRE(nearly);
    CHECK(idle->multiplexing == 1);
    CHECK(idle->source_wait == 0);
    CHECK(idle->unicast_latency == Approx(32 + 3 * 64 / 63.0).epsilon(1e-15));  // M + dbar
    CHECK(idle->broadcast_latency == Approx(6 * (32 + 1)).epsilon(1e-15));
    CHECK(nearly->multiplexing == Approx(1).epsilon(1e-9));
    CHECK(nearly->unicast_latency == Approx(idle->unicast_latency).epsilon(1e-9));
    CHECK(nearly->broadcast_latency == Approx(idle->broadcast_latency).epsilon(1e-9));
  }
  const double rate = 0.8 * broadcast_saturation(cube(6, 2, 32, 0.01, replication));
  double before = std::numeric_limits<double>::infinity();
  for (const std::int64_t V : {2, 4, 16, 64, 1'000'000}) {
    const auto point = broadcast_latency(cube(6, V, 32, 0.01, replication), rate);
    REQUIRE(point);
    double blocked = 0;
    for (const BroadcastDimension& dimension : point->dimensions) blocked += dimension.blocking;
    CHECK(blocked < before);
    before = blocked;
    if (V < 1'000'000) continue;
    CHECK(blocked == 0);
    CHECK(point->step_service == 32);
    // P_v is geometric then: V_i = (1 + r) / (1 - r)
    for (const BroadcastDimension& dimension : point->dimensions)
      CHECK(dimension.multiplexing ==
            Approx((1 + dimension.utilization) / (1 - dimension.utilization)).epsilon(1e-14));
  }
}

TEST_CASE("broadcast: solved below the saturation rate, not above, and increasing up to it") {
  std::mt19937 random(58);
  const auto uniform = [&](double minimum, double largest) {
    return std::uniform_real_distribution<double>(minimum, largest)(random);
  };
  for (int trial = 0; trial < 60; ++trial) {
    const int n = std::uniform_int_distribution<int>(1, 20)(random);
    const std::int64_t V = std::uniform_int_distribution<std::int64_t>(2, trial % 4 == 0 ? 1000 : 8)(random);
    const double b = trial % 3 == 0 ? uniform(0, 1) : trial % 7 == 0 ? 1 : uniform(0, 0.02);
    BroadcastCube requested = cube(n, V, std::floor(std::exp(uniform(0, 7))), b,
                                   trial % 2 == 0 ? Replication::conserving : Replication::literal);
    const auto choice = static_cast<std::size_t>(trial / 2 % 4);
    if (trial % 2 == 0 && choice < other_ends.size()) requested.ends = other_ends[choice];
    const double saturation = broadcast_saturation(requested);
    CAPTURE(n, V, b, requested.flits, static_cast<int>(requested.ends.injection),
            static_cast<int>(requested.ends.ejection), saturation);
    REQUIRE(saturation > 0);
    double unicast = 0, broadcast = 0;
    for (const double fraction : {0.0, 0.1, 0.5, 0.9, 0.99, 0.9999, 1 - 1e-13}) {
      const auto point = broadcast_latency(requested, fraction * saturation);
      REQUIRE(point);
      CHECK(point->unicast_latency > unicast);
      CHECK(point->broadcast_latency > broadcast);
      unicast = point->unicast_latency;
      broadcast = point->broadcast_latency;
      double before = requested.flits;
      for (const BroadcastDimension& dimension : point->dimensions) {
        const double printed =
            dimension.service * dimension.service + std::pow(dimension.service - before, 2);
        const double r = dimension.utilization;
        CHECK(dimension.wait * 2 * (1 - r) * dimension.service == Approx(r * printed).epsilon(1e-12));
        before = dimension.service;
      }
    }
    for (const double factor : {1 + 1e-12, 1.0001, 1.01, 1.1, 1.3, 2.0, 10.0})
      CHECK_FALSE(broadcast_latency(requested, factor * saturation));
  }
}

TEST_CASE("broadcast: one dimension has one receiver and no copies") {
  const BroadcastCube pair = cube(1, 2, 16, 0.5);
  CHECK(broadcast_rates(pair).copies == 0);
  CHECK(broadcast_rates(pair).all() == 1);
  const auto point = broadcast_latency(pair, 0.5 * broadcast_saturation(pair));
  REQUIRE(point);
  CHECK(point->dimensions.size() == 1);
  // The same channel and port; the unicast alone has a term for its hop.
  CHECK(point->unicast_service == Approx(point->step_service + 1).epsilon(1e-15));
  CHECK(point->broadcast_latency ==
        Approx((point->step_service + point->source_wait) * point->multiplexing + 1).epsilon(1e-15));
}

TEST_CASE("broadcast: arguments out of range are rejected") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const BroadcastCube& wrong :
       {cube(0, 4, 32, 0), cube(21, 4, 32, 0), cube(40, 4, 32, 0), cube(-3, 4, 32, 0), cube(6, 1, 32, 0),
        cube(6, 0, 32, 0), cube(6, 1'000'001, 32, 0), cube(6, 4, 0, 0), cube(6, 4, nan, 0),
        cube(6, 4, 1.1e9, 0), cube(6, 4, 32, -0.01), cube(6, 4, 32, 1.01), cube(6, 4, 32, nan),
        BroadcastCube{.dimensions = 6, .virtual_channels = 4, .flits = 32, .startup = -1},
        BroadcastCube{.dimensions = 6, .virtual_channels = 4, .flits = 32, .startup = infinity}}) {
    CHECK_THROWS_AS(broadcast_latency(wrong, 0.001), InvalidArgument);
    CHECK_THROWS_AS(broadcast_saturation(wrong), InvalidArgument);
    CHECK_THROWS_AS(broadcast_rates(wrong), InvalidArgument);
  }
  for (const double rate : {-0.001, nan, infinity})
    CHECK_THROWS_AS(broadcast_latency(cube(6, 4, 32, 0), rate), InvalidArgument);
}

}  // namespace
