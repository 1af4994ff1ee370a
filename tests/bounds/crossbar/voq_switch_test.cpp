#include <tailbound/bounds/crossbar/interpolation.hpp>
#include <tailbound/bounds/crossbar/voq_switch.hpp>
#include <tailbound/core/error.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

// Interpolated simulations of switches: values of an independent interpolation, the tables' own points, tails
// against rare-event simulations, what is not measured.

using namespace tailbound;
using namespace tailbound::bounds;
using Catch::Matchers::Contains;
using traffic::CrossbarScheduler;

namespace {

double quantile(const std::optional<MeasuredTail>& tail, double probability) {
  return tail.value().quantile(probability).value();
}

std::string reason(const VoqSwitch& voq) {
  try {
    static_cast<void>(measured_voq(voq));
  } catch (const NoAnswer& none) {
    return none.what();
  }
  return {};
}

}  // namespace

TEST_CASE("Monotone cubic: places, straight lines, no overshoot", "[voq_switch]") {
  const Places straight{{0, 1}, {1, 3}, {4, 9}, {5, 11}};
  for (const double x : {0.0, 0.3, 1.0, 2.7, 4.9, 5.0})
    CHECK(*monotone_cubic(straight, x) == Approx(1 + 2 * x));
  const Places stairs{{0, 0}, {1, 0}, {2, 1}, {3, 1}};
  for (double x = 0; x <= 3; x += 0.05) {
    CHECK(*monotone_cubic(stairs, x) >= -1e-15);
    CHECK(*monotone_cubic(stairs, x) <= 1 + 1e-15);
  }
  CHECK(*monotone_cubic(stairs, 1.5) == Approx(0.5));
  CHECK(!monotone_cubic(stairs, 3.01));
  CHECK(!monotone_cubic({{1, 1}}, 2));
  CHECK(*monotone_cubic({{1, 7}}, 1) == 7);
  // Slopes (0, 1): of x^2 at 0, 1, 3 the three-point slopes are exact.
  CHECK(*monotone_cubic({{1, 1}, {2, 4}, {4, 16}}, 1.0001) == Approx(1.0002).epsilon(1e-7));
}

TEST_CASE("Lagrange through the four nearest places", "[voq_switch]") {
  const auto cubic = [](double x) { return 2 - x + 3 * x * x - x * x * x; };
  Places places;
  for (const double x : {0.0, 1.0, 2.0, 3.5, 5.0, 6.0}) places.emplace_back(x, cubic(x));
  for (const double x : {0.2, 1.7, 2.9, 4.0, 5.9}) CHECK(*through_nearest(places, x) == Approx(cubic(x)));
  CHECK(!through_nearest(places, 6.1));
}

TEST_CASE("Interpolated switches: values of an independent interpolation", "[voq_switch]") {
  // Of the table that was interpolated there, whichever the library holds.
  std::ifstream file(TAILBOUND_DATA_DIR "/reference/crossbar_voq.csv");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const VoqTable table = read_voq_table(text);
  const MeasuredVoq islip = measured_voq({CrossbarScheduler::islip, 4, 24, 0.87}, table);
  CHECK(islip.ratio == Approx(2.1457).epsilon(0).margin(6e-5));
  CHECK(quantile(islip.delay, 1e-4) == Approx(89.92).epsilon(0).margin(6e-3));
  CHECK(quantile(islip.input, 1e-4) == Approx(15.73).epsilon(0).margin(6e-3));
  CHECK(quantile(islip.queue, 1e-4) == Approx(5.24).epsilon(0).margin(6e-3));
  CHECK(measured_voq({CrossbarScheduler::pim, 0, 10, 0.77}, table).ratio ==
        Approx(1.9368).epsilon(0).margin(6e-5));
  CHECK(measured_voq({CrossbarScheduler::islip, 2, 16, 0.82}, table).ratio ==
        Approx(2.7564).epsilon(0).margin(6e-5));
}

