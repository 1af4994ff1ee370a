#include <tailbound/bounds/multistage/blocking_queue.hpp>
#include <tailbound/bounds/multistage/combining.hpp>
#include <tailbound/core/error.hpp>

#include <catch2/catch.hpp>
#include <cmath>

namespace tailbound::bounds::multistage {
namespace {

using numeric::parse_rational;

network::CombiningMultistage network_of(std::int64_t nodes, std::int64_t size, std::int64_t buffer,
                                        const char* hot, std::optional<std::int64_t> combining) {
  return {.network = {nodes, size},
          .buffer = buffer,
          .hot = parse_rational(hot, "hot"),
          .combining = combining,
          .links = network::Links::any};
}

Point at(const network::CombiningMultistage& network, const char* load, Variant variant = Variant::blocking) {
  return solve(network, parse_rational(load, "load"), variant);
}

TEST_CASE("multistage, published: values from an independent program") {
  const network::CombiningMultistage network = network_of(64, 2, 4, "0.08", 2);
  struct Row {
    const char* load;
    double throughput, delay, hot_delay;
  };
  for (const Row& row : {Row{"0.3", 0.2989, 7.41629, 8.84594},
                         {"0.5", 0.48893, 8.99329, 11.2978},
                         {"0.8", 0.6916, 12.14402, 14.51753},
                         {"1", 0.74531, 13.85973, 15.98421}}) {
    const Point point = at(network, row.load, Variant::published);
    CHECK(point.throughput == Approx(row.throughput).margin(6e-6));
    CHECK(point.delay == Approx(row.delay).margin(6e-6));
    CHECK(point.hot_delay == Approx(row.hot_delay).margin(6e-6));
    CHECK(point.ending.stop == Stop::direct);
  }
  CHECK(at(network_of(64, 2, 4, "0.08", 1), "1", Variant::published).throughput ==
        Approx(0.687).margin(5e-4));
}

TEST_CASE("multistage, published: no hot spot or only one, at the ends of the range") {
  for (const std::optional<std::int64_t> combining : {std::optional<std::int64_t>{1}, {3}, {}}) {
    const Point cold = at(network_of(64, 4, 4, "0", combining), "0.4", Variant::published);
    CHECK(cold.delay == Approx(cold.cold_delay));
    const Point hot = at(network_of(64, 4, 4, "1", combining), "0.4", Variant::published);
    CHECK(hot.delay == Approx(hot.hot_delay));
    CHECK(hot.throughput <= 0.4);
  }
}

TEST_CASE("multistage, blocking: arrivals leave a queue or join") {
  for (const std::optional<std::int64_t> combining : {std::optional<std::int64_t>{1}, {2}, {3}, {}})
    for (const int sources : {0, 2, 4}) {
      BlockingQueue queue(4, sources, combining);
      const NeighbourMeans seen{.attempt = 0.4, .hot = 0.5, .held = 0.3, .held_time = 1.5};
      const QueueMeans means = queue.round(seen, 500);
      CHECK(means.arrivals - means.joined == Approx(1).epsilon(1e-9));  // one leaves in each cycle
      CHECK((means.joined > 0.01) == (combining != 1));
      CHECK(means.hot_blocked + means.cold_blocked > 0);
    }
}

TEST_CASE("multistage, blocking: light load") {
  // D -> n + rho / 2 + (n - 1) (rho / 2) (1 - 1 / s), to the first order.
  for (const auto& [nodes, size, stages] : {std::tuple{64, 2, 6}, {64, 4, 3}, {81, 3, 4}}) {
    const Point point = at(network_of(nodes, size, 4, "0", 1), "0.001");
    const double wait = 0.0005 * (1 + (stages - 1) * (1 - 1.0 / size));
    CHECK(point.delay - stages == Approx(wait).epsilon(0.01));
    CHECK(point.throughput == Approx(0.001).epsilon(1e-5));
  }
}

TEST_CASE("multistage, blocking: the limit without combining") {
  for (const auto& [nodes, size, hot] : {std::tuple{64, 2, "0.08"}, {256, 2, "0.16"}, {256, 4, "0.04"}}) {
    const network::CombiningMultistage network = network_of(nodes, size, 4, hot, 1);
    const double limit = numeric::nearest_double(network::saturation_bound(network));
    const double h = numeric::nearest_double(network.hot);
    CHECK(limit == Approx(1 / (1 - h + h * nodes / size)));
    const Point point = at(network, "1");
    CHECK(point.ending.stop == Stop::converged);
    CHECK(point.throughput == Approx(limit).epsilon(0.02));
    CHECK(point.throughput <= limit * (1 + 1e-6));
  }
}

TEST_CASE("multistage, blocking: simulated values at 64 nodes") {
  // N = 64, s = 2, L = 4, h = 0.08; tests/validation/multistage_test.cpp has more, against its own
  // simulation.
  struct Row {
    std::optional<std::int64_t> combining;
    const char* load;
    double throughput, delay, delay_error;
  };
  for (const Row& row : {Row{2, "0.3", 0.2996, 6.917, 0.02},
                         {2, "0.5", 0.4993, 8.272, 0.02},
                         {4, "0.5", 0.4990, 8.156, 0.02},
                         {2, "1", 0.7634, 18.37, 0.03},
                         {1, "1", 0.2880, 38.00, 0.03}}) {
    const Point point = at(network_of(64, 2, 4, "0.08", row.combining), row.load);
    CHECK(point.ending.stop == Stop::converged);
    CHECK(point.throughput == Approx(row.throughput).epsilon(0.02));
    CHECK(point.delay == Approx(row.delay).epsilon(row.delay_error));
  }
}

TEST_CASE("multistage, blocking: combining and larger buffers increase throughput") {
  double before = 0;
  for (const std::optional<std::int64_t> combining : {std::optional<std::int64_t>{1}, {2}, {4}}) {
    const double throughput = at(network_of(64, 2, 4, "0.16", combining), "0.7").throughput;
    CHECK(throughput > before);
    before = throughput;
  }
  CHECK(at(network_of(64, 2, 8, "0", 1), "1").throughput > at(network_of(64, 2, 2, "0", 1), "1").throughput);
}

TEST_CASE("multistage: errors") {
  const network::CombiningMultistage network = network_of(64, 2, 4, "0.1", 2);
  CHECK_THROWS_AS(at(network, "0"), InvalidArgument);
  CHECK_THROWS_AS(at(network, "1.1"), InvalidArgument);
  CHECK_THROWS_AS(at(network_of(60, 2, 4, "0.1", 2), "0.5"), InvalidArgument);
  CHECK_THROWS_AS(at(network_of(64, 2, 0, "0.1", 2), "0.5"), InvalidArgument);
  CHECK_THROWS_AS(at(network_of(64, 2, 5000, "0.1", 2), "0.5"), LimitExceeded);
  CHECK_NOTHROW(at(network_of(64, 2, 5000, "0.1", 2), "0.5", Variant::published));
}

TEST_CASE("multistage: the ending in words") {
  CHECK(in_words({Stop::direct, 1, 0}) == "one pass, without iteration");
  CHECK(in_words({Stop::saturated, 7, 0}) == "stopped after 7 rounds: a utilization would reach 100 %");
  CHECK(in_words({Stop::converged, 153, 1e-7}) == "converged after 153 rounds (last change 1e-07)");
  CHECK(in_words({Stop::too_many_rounds, 10, 0.5}) ==
        "stopped without convergence after 10 rounds (last change 0.5)");
}

}  // namespace
}  // namespace tailbound::bounds::multistage
