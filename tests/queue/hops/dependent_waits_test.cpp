#include <tailbound/queue/hops/dependent_waits.hpp>

#include <catch2/catch.hpp>

#include <cmath>

using namespace tailbound;
using queue::LoneSource;
using queue::QueuePair;

namespace {

constexpr std::size_t size = 96;

double mean_of(const std::vector<double>& law) {
  double mean = 0;
  for (std::size_t n = 0; n < law.size(); ++n) mean += static_cast<double>(n) * law[n];
  return mean;
}

/// T has one upstream queue and four sources.
struct OneLink {
  QueuePair pair{{{3, 0.25, 0}, {4, 0, 0.1}}, 0.5};
  queue::PairLaw law = queue::pair_law(pair, size, 1e-11);
  std::vector<double> second = law.second();
  queue::LoneQueue alone = queue::lone_second(pair, size);
  queue::PairKernel kernel{pair, law};
  std::vector<double> behind = queue::wait_behind(pair, kernel);
  queue::SmoothedLinks link{&second, &alone.occupancy, &behind, 1, 0.375};
  LoneSource straight{4, 0.1};
  queue::SmoothedWait wait = queue::smoothed_wait(alone, {&straight, 1}, {&link, 1});
};

}  // namespace

TEST_CASE("waits: a source's packet sees the queue of the exact two-queue chain") {
  const OneLink one;
  // Slot by slot from the distribution of (v, y): three other sources, and the packet that U may send.
  std::vector<double> exact(size, 0);
  const double others[] = {std::pow(0.9, 3), 3 * 0.1 * std::pow(0.9, 2), 3 * 0.01 * 0.9, 0.001};
  for (std::size_t v = 0; v < size; ++v)
    for (std::size_t y = 0; y + v < size; ++y) {
      const double idle = v == 0 ? std::pow(0.75, 3) : 0, brought = (1 - idle) * 0.5;
      for (std::size_t b = 0; b < 4; ++b)
        for (std::size_t m = 0; m < 2; ++m)
          for (std::size_t ahead = 0; ahead <= b + m; ++ahead)
            if (const std::size_t wait = (y > 0 ? y - 1 : 0) + ahead; wait < size)
              exact[wait] += one.law.at(v, y) * others[b] * (m == 1 ? brought : 1 - brought) /
                             static_cast<double>(b + m + 1);
    }
  CHECK(mean_of(one.wait.of_sources) == Approx(mean_of(exact)).epsilon(0.005));
  for (std::size_t n = 0; n < 16; ++n) CHECK(one.wait.of_sources[n] == Approx(exact[n]).epsilon(0.03));
}

TEST_CASE("waits: over the only link as in its pair; with the sources the distribution over all packets") {
  const OneLink one;
  CHECK(mean_of(one.wait.of_links[0]) == Approx(mean_of(one.behind)).epsilon(0.01));
  for (std::size_t n = 0; n + 8 < size / 2; ++n) {
    CHECK(one.wait.of_any_link[n] == Approx(one.wait.of_links[0][n]).epsilon(1e-6));
    // P(W = n) = P(Q = n+1)/load
    CHECK(0.375 * one.wait.of_any_link[n] + 0.4 * one.wait.of_sources[n] ==
          Approx(one.second[n + 1]).epsilon(1e-6));
  }
}

TEST_CASE("waits: links of unequal rates add up to all packets, and the busier link waits less") {
  const QueuePair greater{{{3, 0.25, 0}, {2, 0, 0.05}, {3, 0, 0.1}}, 0.5},
      lesser{{{2, 0.05, 0}, {3, 0, 0.125}, {3, 0, 0.1}}, 1.0};
  std::vector<std::vector<double>> second, alone, behind;
  for (const QueuePair* pair : {&greater, &lesser}) {
    const queue::PairLaw law = queue::pair_law(*pair, size, 1e-11);
    second.push_back(law.second());
    alone.push_back(queue::lone_second(*pair, size).occupancy);
    behind.push_back(queue::wait_behind(*pair, queue::PairKernel(*pair, law)));
  }
  const queue::SmoothedLinks links[] = {{&second[0], &alone[0], &behind[0], 1, 0.375},
                                        {&second[1], &alone[1], &behind[1], 1, 0.1}};
  const LoneSource sources[] = {{3, 0.125}, {2, 0.05}, {3, 0.1}}, straight{3, 0.1};
  const queue::LoneQueue whole = queue::lone_queue({std::begin(sources), std::end(sources)}, size);
  const queue::SmoothedWait wait = queue::smoothed_wait(whole, {&straight, 1}, links);
  CHECK(mean_of(wait.of_links[0]) < mean_of(wait.of_links[1]));
  for (std::size_t n = 0; n < size / 2; ++n)
    CHECK(0.375 * wait.of_links[0][n] + 0.1 * wait.of_links[1][n] ==
          Approx(0.475 * wait.of_any_link[n]).epsilon(1e-6));
}