TEST_CASE("Interpolated switches: the tables' own points", "[voq_switch]") {
  std::size_t rows = 0;
  for (const auto& [key, by_ports] : voq_table())
    for (const auto& [ports, its] : by_ports)
      for (const VoqRow& row : its) {
        ++rows;
        if (key.first == CrossbarScheduler::islip && key.second >= ports) continue;
        const MeasuredVoq found = measured_voq({key.first, key.second, ports, row.load});
        CHECK(found.table == key);
        CHECK(found.ratio == Approx(row.ratio).epsilon(1e-12));
        for (const auto& [tail, quantiles] :
             {std::pair{&found.delay, &row.delay}, {&found.input, &row.input}, {&found.queue, &row.queue}})
          for (std::size_t i = 0; i < 4; ++i) {
            const auto& known = (*quantiles)[i];
            if (!known || !*tail) continue;
            CHECK((*tail)->quantile(std::pow(10, -static_cast<double>(i) - 1)).value() ==
                  Approx(*known).epsilon(1e-9).margin(0.011));
          }
      }
  CHECK(rows > 1700);
}

TEST_CASE("Interpolated switches: ratios of every table are plausible", "[voq_switch]") {
  for (const auto& [key, by_ports] : voq_table())
    for (const auto& [ports, its] : by_ports)
      for (const VoqRow& row : its) {
        CHECK(row.load > 0);
        CHECK(row.load < 1);
        CHECK(row.ratio > 0.98);  // the output queue is a lower bound; up to the error of a simulation
        for (const Quantiles* all : {&row.delay, &row.input, &row.queue})
          for (std::size_t i = 1; i < all->size(); ++i)
            if ((*all)[i - 1] && (*all)[i]) CHECK(*(*all)[i] >= *(*all)[i - 1]);
      }
}

TEST_CASE("Interpolated switches: continued tails match rare-event simulations", "[voq_switch]") {
  struct Rare {
    double load, tail, input, queue;  ///< real-valued levels from simulations, 0: not known
  };
  for (const auto& [load, tail, input, queue] :
       {Rare{0.5, 1e-9, 7.1, 4.9}, Rare{0.8, 1e-9, 18.8, 12.3}, Rare{0.9, 1e-9, 37.8, 24.8},
        Rare{0.8, 1e-12, 23.9, 0}, Rare{0.9, 1e-12, 47, 0}}) {
    const MeasuredVoq found = measured_voq({CrossbarScheduler::islip, 4, 16, load});
    CHECK(quantile(found.input, tail) == Approx(input).epsilon(0.06));
    if (queue > 0) CHECK(quantile(found.queue, tail) == Approx(queue).epsilon(0.05));
  }
}

TEST_CASE("Interpolated switches: tails", "[voq_switch]") {
  for (const double load : {0.25, 0.33, 0.5, 0.77, 0.9, 0.97}) {
    const MeasuredVoq found = measured_voq({CrossbarScheduler::islip, 4, 20, load});
    for (const auto* tail : {&found.delay, &found.input, &found.queue}) {
      double last = 0;
      for (double probability = 0.1; probability > 1e-14; probability /= 3) {
        const double level = quantile(*tail, probability);
        CHECK(level >= last);
        if (level > 0) CHECK((*tail)->above(level)->value == Approx(probability).epsilon(1e-6));
        last = level;
      }
      CHECK(!(*tail)->quantile(0.11));
    }
  }
  // From the load 0 on there is a mean, tails only where they were measured.
  const MeasuredVoq light = measured_voq({CrossbarScheduler::islip, 4, 16, 0.01});
  CHECK(light.ratio == Approx(1.01).epsilon(0.005));
  CHECK(!light.delay);
}

TEST_CASE("Interpolated switches: iterations", "[voq_switch]") {
  const auto ratio = [](std::int64_t iterations, std::int64_t ports) {
    return measured_voq({CrossbarScheduler::islip, iterations, ports, 0.9}).ratio;
  };
  CHECK(ratio(4, 4) == ratio(0, 4));
  CHECK(ratio(4, 2) == ratio(0, 2));
  CHECK(ratio(9, 64) == ratio(0, 64));
  CHECK(measured_voq({CrossbarScheduler::islip, 9, 64, 0.9}).between);
  CHECK(!measured_voq({CrossbarScheduler::islip, 64, 64, 0.9}).between);
  CHECK(ratio(2, 64) > 10 * ratio(4, 64));
  // 4 iterations end at 4 ports by themselves: 5 ports lie between those and 8.
  CHECK(ratio(4, 5) == Approx(ratio(0, 5)).epsilon(0.02));
}

