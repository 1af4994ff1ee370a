#include <tailbound/sim/batches/batch_means.hpp>
#include <tailbound/sim/batches/batched_run.hpp>
#include <tailbound/sim/batches/checkpoint.hpp>

#include <boost/math/distributions/binomial.hpp>

#include <atomic>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <random>
#include <thread>
#include <utility>

namespace tailbound::sim {
namespace {

/// A cheap random walk with full memory: x' = 3 x + 64 random bits; counts x mod 5.
class Walk : public Replication {
 public:
  explicit Walk(RandomKey key) : key_(key), counts_(5) {}
  void advance(std::int64_t slots) override {
    for (; slots > 0; --slots, ++now_) {
      x_ = 3 * x_ + random_words(key_, 0, 0, now_)[0];
      ++counts_[x_ % 5];
    }
  }
  Counts take_counts() override { return {std::exchange(counts_, std::vector<std::uint64_t>(5))}; }
  void save(ByteWriter& writer) override {
    writer.put(now_);
    writer.put(x_);
    writer.put(counts_);
  }
  void load(ByteReader& reader) override {
    now_ = reader.get<std::uint64_t>();
    x_ = reader.get<std::uint64_t>();
    counts_ = reader.get_vector<std::uint64_t>();
  }

 private:
  RandomKey key_;
  std::uint64_t now_ = 0, x_ = 1;
  std::vector<std::uint64_t> counts_;
};

/// A walk that reports its slots.
class Watched final : public Walk {
 public:
  Watched(RandomKey key, std::function<void(std::int64_t)> tell) : Walk(key), tell_(std::move(tell)) {}
  void advance(std::int64_t slots) override {
    Walk::advance(slots);
    tell_(slots);
  }

 private:
  std::function<void(std::int64_t)> tell_;
};

/// A walk whose construction and destruction take long, and that reports whether others ran at that time.
class Alone final : public Walk {
 public:
  Alone(RandomKey key, std::atomic<int>& here, std::atomic<bool>& met) : Walk(key), here_(here), met_(met) {
    stay();
  }
  Alone(const Alone&) = delete;
  Alone& operator=(const Alone&) = delete;
  ~Alone() override { stay(); }

