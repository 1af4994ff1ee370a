#include <tailbound/queue/hops/aged_wait.hpp>
#include <tailbound/queue/hops/wait_score.hpp>
#include <tailbound/queue/markov/markov_queue.hpp>
#include <tailbound/traffic/on_off.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

using namespace tailbound;
using namespace tailbound::queue;

namespace {

using AgedSeries = std::vector<double>;

double mean_wait(const AgedSeries& mass) {
  double mean = 0;
  for (std::size_t w = 0; w < mass.size(); ++w) mean += static_cast<double>(w) * mass[w];
  return mean;
}

/// Mean waits by age of M sources of on-rate 1, packet by packet.
struct WatchedWaits {
  AgedSeries sum = AgedSeries(320, 0), count = AgedSeries(320, 0);

  WatchedWaits(int sources, double load, std::int64_t slots) {
    std::mt19937_64 random(7);
    const auto below = [&](double p) { return std::generate_canonical<double, 53>(random) < p; };
    const double p = load / sources, stop = 1 / grid_burst, start = p * stop / (1 - p);
    std::vector<int> age(static_cast<std::size_t>(sources), -1);  // -1: OFF
    std::vector<std::size_t> senders;
    std::size_t left = 0;
    for (std::int64_t slot = 0; slot < slots; ++slot) {
      senders.clear();
      for (std::size_t i = 0; i < age.size(); ++i) {
        if (age[i] < 0)
          age[i] = below(start) ? 0 : -1;
        else
          age[i] = below(stop) ? -1 : age[i] + 1;
        if (age[i] >= 0) senders.push_back(i);
      }
      std::shuffle(senders.begin(), senders.end(), random);
      for (std::size_t place = 0; place < senders.size(); ++place) {
        const auto a = static_cast<std::size_t>(age[senders[place]]);
        if (slot < 10'000 || a >= sum.size()) continue;
        sum[a] += static_cast<double>(left + place);
        ++count[a];
      }
      left += senders.size();
      left -= left > 0 ? 1 : 0;
    }
  }
  [[nodiscard]] double mean(std::size_t from, std::size_t to) const {
    double all = 0, packets = 0;
    for (std::size_t a = from; a < to; ++a) all += sum[a], packets += count[a];
    return all / packets;
  }
};

}  // namespace

TEST_CASE("two-state sources of equal decay rate", "[aged_wait]") {
  const auto equivalent_sources = [](double count, double share, double leaf_load, double on_rate = 1) {
    return sources_of_decay(burst_decay(count, share, leaf_load, on_rate), count * share * leaf_load,
                            on_rate);
  };
  const double expected[5][3] = {{2.067300294, 2.219469937, 2.604538839},
                                 {4.319612808, 4.830579281, 5.788489748},
                                 {8.846987037, 10.031236229, 12.075825310},
                                 {17.905832612, 20.418988417, 24.621022715},
                                 {36.024433553, 41.187804127, 49.698522828}};  // k = 32: to 40 digits
  const double loads[3] = {0.4, 0.6, 0.8};
  double k = 2;
  for (const auto& row : expected) {
    for (int i = 0; i < 3; ++i)
      CHECK(equivalent_sources(k, 1 / k, loads[i]) == Approx(row[i]).epsilon(3e-10));
    k *= 2;
  }
  // All bursts come here: the sources are their own equivalent.
  CHECK(equivalent_sources(3, 1, 0.2) == Approx(3).epsilon(1e-9));
  CHECK(equivalent_sources(3, 1, 0.2, 0.5) == Approx(3).epsilon(1e-9));
  // The queue itself decays at that rate.
  CHECK(AgedQueue({sources_of_decay(0.03, 0.6, 0.5), 0.5, 0.6}, 960).decay() == Approx(0.03).epsilon(2e-3));
}

TEST_CASE("ages of packets", "[aged_wait]") {
  const BurstAges& ages = burst_ages();
  REQUIRE(ages.ages.size() == 49);
  CHECK(ages.weights[0] == Approx(0.227523804).epsilon(3e-9));
  CHECK(ages.weights[1] == Approx(0.175756722).epsilon(3e-9));
  CHECK(ages.ages[0] == Approx(1.419421903).epsilon(1e-9));
  CHECK(ages.ages[1] == Approx(5.419421903).epsilon(1e-9));
  CHECK(ages.weights.back() == Approx(8.466961853e-9).epsilon(1e-9));
  CHECK(ages.ages.back() == 303);
  double sum = 0, mean = 0;
  for (std::size_t bin = 0; bin < ages.ages.size(); ++bin) {
    sum += ages.weights[bin];
    mean += ages.weights[bin] * ages.ages[bin];
  }
  CHECK(sum == Approx(1).epsilon(1e-14));
  CHECK(mean == Approx(15).epsilon(1e-13));
}

TEST_CASE("waits of stretched bursts", "[aged_wait]") {
  const AgedQueue queue({16.5, 1 / 1.65, 0.6}, 960);
  const AgedSeries any = queue.wait_of_any();
  CHECK(mean_wait(any) == Approx(17.021695441).epsilon(1e-9));
  CHECK(any[0] == Approx(0.282692682).epsilon(3e-9));
  CHECK(any[1] == Approx(0.060248141).epsilon(1e-8));
  CHECK(any[40] == Approx(4.497841149e-3).epsilon(1e-9));
  const AgedWait wait = queue.wait(1.65);
  CHECK(wait.mean == Approx(16.94465171).epsilon(1e-9));
  CHECK(wait.mean_of_first == Approx(10.169563919).epsilon(1e-9));
  // With or without ages: the rule for ages between slots makes the difference.
  CHECK(wait.mean == Approx(mean_wait(any)).epsilon(6e-3));
}

TEST_CASE("an integer number of sources with on-rate 1: the queue is that of on-off sources", "[aged_wait]") {
  const auto source = traffic::on_off(numeric::Rational(1) / 5, {.slots = 16});
  MarkovQueue exact(MarkovArrivals::on_off({{source, 3}}), {12});
  const AgedSeries any = AgedQueue({3, 1, 0.6}, 960).wait_of_any();
  double above = 1;
  for (std::size_t w = 0; w < 200; ++w) {
    above -= any[w];
    if (w % 40 != 0) continue;
    const auto claim = exact.tail(static_cast<std::int64_t>(w) + 1);
    const auto& bounds = std::get<numeric::Enclosure<unit::Probability>>(claim);
    CHECK(above == Approx(static_cast<double>(bounds.upper()) / 0.6).epsilon(1e-9));
  }
}

TEST_CASE("mean waits by age against sources followed slot by slot", "[aged_wait]") {
  const WatchedWaits watched(3, 0.6, 4'000'000);
  const AgedWait wait = AgedQueue({3, 1, 0.6}, 960).wait(1);
  CHECK(wait.mean_of_first == Approx(watched.mean(0, 1)).epsilon(0.02));
  CHECK(mean_wait(wait.of_age[0]) == Approx(watched.mean(0, 4)).epsilon(0.02));
  CHECK(mean_wait(wait.of_age[4]) == Approx(watched.mean(16, 20)).epsilon(0.02));
  CHECK(mean_wait(wait.of_age[12]) == Approx(watched.mean(48, 52)).epsilon(0.03));
  CHECK(wait.mean == Approx(watched.mean(0, 320)).epsilon(0.02));
  CHECK(mean_wait(wait.of_age[12]) >
        1.5 * wait.mean_of_first);  // the margins are narrow compared with the differences
}

TEST_CASE("sums of waits against products of their distributions", "[aged_wait]") {
  const std::size_t bins = burst_ages().ages.size(), levels = 24;
  std::vector<AgedWait> waits(3);
  for (std::size_t hop = 0; hop < waits.size(); ++hop)
    for (std::size_t bin = 0; bin < bins; ++bin) {
      AgedSeries law;
      const double ratio = 0.3 + 0.05 * static_cast<double>(hop) + 0.004 * static_cast<double>(bin);
      for (std::size_t w = 0; w < levels; ++w) law.push_back(std::pow(ratio, static_cast<double>(w)));
      waits[hop].of_age.push_back(law);
    }
  const double s[3] = {0, 0.1, 0.2};
  std::vector<AgedHop> hops;
  for (std::size_t hop = 0; hop < waits.size(); ++hop) hops.push_back({&waits[hop], s[hop]});
  const AgedSeries sum = sum_of_aged(hops, 0.7);
  AgedSeries expected(3 * levels - 2, 0);
  for (std::size_t bin = 0; bin < bins; ++bin) {
    std::vector<AgedSeries> laws, scores;
    for (const AgedWait& wait : waits) {
      AgedSeries law = wait.of_age[bin];
      double total = 0;
      for (const double each : law) total += each;
      for (double& each : law) each /= total;
      scores.push_back(wait_score(law));
      laws.push_back(std::move(law));
    }
    const double first = dependence_within(s[1], scores[0], scores[1]),
                 second = dependence_within(s[2], scores[1], scores[2]);
    for (std::size_t a = 0; a < levels; ++a)
      for (std::size_t b = 0; b < levels; ++b)
        for (std::size_t c = 0; c < levels; ++c)
          expected[a + b + c] += burst_ages().weights[bin] * laws[0][a] * laws[1][b] * laws[2][c] *
                                 (1 + first * scores[0][a] * scores[1][b]) *
                                 (1 + second * scores[1][b] * scores[2][c]);
  }
  REQUIRE(sum.size() == expected.size());
  for (std::size_t d = 0; d < sum.size(); ++d)
    if (expected[d] > 1e-12) CHECK(sum[d] == Approx(expected[d]).epsilon(1e-9));
}
