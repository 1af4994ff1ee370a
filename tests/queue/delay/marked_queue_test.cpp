#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/queue/delay/marked_queue.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <tests/support/rational.hpp>
#include <vector>

// The wait of one on-off source's packets against the chain of all sources and the packets left.

using namespace tailbound;
using queue::MarkedArrivals;
using queue::OnOffGroup;
using tailbound::test::rational;

namespace {

OnOffGroup group(const char* load, const char* burst, const char* on_rate, std::int64_t count = 1) {
  return {traffic::on_off(rational(load), {rational(burst), rational(on_rate)}), count};
}

/// P(W > t) of the first source's packets, t = 0, 1, ..
std::vector<double> waits_of_first(const std::vector<OnOffGroup>& sources, std::size_t count) {
  const std::size_t n = sources.size(), phases = std::size_t{1} << n, top = 160;
  std::vector<double> start, stop, rate;
  for (const OnOffGroup& each : sources) {
    start.push_back(numeric::nearest_double(each.source.start));
    stop.push_back(numeric::nearest_double(each.source.stop));
    rate.push_back(numeric::nearest_double(each.source.on_rate));
  }
  // Which sources send, in a phase.
  const auto sends = [&](std::size_t phase, std::size_t set) {
    double p = 1;
    for (std::size_t s = 0; s < n; ++s) {
      const double its = (phase >> s & 1U) != 0 ? rate[s] : 0;
      p *= (set >> s & 1U) != 0 ? its : 1 - its;
    }
    return p;
  };
  const auto turns = [&](std::size_t from, std::size_t to) {
    double p = 1;
    for (std::size_t s = 0; s < n; ++s) {
      const bool on = (from >> s & 1U) != 0, next = (to >> s & 1U) != 0;
      p *= on ? (next ? 1 - stop[s] : stop[s]) : (next ? start[s] : 1 - start[s]);
    }
    return p;
  };
  const auto packets = [](std::size_t set) { return static_cast<std::size_t>(__builtin_popcountll(set)); };
  std::vector<std::vector<double>> left(phases, std::vector<double>(top, 0));
  left[0][0] = 1;
  for (int step = 0; step < 4000; ++step) {
    std::vector<std::vector<double>> next(phases, std::vector<double>(top, 0));
    double change = 0;
    for (std::size_t i = 0; i < phases; ++i) {
      std::vector<double> after(top, 0);
      for (std::size_t set = 0; set < phases; ++set) {
        const double send = sends(i, set);
        if (send == 0) continue;
        for (std::size_t v = 0; v < top; ++v) {
          const std::size_t held = v + packets(set);
          after[std::min(held > 0 ? held - 1 : 0, top - 1)] += left[i][v] * send;
        }
      }
      for (std::size_t j = 0; j < phases; ++j)
        if (const double turn = turns(i, j); turn > 0)
          for (std::size_t v = 0; v < top; ++v) next[j][v] += after[v] * turn;
    }
    for (std::size_t i = 0; i < phases; ++i)
      for (std::size_t v = 0; v < top; ++v) change += std::abs(next[i][v] - left[i][v]);
    left = std::move(next);
    if (change < 1e-12) break;
  }
  std::vector<double> waits(top + n, 0);
  double all = 0;
  for (std::size_t i = 0; i < phases; ++i)
    for (std::size_t set = 1; set < phases; set += 2) {
      const std::size_t others = packets(set) - 1;
      for (std::size_t v = 0; v < top; ++v)
        for (std::size_t ahead = 0; ahead <= others; ++ahead) {
          const double p = left[i][v] * sends(i, set) / static_cast<double>(others + 1);
          waits[v + ahead] += p;
          all += p;
        }
    }
  std::vector<double> tails(count, 0);
  for (std::size_t t = 0; t < count; ++t)
    for (std::size_t w = t + 1; w < waits.size(); ++w) tails[t] += waits[w] / all;
  return tails;
}

void check_source(const std::vector<OnOffGroup>& sources) {
  MarkedArrivals arrivals{.others = {sources.begin() + 1, sources.end()}, .own = sources.front()};
  queue::MarkedQueue queue(arrivals);
  const std::vector<double> expected = waits_of_first(sources, 12);
  double sum = 0;
  for (std::size_t t = 0; t < expected.size(); ++t) {
    const auto found = queue.tail(static_cast<std::int64_t>(t));
    INFO("t = " << t);
    CHECK(static_cast<double>(numeric::lower(found)) == Approx(expected[t]).epsilon(1e-7));
    CHECK(static_cast<double>(numeric::upper(found)) == Approx(expected[t]).epsilon(1e-7));
    sum += static_cast<double>(numeric::lower(queue.probability(static_cast<std::int64_t>(t))));
  }
  CHECK(sum == Approx(1 - expected.back()).epsilon(1e-9));
}

}  // namespace

TEST_CASE("marked queue: packets of one source with bursts against the chain", "[bursts]") {
  check_source({group("0.1", "2", "1"), group("0.5", "4", "1")});
  check_source({group("0.5", "4", "1"), group("0.1", "2", "1")});
  check_source({group("0.2", "3", "0.5"), group("0.3", "5", "0.75"), group("0.2", "2", "1")});
}

TEST_CASE("marked queue: all packets together wait as the queue's", "[bursts]") {
  const numeric::PrecisionScope scope(numeric::Precision{128});
  const OnOffGroup a = group("0.01", "2", "1"), b = group("0.9", "20", "1");
  queue::MarkedQueue of_a({.others = {b}, .own = a}), of_b({.others = {a}, .own = b});
  const auto middle = [](const numeric::Interval& value) {
    return static_cast<double>((numeric::lower(value) + numeric::upper(value)) / 2);
  };
  const double mean_a = middle(of_a.mean()), mean_b = middle(of_b.mean());
  CHECK(mean_a == Approx(1.629).epsilon(0.02));  // simulated
  queue::MarkovQueue queue(queue::MarkovArrivals::on_off({a, b}));
  const auto occupancy = std::get<numeric::Enclosure<unit::Packet>>(queue.mean_occupancy());
  CHECK(0.01 * mean_a + 0.9 * mean_b == Approx(static_cast<double>(occupancy.lower()) - 0.91).epsilon(1e-8));
}

TEST_CASE("marked queue: alone, and too many", "[bursts]") {
  queue::MarkedQueue alone({.others = {}, .own = group("0.5", "4", "1")});
  CHECK(numeric::upper(alone.tail(0)) == 0);
  CHECK_THROWS_AS(
      queue::MarkedQueue({.others = {group("0.02", "4", "1", 30)}, .own = group("0.1", "2", "1")}),
      LimitExceeded);
}
