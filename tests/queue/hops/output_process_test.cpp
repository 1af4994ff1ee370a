#include <tailbound/core/error.hpp>
#include <tailbound/queue/hops/output_process.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <vector>

using namespace tailbound;
using queue::LoneSource;

namespace {

/// P(R > n) of the runs of a queue, slot by slot, and from it E C(R-1, k).
std::vector<double> walked_moments(const std::vector<LoneSource>& sources) {
  constexpr std::size_t size = 400;
  const queue::LoneQueue queue = queue::lone_queue(sources, size);
  const std::vector<double>& a = queue.arrivals;
  std::vector<double> law(size, 0), next(size, 0), f(4, 0);
  for (std::size_t n = 1; n < a.size(); ++n) law[n - 1] = a[n] / (1 - a[0]);
  double alive = 1;
  for (int n = 1; alive > 1e-15; ++n) {
    std::fill(next.begin(), next.end(), 0);
    for (std::size_t v = 0; v < size; ++v)
      for (std::size_t more = v == 0 ? 1 : 0; more < a.size() && v + more <= size; ++more)
        next[v + more - 1] += law[v] * a[more];
    std::swap(law, next);
    alive = 0;
    for (const double value : law) alive += value;  // P(R > n)
    double binomial = 1;                            // C(n-1, k-1)
    for (int k = 1; k <= 3; ++k) {
      f[static_cast<std::size_t>(k)] += binomial * alive;
      binomial *= static_cast<double>(n - k) / k;
    }
  }
  return f;
}

}  // namespace

TEST_CASE("Output process: moments of busy runs match runs computed slot by slot") {
  const std::vector<std::vector<LoneSource>> queues{
      {{1, 0.3}}, {{2, 0.4}}, {{1, 0.2}, {1, 0.4}}, {{16, 0.05}}, {{1, 0.6}, {3, 0.08}}};
  for (const auto& sources : queues) {
    const queue::RunMoments runs = queue::run_moments(sources);
    const std::vector<double> walked = walked_moments(sources);
    CHECK(runs.f1 == Approx(walked[1]).epsilon(1e-9));
    CHECK(runs.f2 == Approx(walked[2]).epsilon(1e-8));
    CHECK(runs.f3 == Approx(walked[3]).epsilon(1e-7));
  }
  CHECK_THROWS_AS(queue::run_moments(std::vector<LoneSource>{{2, 0.5}}), Unstable);
}

TEST_CASE("Output process: two kinds of runs have the three moments, and the load") {
  for (const auto& sources : {std::vector<LoneSource>{{2, 0.4}}, {{16, 0.05}}, {{1, 0.2}, {1, 0.4}}}) {
    const queue::RunMoments runs = queue::run_moments(sources);
    const queue::OutputProcess process = queue::output_process(runs, 0.75);
    REQUIRE(process.phases == 3);
    double f[4] = {1, 0, 0, 0};
    for (int k = 1; k <= 3; ++k)
      for (const int kind : {0, 1})
        f[k] += (kind == 0 ? process.first : 1 - process.first) *
                std::pow((1 - process.stop[kind]) / process.stop[kind], k);
    CHECK(f[1] == Approx(runs.f1).epsilon(1e-9));
    CHECK(f[2] == Approx(runs.f2).epsilon(1e-9));
    CHECK(f[3] == Approx(runs.f3).epsilon(1e-7));
    CHECK(process.rate() == Approx(0.75 * runs.load).epsilon(1e-12));
    const std::vector<double> phases = queue::stationary(process);
    CHECK(phases[0] == Approx(1 - runs.load).epsilon(1e-12));
    // Fewer phases keep the rate.
    const queue::OutputProcess two = process.simplified(), one = two.simplified();
    CHECK(two.phases == 2);
    CHECK(two.rate() == Approx(process.rate()).epsilon(1e-12));
    CHECK(one.phases == 1);
    CHECK(one.rate() == Approx(process.rate()).epsilon(1e-12));
  }
}

TEST_CASE("Output process: a single source sends geometric runs") {
  const queue::OutputProcess process =
      queue::output_process(queue::run_moments(std::vector<LoneSource>{{1, 0.3}}), 1);
  CHECK(process.phases == 2);
  CHECK(process.start == Approx(0.3));
  CHECK(process.stop[0] == Approx(0.7));
}

TEST_CASE("Output process: the age of a run increases with the packets left over") {
  const std::vector<double> age = queue::mean_age_of_run({{2, 0.4}}, 20);
  CHECK(age[0] >= 1);
  for (std::size_t v = 1; v < age.size(); ++v) CHECK(age[v] > age[v - 1]);
}
