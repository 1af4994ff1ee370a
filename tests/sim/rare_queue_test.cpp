#include <tailbound/queue/finite/finite_queue.hpp>
#include <tailbound/queue/slotted/slotted_queue.hpp>
#include <tailbound/sim/rare/rare_arrivals.hpp>
#include <tailbound/sim/rare/rare_queue.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <random>
#include <tests/support/cut_replication.hpp>

/// Random runs have fixed seeds: a test that passes once passes always. The stated false-alarm rate is the
/// probability that a correct program fails with a new seed.
namespace tailbound::sim {
namespace {

using network::SourceRate;
using numeric::parse_rational;
using numeric::Rational;

double middle(const numeric::Proved<unit::Probability>& proved) {
  return static_cast<double>(numeric::to_enclosure(proved).lower());
}

std::vector<SourceRate> equal_sources(std::int64_t inputs, const Rational& load) {
  return {{load / numeric::Integer(inputs), inputs}};
}

queue::SlottedQueue analysed(const std::vector<SourceRate>& sources) {
  std::vector<Rational> rates;
  for (const SourceRate& source : sources)
    rates.insert(rates.end(), static_cast<std::size_t>(source.count), source.rate);
  return {series::Arrivals::unequal_inputs(rates)};
}

/// The event's probability from the analysis; P(W > w) = P(Q > w + 1) / load.
double exact_probability(const RareQueueModel& model) {
  const queue::SlottedQueue queue = analysed(model.sources);
  switch (model.event) {
    case RareEvent::overflow:
      return middle(queue::occupancy_tail(queue, Packets(model.level)).probability);
    case RareEvent::loss:
      return middle(queue::loss_probability(queue, Packets(model.level)).probability);
    case RareEvent::wait:
      break;
  }
  return middle(queue::occupancy_tail(queue, Packets(model.level + 1)).probability) /
         mean_arrivals(model.sources);
}

// --- Random draws ------------------------------------------------------------------------------------------

TEST_CASE("rare queue: the tilt is the decay rate of the analysis") {
  for (const auto& [inputs, load] :
       {std::pair{2, "0.01"}, {2, "0.9"}, {16, "0.9"}, {16, "0.99999"}, {1000, "0.5"}, {4, "1/1000000"}}) {
    CAPTURE(inputs, load);
    const auto sources = equal_sources(inputs, parse_rational(load, "load"));
    const double exponent = decay_exponent(sources);
    const auto rate =
        queue::decay_rate({series::Arrivals::equal_inputs(inputs, parse_rational(load, "load"))});
    REQUIRE(rate.has_value());
    CHECK(exponent == Approx(static_cast<double>(rate->lower())).epsilon(1e-9));
  }
}

TEST_CASE("rare queue: tilted probabilities are the plain ones times z^j / A(z)") {
  const std::vector<SourceRate> sources{
      {parse_rational("1/20", "r"), 3}, {parse_rational("1/5", "r"), 2}, {parse_rational("0.3", "r"), 1}};
  const auto plain = tilted_probabilities(sources, 0), tilted = tilted_probabilities(sources, 0.7);
  REQUIRE(plain.size() == 7);
  REQUIRE(tilted.size() == 7);
  double generating = 0, mean = 0;
  for (std::size_t j = 0; j < plain.size(); ++j) {
    generating += plain[j] * std::exp(0.7 * static_cast<double>(j));
    mean += plain[j] * static_cast<double>(j);
  }
  CHECK(mean == Approx(mean_arrivals(sources)));
  CHECK(mean == Approx(0.85));
  CHECK(plain[0] == Approx(0.95 * 0.95 * 0.95 * 0.8 * 0.8 * 0.7));
  for (std::size_t j = 0; j < plain.size(); ++j)
    CHECK(tilted[j] == Approx(plain[j] * std::exp(0.7 * static_cast<double>(j)) / generating));
}

TEST_CASE("rare queue: the alias table has the right probabilities") {
  std::mt19937_64 random(5);
  for (const std::size_t size : {1U, 2U, 3U, 17U, 64U, 300U}) {
    CAPTURE(size);
    std::vector<double> probabilities(size);
    for (double& p : probabilities) p = std::exp(-10 * std::generate_canonical<double, 53>(random));
    const double all = std::accumulate(probabilities.begin(), probabilities.end(), 0.0);
    const AliasTable table(probabilities);
    std::vector<double> seen(size);
    // Evenly spread numbers: each column gets 2^13 or more of them, with an error of one at either end.
    constexpr std::uint64_t step = 1024;
    for (std::uint64_t bits = step / 2; bits < (std::uint64_t{1} << 32U); bits += step)
      seen.at(static_cast<std::size_t>(table.draw(static_cast<std::uint32_t>(bits)))) += step;
    for (std::size_t i = 0; i < size; ++i)
      CHECK(std::abs(seen[i] / 4294967296.0 - probabilities[i] / all) <
            2.0 * static_cast<double>(2 * size * step) / 4294967296.0);
  }
}

TEST_CASE("rare queue: saved random numbers continue") {
  RandomStream stream({3, 1}, 0, 0);
  for (int skipped = 0; skipped < 300; ++skipped) {
    ByteWriter writer;
    stream.save(writer);
    const std::string bytes = writer.take();
    RandomStream copy({3, 1}, 0, 0);
    ByteReader reader(bytes);
    copy.load(reader);
    RandomStream original = stream;
    for (int i = 0; i < 200; ++i) REQUIRE(copy.next() == original.next());
    (void)stream.next();
  }
}

// --- The goal --------------------------------------------------------------------------------------------

TEST_CASE("rare queue: the published 8.7035435578e-16 within 2 %") {
  const RareQueueModel model{equal_sources(16, parse_rational("0.9", "load")), RareEvent::overflow, 157};
  const RareQueueEstimate estimate = estimate_rare_queue(model, 1);
  CAPTURE(estimate.probability.value, estimate.cycles, estimate.slots);
  CHECK(estimate.relative_width() <= 0.02);
  CHECK(estimate.probability.lower <= 8.7035435578e-16);
  CHECK(estimate.probability.upper >= 8.7035435578e-16);
}

// --- Coverage --------------------------------------------------------------------------------------------

struct QueueScore {
  int cases = 0, inside = 0;
  double sum = 0;  ///< of distances from the exact values in half widths of the interval
  void add(const numeric::Estimate<unit::Probability>& estimate, double exact) {
    ++cases;
    inside += estimate.lower <= exact && exact <= estimate.upper;
    sum += (estimate.value - exact) / ((estimate.upper - estimate.lower) / 2);
  }
  /// Standard normal if the estimates are unbiased: the half width is 2 deviations.
  [[nodiscard]] double bias() const { return 2 * sum / std::sqrt(cases); }
};

/// A queue and an event of probability 1e-6 to 1e-15.
RareQueueModel random_model(std::mt19937_64& random, int event, double largest_load) {
  const auto uniform = [&](double from, double to) {
    return from + (to - from) * std::generate_canonical<double, 53>(random);
  };
  RareQueueModel model;
  model.event = static_cast<RareEvent>(event);
  const auto inputs = static_cast<std::int64_t>(2 + random() % 31);
  const auto percent = static_cast<long>(uniform(20, 100 * largest_load));
  model.sources = equal_sources(inputs, Rational(numeric::Integer(percent)) / 100);
  if (random() % 2 == 0 && inputs > 2)  // one source has half the load
    model.sources = {{Rational(numeric::Integer(percent)) / numeric::Integer(200 * (inputs - 1)), inputs - 1},
                     {Rational(numeric::Integer(percent)) / 200, 1}};
  const double decades = uniform(6.5, 14.5);
  model.level = std::max(2L, std::lround(decades * std::log(10.0) / decay_exponent(model.sources)));
  return model;
}

QueueScore coverage(int cases, std::int64_t cycles, double largest_load) {
  std::mt19937_64 random(2026);
  QueueScore score;
  for (int i = 0; i < cases; ++i) {
    const RareQueueModel model = random_model(random, i % 3, largest_load);
    const auto seed = static_cast<std::uint64_t>(1000 + i);
    const auto result = run_rare_queue(model, rare_queue_plan(cycles, seed));
    const double exact = exact_probability(model);
    CAPTURE(describe(model), exact);
    CHECK(exact < 1e-5);
    CHECK(exact > 1e-17);
    score.add(rare_queue_estimate(model, result).probability, exact);
  }
  return score;
}

// A correct program fails with probability 0.02 or less with a new seed.
TEST_CASE("rare queue: intervals cover the exact value, without bias") {
  const QueueScore score = coverage(60, 20'000, 0.8);
  CAPTURE(score.inside, score.bias());
  CHECK(score.inside >= 52);
  CHECK(std::abs(score.bias()) < 3);
}

TEST_CASE("rare queue: intervals cover the exact value in 90 to 99 % of 200 cases", "[.full]") {
  const QueueScore score = coverage(200, 60'000, 0.95);
  WARN("covered " << score.inside << " of 200, bias " << score.bias() << " standard deviations");
  CHECK(score.inside >= 180);
  CHECK(score.inside <= 198);
  CHECK(std::abs(score.bias()) < 3);
}

// Large probabilities: likelihood ratios near 1, and cycles with many losses.
TEST_CASE("rare queue: events that are not rare") {
  for (const int event : {0, 1, 2})
    for (const std::int64_t level : {1, 2, 6}) {
      const RareQueueModel model{equal_sources(4, parse_rational("0.8", "load")),
                                 static_cast<RareEvent>(event), level};
      CAPTURE(describe(model));
      const RareQueueEstimate estimate = estimate_rare_queue(model, 7);
      CHECK(estimate.probability.value == Approx(exact_probability(model)).epsilon(0.04));
    }
}

TEST_CASE("rare queue: down to the smallest doubles") {
  const RareQueueModel model{equal_sources(8, parse_rational("0.3", "load")), RareEvent::overflow, 200};
  const double exact = exact_probability(model);
  CHECK(exact < 1e-120);
  CHECK(estimate_rare_queue(model, 3).probability.value == Approx(exact).epsilon(0.04));
}

// --- Independence of threads and splitting ----------------------------------------------------------------

TEST_CASE("rare queue: results do not depend on threads, splitting or resuming") {
  const RareQueueModel model{equal_sources(5, parse_rational("0.7", "load")), RareEvent::loss, 20};
  const RunPlan plan = rare_queue_plan(4000, 9);
  const RunResult alone = run_rare_queue(model, plan), together = run_rare_queue(model, plan, {.threads = 3});
  CHECK(alone.batches == together.batches);

  const auto whole = make_rare_queue_replication(model, {9, 0}),
             cut = make_rare_queue_replication(model, {9, 0});
  whole->advance(500);
  test::advance_in_parts(*cut, 500);
  const Counts counts = whole->take_counts();
  CHECK(counts == cut->take_counts());
  CHECK(counts[RareQueueRows::cycles] == std::vector<std::uint64_t>{500});
  CHECK(counts[RareQueueRows::hits][0] > 0);
}

TEST_CASE("rare queue: invalid parameters are rejected") {
  const auto sources = equal_sources(4, parse_rational("0.5", "load"));
  const auto make = [](const RareQueueModel& model) { return make_rare_queue_replication(model, {}); };
  CHECK_THROWS_AS(make({{}, RareEvent::overflow, 3}), InvalidArgument);
  CHECK_THROWS_AS(make({sources, RareEvent::overflow, 0}), InvalidArgument);
  CHECK_THROWS_AS(make({sources, RareEvent::wait, -1}), InvalidArgument);
  CHECK_NOTHROW(make({sources, RareEvent::wait, 0}));
  CHECK_THROWS_AS(make({{{parse_rational("3/2", "r"), 1}}, RareEvent::overflow, 3}), InvalidArgument);
  CHECK_THROWS_AS(make({{{parse_rational("1/2", "r"), 0}}, RareEvent::overflow, 3}), InvalidArgument);
  CHECK_THROWS_AS(make({equal_sources(4, 1), RareEvent::overflow, 3}), Unstable);
  CHECK_THROWS_AS(make({equal_sources(1, parse_rational("0.5", "load")), RareEvent::overflow, 3}), NoAnswer);
  CHECK_THROWS_AS(make({sources, RareEvent::overflow, 100'000}), LimitExceeded);
  CHECK_THROWS_AS(estimate_rare_queue({sources, RareEvent::overflow, 10}, 1, {.relative_width = 0}),
                  InvalidArgument);
}

}  // namespace
}  // namespace tailbound::sim