 private:
  void stay() {
    if (here_.fetch_add(1) != 0) met_ = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    here_.fetch_sub(1);
  }
  std::atomic<int>& here_;
  std::atomic<bool>& met_;
};

const ReplicationFactory walks = [](RandomKey key) { return std::make_unique<Walk>(key); };
const RunPlan plan{.seed = 7, .replications = 5, .warmup = 1000, .slots = 40'000, .batches = 7};

TEST_CASE("runs: the same counts for any number of threads") {
  const RunResult one = run(plan, "walk", walks);
  REQUIRE(one.complete);
  REQUIRE(one.batches.size() == 5);
  for (const auto& batches : one.batches) {
    REQUIRE(batches.size() == 7);
    for (const Counts& counts : batches) {
      std::uint64_t slots = 0;
      for (const std::uint64_t count : counts[0]) slots += count;
      CHECK(slots == static_cast<std::uint64_t>(plan.batch_slots()));  // the warm-up is not included
    }
  }
  CHECK(one.batches[0] != one.batches[1]);
  for (const int threads : {2, 3, 8})
    CHECK(run(plan, "walk", walks, {.threads = threads}).batches == one.batches);
  RunPlan other = plan;
  other.seed = 8;
  CHECK(run(other, "walk", walks).batches != one.batches);
}

// Their rationals are reference-counted without locks: two threads that copied one at the same time corrupted
// the heap.
TEST_CASE("runs: replications are made and destroyed one at a time") {
  std::atomic<int> here = 0;
  std::atomic<bool> met = false;
  RunPlan many = plan;
  many.replications = 24;
  const auto alone = [&](RandomKey key) { return std::make_unique<Alone>(key, here, met); };
  CHECK(run(many, "walk", alone, {.threads = 8}).complete);
  CHECK_FALSE(met);
}

TEST_CASE("runs: the warm-up is not counted") {
  Walk walk({7, 0});
  walk.advance(plan.warmup);
  (void)walk.take_counts();
  walk.advance(plan.batch_slots());
  CHECK(run(plan, "walk", walks).batches[0][0] == walk.take_counts());
}

/// Stops a run after about this many more slots, and resumes it until it is complete; returns how often it
/// was stopped.
int stop_and_resume(const RunPlan& the_plan, int threads, std::mt19937& random, RunResult& result) {
  std::string state;
  for (int stops = 0;; ++stops) {
    std::stop_source stop;
    std::atomic<std::int64_t> left =
        std::uniform_int_distribution<std::int64_t>(0, the_plan.replication_slots())(random);
    const auto stopping = [&](RandomKey key) {
      return std::make_unique<Watched>(key, [&stop, &left](std::int64_t slots) {
        if ((left -= slots) < 0) stop.request_stop();
      });
    };
    RunControls controls{.threads = threads, .stop = stop.get_token()};
    controls.checkpoint = [&state](const std::string& bytes) { state = bytes; };
    result = run(the_plan, "walk", stopping, controls, state);
    if (result.complete) return stops;
  }
}

TEST_CASE("runs: stopped at random moments and resumed, to the identical result") {
  RunPlan longer = plan;
  longer.slots = 300'000;
  const RunResult whole = run(longer, "walk", walks);
  std::mt19937 random(1);
  for (int trial = 0; trial < 6; ++trial) {
    RunResult result;
    // five replications, one at most running
    CHECK(stop_and_resume(longer, 1 + trial % 3, random, result) > 0);
    CHECK(result.batches == whole.batches);
  }
}

TEST_CASE("runs: intermediate checkpoints lead to the identical result") {
  RunPlan longer = plan;
  longer.slots = 400'000;
  std::vector<std::string> states;
  int reports = 0;
  RunControls controls{.threads = 2};
  controls.checkpoint = [&](const std::string& bytes) { states.push_back(bytes); };
  controls.checkpoint_interval = std::chrono::milliseconds(5);
  controls.progress = [&](const Progress& progress) {
    ++reports;
    CHECK(progress.done >= 0);
    CHECK(progress.done <= 1);
  };
  controls.progress_interval = std::chrono::milliseconds(5);
  RunResult whole = run(longer, "walk", walks, controls);
  while (states.size() < 2 || reports < 2) {  // finished before the expected time
    longer.slots *= 2;
    states.clear();
    reports = 0;
    whole = run(longer, "walk", walks, controls);
  }
  for (std::size_t i = 0; i < states.size(); i += 1 + states.size() / 5)
    CHECK(run(longer, "walk", walks, {.threads = 3}, states[i]).batches == whole.batches);
}

TEST_CASE("runs: damaged and foreign checkpoints are rejected") {
  std::string state;
  std::stop_source stop;
  stop.request_stop();
  RunControls controls{.stop = stop.get_token()};
  controls.checkpoint = [&state](const std::string& bytes) { state = bytes; };
  CHECK_FALSE(run(plan, "walk", walks, controls).complete);
  REQUIRE(run(plan, "walk", walks, {}, state).complete);
  for (std::size_t at = 0; at < state.size(); ++at) {
    std::string damaged = state;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    CHECK_THROWS_AS(run(plan, "walk", walks, {}, damaged), ParseError);
  }
  for (std::size_t length = 1; length < state.size(); length += 7)
    CHECK_THROWS_AS(run(plan, "walk", walks, {}, state.substr(0, length)), ParseError);
  CHECK_THROWS_AS(run(plan, "walk", walks, {}, state + "x"), ParseError);
  CHECK_THROWS_AS(run(plan, "another", walks, {}, state), InvalidArgument);
  RunPlan other = plan;
  other.warmup = 1001;
  CHECK_THROWS_AS(run(other, "walk", walks, {}, state), InvalidArgument);
  CHECK_THROWS_AS(run(plan, "walk", walks, {}, seal_checkpoint("x", "y")), InvalidArgument);
}

TEST_CASE("runs: exceptions of replications and callbacks are rethrown") {
  const ReplicationFactory failing = [](RandomKey key) -> std::unique_ptr<Replication> {
    if (key.replication == 2) throw LimitExceeded("too much");
    return std::make_unique<Walk>(key);
  };
  CHECK_THROWS_AS(run(plan, "walk", failing, {.threads = 2}), LimitExceeded);
  RunPlan longer = plan;
  longer.slots = 1'000'000;
  RunControls controls;
  controls.progress = [](const Progress&) { throw NoAnswer("enough"); };
  controls.progress_interval = std::chrono::milliseconds(1);
  CHECK_THROWS_AS(run(longer, "walk", walks, controls), NoAnswer);
}

TEST_CASE("runs: plans out of range") {
  for (const RunPlan& bad :
       {RunPlan{.replications = 0, .slots = 100}, RunPlan{.slots = 0}, RunPlan{.warmup = -1, .slots = 100},
        RunPlan{.slots = 100, .batches = 0}, RunPlan{.replications = 1024, .slots = 100, .batches = 5}})
    CHECK_THROWS_AS(run(bad, "walk", walks), InvalidArgument);
  CHECK_THROWS_AS(run(plan, "walk", walks, {.threads = 0}), InvalidArgument);
}

// --- Intervals ----------------------------------------------------------------------------------------

/// The minimum and maximum number of successes out of n at success rate p with probability 1e-6 or more.
std::pair<double, double> likely_range(int n, double p) {
  const boost::math::binomial binomial(n, p);
  return {boost::math::quantile(binomial, 1e-6),
          boost::math::quantile(boost::math::complement(binomial, 1e-6))};
}

TEST_CASE("batch means: intervals for an autoregressive process have their nominal coverage") {
  // x' = 0.9 x + noise, mean 0, relaxation time about 10; shifted by 100 so that numerators are positive.
  // Batches of 1000 slots (100 relaxation times) are nearly independent. 2000 intervals; a correct interval
  // fails this test with probability below 2e-6.
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise;
  for (const double confidence : {0.95, 0.8}) {
    int covered = 0;
    double x = 0;
    for (int trial = 0; trial < 2000; ++trial) {
      std::vector<double> sums;
      const std::vector<double> slots(8, 1000.0);
      for (int batch = 0; batch < 8; ++batch) {
        double sum = 0;
        for (int slot = 0; slot < 1000; ++slot) sum += 100 + (x = 0.9 * x + noise(random));
        sums.push_back(sum);
      }
      const RatioEstimate estimate = ratio_estimate(sums, slots, confidence);
      covered += estimate.lower <= 100 && 100 <= estimate.upper;
    }
    const auto [minimum, maximum] = likely_range(2000, confidence);
    CHECK(covered >= minimum);
    CHECK(covered <= maximum);
  }
}

TEST_CASE("batch means: ratios with random denominators") {
  // Numerator and denominator are correlated; the ratio of means is 1/3.
  std::mt19937_64 random(5);
  int covered = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<double> numerators, denominators;
    for (int batch = 0; batch < 20; ++batch) {
      const int trials = std::poisson_distribution<int>(3000)(random);
      numerators.push_back(std::binomial_distribution<int>(trials, 1 / 3.0)(random));
      denominators.push_back(trials);
    }
    const RatioEstimate estimate = ratio_estimate(numerators, denominators);
    covered += estimate.lower <= 1 / 3.0 && 1 / 3.0 <= estimate.upper;
  }
  const auto [minimum, maximum] = likely_range(2000, 0.95);
  CHECK(covered >= minimum);
  CHECK(covered <= maximum);
}

TEST_CASE("batch means: by hand") {
  // Four batches 1 2 3 4 of length 1: mean 2.5, deviation of the mean sqrt(5/3)/2, t(3, 97.5 %)
  // = 3.18244630528
  const std::vector<double> sums{1, 2, 3, 4}, ones(4, 1.0), none(4, 0.0);
  const RatioEstimate estimate = ratio_estimate(sums, ones);
  CHECK(estimate.value == 2.5);
  CHECK(estimate.upper - estimate.value == Approx(3.18244630528 * std::sqrt(5 / 3.0) / 2).epsilon(1e-11));
  CHECK(estimate.value - estimate.lower == Approx(estimate.upper - estimate.value));
  CHECK(ratio_estimate(none, ones).upper == Approx(std::log(40) / 4));
  CHECK_THROWS_AS(ratio_estimate(ones, none), InvalidArgument);
  CHECK_THROWS_AS(ratio_estimate(std::vector<double>{1}, std::vector<double>{1}), InvalidArgument);
  CHECK_THROWS_AS(ratio_estimate(sums, ones, 1.0), InvalidArgument);
}

TEST_CASE("random numbers: each argument matters, and 64 draws at once") {
  CHECK(random_words({1, 0}, 2, 3, 4) == random_words({1, 0}, 2, 3, 4));
  CHECK(random_words({1, 0}, 2, 3, 4) != random_words({1, 1}, 2, 3, 4));
  CHECK(random_words({1, 0}, 2, 3, 4) != random_words({2, 0}, 2, 3, 4));
  CHECK(random_words({1, 0}, 2, 3, 4) != random_words({1, 0}, 3, 3, 4));
  for (const double p : {0.05, 0.5, 0.8}) {
    const auto threshold = static_cast<std::uint64_t>(std::ldexp(p, 64));
    int ones = 0;
    for (std::uint64_t i = 0; i < 4000; ++i)
      ones += static_cast<int>(std::popcount(bernoulli_bits({9, 0}, 0, i, 0, threshold)));
    const auto [minimum, maximum] = likely_range(64 * 4000, p);
    CHECK(ones >= minimum);
    CHECK(ones <= maximum);
  }
}

}  // namespace
}  // namespace tailbound::sim
