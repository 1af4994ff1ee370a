#include <tailbound/core/error.hpp>
#include <tailbound/sim/sources/on_off_slots.hpp>

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

/// Random runs have fixed seeds: a test that passes once passes always. The stated false-alarm rate is the
/// probability that a correct program fails with a new seed.
namespace tailbound::sim {
namespace {

using numeric::nearest_double;
using numeric::parse_rational;

struct Case {
  const char *load, *on_rate, *burst;
};

/// alpha + beta below, at and above 1; an on-rate below 1; bursts of one slot.
const std::vector<Case> cases{{"0.6", "1", "16"},    {"0.6", "1", "2.5"}, {"0.6", "1", "1.6"},
                              {"0.25", "0.7", "40"}, {"0.3", "0.9", "1"}, {"0.01", "1", "300"},
                              {"0.49", "1", "1"},    {"0.95", "1", "25"}};

traffic::OnOff source_of(const Case& its) {
  return traffic::on_off(parse_rational(its.load, "load"),
                         {parse_rational(its.burst, "burst"), parse_rational(its.on_rate, "on-rate")});
}

traffic::OnOff always_sending(traffic::OnOff source) {
  source.load = source.on_fraction();
  source.on_rate = 1;
  return source;
}

/// Slot by slot: the states of `blocks` blocks of one source.
std::vector<bool> states_of(const traffic::OnOff& source, RandomKey key, std::uint64_t entity, int blocks) {
  const OnOffSlots slots(always_sending(source));
  bool on = slots.start(key, 8, entity);
  std::vector<bool> states;
  for (int block = 0; block < blocks; ++block) {
    const bool first = on;
    const std::uint64_t bits = slots.sends(key, 8, entity, static_cast<std::uint64_t>(block), on);
    REQUIRE(((bits & 1U) != 0) == first);
    for (int s = 0; s < 64; ++s) states.push_back((bits >> s & 1U) != 0);
  }
  return states;
}

/// Distance of `ones` of `trials` from a binomial's mean, in standard deviations.
double deviations(double ones, double trials, double probability) {
  return (ones - trials * probability) /
         std::sqrt(std::max(0.0, trials * probability * (1 - probability)) + 1e-9);
}

TEST_CASE("on-off slots: states match the coins, slot by slot") {
  const RandomKey key{3, 1};
  for (const Case& its : cases) {
    CAPTURE(its.load, its.on_rate, its.burst);
    const traffic::OnOff source = source_of(its);
    const double alpha = nearest_double(source.start), beta = nearest_double(source.stop);
    const double to_on = std::min(alpha, 1 - beta), to_off = std::min(beta, 1 - alpha);
    const auto threshold = [](double p) { return static_cast<std::uint64_t>(std::ldexp(p, 64)); };
    const std::vector<bool> states = states_of(source, key, 5, 40);
    bool on = states[0];
    std::size_t differ = 0;
    for (std::uint64_t block = 0; block < 40; ++block) {
      const std::uint64_t set = bernoulli_bits(key, 9, 5, block * 16, threshold(to_on));
      const double otherwise = to_off / (1 - to_on);
      const std::uint64_t reset = otherwise > 1 - 1e-12
                                      ? ~std::uint64_t{0}
                                      : bernoulli_bits(key, 10, 5, block * 16, threshold(otherwise));
      for (std::uint64_t s = 0; s < 64; ++s) {
        differ += states[block * 64 + s] != on;
        if ((set >> s & 1U) != 0)
          on = true;
        else if ((reset >> s & 1U) != 0)
          on = false;
        else if (alpha + beta > 1)
          on = !on;
      }
    }
    CHECK(differ == 0);
  }
}

// Within 5 deviations of exact distributions, 6 comparisons for each of 8 cases: a correct program fails with
// a new seed with probability 3e-5.
TEST_CASE("on-off slots: load, burst length and correlation match the chain") {
  constexpr int blocks = 20'000;
  for (const Case& its : cases) {
    CAPTURE(its.load, its.on_rate, its.burst);
    const traffic::OnOff source = source_of(its);
    const double alpha = nearest_double(source.start), beta = nearest_double(source.stop);
    const double p = nearest_double(source.on_fraction()), g = 1 - alpha - beta;
    const std::vector<bool> states = states_of(source, {11, 0}, 2, blocks);
    const auto slots = static_cast<double>(states.size());

    // The mean over time: the variance of the sum is exact.
    double on = 0;
    for (const bool state : states) on += state;
    const double variance = p * (1 - p) * (slots * (1 + g) / (1 - g) - 2 * g / ((1 - g) * (1 - g)));
    CHECK(std::abs(on - slots * p) < 5 * std::sqrt(variance));

    // Bursts that begin and end within the time: independent geometric lengths.
    double bursts = 0, lengths = 0, length = 0;
    bool begun = false;
    for (std::size_t t = 1; t < states.size(); ++t) {
      if (states[t] && !states[t - 1]) begun = true, length = 0;
      if (begun && states[t]) ++length;
      if (begun && !states[t] && states[t - 1]) ++bursts, lengths += length;
    }
    CHECK(std::abs(lengths / bursts - 1 / beta) <= 5 * std::sqrt((1 - beta) / bursts) / beta + 1e-12);

    // Every lag-th slot is a Markov chain too: from ON it is ON again with probability p + (1 - p) g^lag.
    for (const int lag : {1, 7}) {
      double from_on = 0, from_off = 0, on_on = 0, off_on = 0;
      for (std::size_t t = 0; t + static_cast<std::size_t>(lag) < states.size();
           t += static_cast<std::size_t>(lag)) {
        const bool next = states[t + static_cast<std::size_t>(lag)];
        ++(states[t] ? from_on : from_off);
        if (next) ++(states[t] ? on_on : off_on);
      }
      CAPTURE(lag);
      CHECK(std::abs(deviations(on_on, from_on, p + (1 - p) * std::pow(g, lag))) < 5);
      CHECK(std::abs(deviations(off_on, from_off, p - p * std::pow(g, lag))) < 5);
    }
  }
}

// As above; 3 comparisons for each of 8 cases, 2e-5 in total.
TEST_CASE("on-off slots: sources are stationary and independent, and send at the on-rate") {
  constexpr std::uint64_t sources = 20'000;
  for (const Case& its : cases) {
    CAPTURE(its.load, its.on_rate, its.burst);
    const traffic::OnOff source = source_of(its);
    const OnOffSlots slots(source), states(always_sending(source));
    double at_start = 0, later = 0, on_later = 0, sent = 0, pairs = 0;
    bool last = false;
    for (std::uint64_t entity = 0; entity < sources; ++entity) {
      bool on = slots.start({4, 2}, 0, entity), same = on;
      at_start += on;
      (void)slots.sends({4, 2}, 0, entity, 0, on);
      (void)states.sends({4, 2}, 0, entity, 0, same);
      REQUIRE(on == same);
      const std::uint64_t sends = slots.sends({4, 2}, 0, entity, 1, on);
      const std::uint64_t is_on = states.sends({4, 2}, 0, entity, 1, same);
      REQUIRE((sends & ~is_on) == 0);
      const bool now = (is_on >> 37U & 1U) != 0;
      later += now;
      on_later += static_cast<double>(std::popcount(is_on));
      sent += static_cast<double>(std::popcount(sends));
      pairs += now && last && entity % 2 == 1;
      last = now;
    }
    const double p = nearest_double(source.on_fraction());
    const auto count = static_cast<double>(sources);
    CHECK(std::abs(deviations(at_start, count, p)) < 5);
    CHECK(std::abs(deviations(later, count, p)) < 5);
    CHECK(std::abs(deviations(pairs, count / 2, p * p)) < 5);
    CHECK(std::abs(deviations(sent, on_later, nearest_double(source.on_rate))) < 5);
  }
}

TEST_CASE("on-off slots: memory matches the chain, and strict alternation is rejected") {
  // The variance of sums over n slots, summed covariance by covariance.
  for (const Case& its : cases) {
    CAPTURE(its.load, its.on_rate, its.burst);
    const traffic::OnOff source =
        traffic::thinned(source_of(its), numeric::Rational(1) / numeric::Rational(4));
    const double r = nearest_double(source.on_rate), p = nearest_double(source.on_fraction());
    const double g = 1 - nearest_double(source.start) - nearest_double(source.stop);
    double covariances = 0;
    for (int lag = 1; lag < 100'000; ++lag) covariances += r * r * p * (1 - p) * std::pow(g, lag);
    CHECK(memory_of(source, 4).variance == Approx(8 * std::max(0.0, covariances)));
    CHECK(memory_of(source, 4).slots == Approx(1 / (1 - std::abs(g))));
  }
  CHECK_THROWS_AS(OnOffSlots(traffic::on_off(numeric::Rational(1) / numeric::Rational(2), {1, 1})),
                  InvalidArgument);
}

}  // namespace
}  // namespace tailbound::sim