TEST_CASE("Interpolated switches: what is not measured", "[voq_switch]") {
  CHECK_THAT(reason({CrossbarScheduler::islip, 4, 100, 0.5}), Contains("100 ports is not measured"));
  CHECK_THAT(reason({CrossbarScheduler::islip, 4, 16, 0.995}), Contains("up to load"));
  CHECK_THAT(reason({CrossbarScheduler::crosspoint, 3, 16, 0.5}), Contains("measured are 1, 2, 4"));
  CHECK_THAT(reason({CrossbarScheduler::maxweight, 0, 32, 0.5}), Contains("maxweight with 32 ports"));
  CHECK_THAT(reason({CrossbarScheduler::fifo, 0, 16, 0.5}), Contains("simulate crossbar"));
  CHECK(max_measured_load({CrossbarScheduler::islip, 4, 16, 0.5}) == Approx(0.98));
}

TEST_CASE("Interpolated switches: bursts and speedup", "[voq_switch]") {
  CHECK(burst_ratio({CrossbarScheduler::islip, 4, 16, 0.8}, 16) == Approx(1.545).epsilon(0.03));
  CHECK(burst_ratio({CrossbarScheduler::islip, 4, 16, 0.8}, 1000) ==
        burst_ratio({CrossbarScheduler::islip, 4, 16, 0.8}, 64));
  CHECK_THROWS_AS(burst_ratio({CrossbarScheduler::islip, 4, 16, 0.05}, 16), NoAnswer);
  const MeasuredSpeedup end = measured_speedup({CrossbarScheduler::islip, 0, 16, 0.9}, 1.25);
  CHECK(end.ratio == Approx(1.10).epsilon(0.02));
  CHECK(*end.input(1e-3) == Approx(5.5).epsilon(0.05));
  CHECK(*end.input(1e-5) == Approx(7.8).epsilon(0.05));
  CHECK(*end.input(1e-9) == Approx(7.8 + 2 * (7.8 - 5.5)).epsilon(0.1));
  CHECK(!end.input(1e-2));
  // Between speedups the ratio falls.
  double last = 10;
  for (const double speedup : {1.1, 1.2, 1.3, 1.4, 1.5, 1.75, 2.0}) {
    const double ratio = measured_speedup({CrossbarScheduler::islip, 4, 16, 0.85}, speedup).ratio;
    CHECK(ratio < last);
    CHECK(ratio > 0.99);
    last = ratio;
  }
  CHECK(measured_speedup({CrossbarScheduler::fifo, 0, 16, 0.9}, 2).ratio == Approx(1.031).epsilon(0.01));
  CHECK_THROWS_AS(measured_speedup({CrossbarScheduler::greedy, 0, 16, 0.9}, 1.5), NoAnswer);
}

TEST_CASE("Tables of switches: errors name the line", "[voq_switch]") {
  const std::string header = "# comment\nscheduler,parameter,ports,burst,load,ratio\n";
  CHECK(read_burst_table(header + "islip,4,16,16,0.5,1.22\n").size() == 1);
  for (const char* row :
       {"islip,4,16,16,0.5\n", "oslip,4,16,16,0.5,1\n", "islip,4,16,16,x,1\n", "islip,4,16,16,,1\n"})
    CHECK_THROWS_WITH(read_burst_table(header + row), Contains("bursts.csv:3"));
  CHECK_THROWS_AS(read_burst_table(header + "islip,4,16,16,0.5,1.2\nislip,4,16,16,0.4,1.2\n"), ParseError);
  CHECK_THROWS_AS(read_voq_table("load\n"), ParseError);
}
