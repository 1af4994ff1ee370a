#include <tailbound/core/error.hpp>
#include <tailbound/queue/delay/hop_delay.hpp>
#include <tailbound/symbolic/pgf.hpp>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <tests/support/finite_chain.hpp>
#include <tests/support/random_models.hpp>
#include <utility>
#include <vector>

using namespace tailbound;
using namespace tailbound::test;
using numeric::Enclosure;
using numeric::Rational;
using numeric::Real;
using queue::HopDelay;
using queue::SlottedQueue;
using series::Distribution;
using Probability = Enclosure<unit::Probability>;

namespace {

bool overlap(const Real& a_lower, const Real& a_upper, const Real& b_lower, const Real& b_upper) {
  return a_lower <= b_upper && b_lower <= a_upper;
}

/// P(Q = w+1) / rho, or the tail, from the occupancy.
bool is_share_of_load(const Probability& delay, const numeric::Proved<unit::Probability>& occupancy,
                      const Rational& load) {
  const numeric::PrecisionScope scope(numeric::Precision{256});
  const Probability of_queue = numeric::to_enclosure(occupancy, numeric::Precision{256});
  const numeric::Interval expected =
      numeric::make_interval(of_queue.lower(), of_queue.upper()) / numeric::to_interval(load);
  return overlap(delay.lower(), delay.upper(), numeric::lower(expected), numeric::upper(expected));
}

/// Waits against occupancies at all levels.
void check_wait(const SlottedQueue& queue, std::size_t size) {
  const Rational& load = *queue.arrivals.load();
  const auto fast = queue::hop_delay(queue, HopDelay::wait, size, -1000);
  const auto fine = queue::hop_delay(queue, HopDelay::wait, size, -1000, 192);
  REQUIRE(fast.size() == size);
  REQUIRE(fine.size() == size);
  const queue::Accuracy accuracy{{30}, queue::Arithmetic::automatic};
  const auto masses =
      queue::occupancy_probabilities(queue, Packets(static_cast<std::int64_t>(size)), accuracy);
  std::vector<Packets> levels;
  for (std::size_t w = 0; w < size; ++w) levels.emplace_back(static_cast<std::int64_t>(w) + 1);
  const auto tails = queue::occupancy_tails(queue, levels, accuracy);
  for (std::size_t w = 0; w < size; ++w) {
    INFO("w = " << w);
    const Probability mass = series::enclose_mass(numeric::Theorem::sojourn, fast, w),
                      tail = series::enclose_tail(numeric::Theorem::sojourn, fast, w);
    CHECK(is_share_of_load(mass, masses[w + 1].probability, load));
    CHECK(is_share_of_load(tail, tails[w].probability, load));
    const Probability fine_mass = series::enclose_mass(numeric::Theorem::sojourn, fine, w),
                      fine_tail = series::enclose_tail(numeric::Theorem::sojourn, fine, w);
    CHECK(is_share_of_load(fine_mass, masses[w + 1].probability, load));
    CHECK(is_share_of_load(fine_tail, tails[w].probability, load));
    CHECK(overlap(mass.lower(), mass.upper(), fine_mass.lower(), fine_mass.upper()));
    CHECK(overlap(tail.lower(), tail.upper(), fine_tail.lower(), fine_tail.upper()));
    // They are not trivial.
    if (tail.lower() > 1e-250) CHECK(tail.relative_width() < 1e-12);
    if (fine_tail.lower() > 1e-250) CHECK(fine_tail.relative_width() < 1e-40);
  }
}

void check_occupancy(const SlottedQueue& queue, std::size_t size) {
  const auto fast = queue::hop_delay(queue, HopDelay::occupancy, size, -1000);
  const auto masses = queue::occupancy_probabilities(queue, Packets(static_cast<std::int64_t>(size)));
  for (std::size_t n = 0; n < size; ++n) {
    const Probability mass = series::enclose_mass(numeric::Theorem::sojourn, fast, n);
    const Probability expected = numeric::to_enclosure(masses[n].probability);
    CHECK(overlap(mass.lower(), mass.upper(), expected.lower(), expected.upper()));
  }
}

SlottedQueue formula(const char* text) {
  return {series::Arrivals::from_pgf(symbolic::parse_pgf(text)), 1};
}

}  // namespace

TEST_CASE("Wait in one queue: P(W = w) = P(Q = w+1) / rho on random models", "[queue][delay]") {
  int kinds[4] = {0, 0, 0, 0};
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    const Traffic traffic = random_traffic(random);
    INFO("seed " << seed << ": " << traffic.text());
    ++kinds[static_cast<int>(traffic.kind)];
    const SlottedQueue queue{traffic.arrivals(), 1};
    const auto size = static_cast<std::size_t>(random.between(1, 60));
    check_wait(queue, size);
    check_occupancy(queue, size);
  }
  for (const int kind : kinds) CHECK(kind >= 3);
}

TEST_CASE("Wait in one queue: ten digits in double contain higher-precision results", "[queue][delay]") {
  for (const char* load : {"0.05", "0.5", "0.9", "0.999"})
    for (const int inputs : {2, 16, 300}) {
      CAPTURE(load, inputs);
      const SlottedQueue queue{series::Arrivals::equal_inputs(inputs, numeric::parse_rational(load, "load"))};
      constexpr std::size_t size = 60;
      const auto quick = queue::hop_delay(queue, HopDelay::wait, size, -400, numeric::Digits{10});
      const auto usual = queue::hop_delay(queue, HopDelay::wait, size, -400);
      const auto fine = queue::hop_delay(queue, HopDelay::wait, size, -400, 192);
      CHECK(quick.tail_units > 2 * usual.tail_units);  // it is another arithmetic
      CHECK(std::ldexp(quick.tail_units, -64) < 1e-12);
      for (std::size_t w = 0; w < size; ++w) {
        CAPTURE(w);
        const Probability mass = series::enclose_mass(numeric::Theorem::sojourn, quick, w),
                          tail = series::enclose_tail(numeric::Theorem::sojourn, quick, w);
        const Probability fine_mass = series::enclose_mass(numeric::Theorem::sojourn, fine, w),
                          fine_tail = series::enclose_tail(numeric::Theorem::sojourn, fine, w);
        CHECK((mass.lower() <= fine_mass.lower() && fine_mass.upper() <= mass.upper()));
        CHECK((tail.lower() <= fine_tail.lower() && fine_tail.upper() <= tail.upper()));
        if (tail.lower() > 1e-100) CHECK(tail.relative_width() < 1e-11);
      }
    }
}

TEST_CASE("Wait in one queue: arrivals given as a formula", "[queue][delay]") {
  check_wait(formula("exp(3/5*(z-1))"), 40);
  check_wait(formula("(2/3)/(1-z/3)"), 40);
  check_wait(formula("(1/2 + z^2/4 + z/4)"), 40);
}

TEST_CASE("Wait in one queue: exact fractions", "[queue][delay]") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    const Traffic traffic = random_traffic(random);
    if (traffic.kind == Traffic::Kind::poisson || traffic.inputs > 40) continue;
    INFO("seed " << seed << ": " << traffic.text());
    const SlottedQueue queue{traffic.arrivals(), 1};
    constexpr std::size_t size = 12;
    const auto exact = queue::exact_hop_delay(queue, HopDelay::wait, size);
    const auto fast = queue::hop_delay(queue, HopDelay::wait, size, -1000);
    const auto fine = queue::hop_delay(queue, HopDelay::wait, size, -1000, 128);
    REQUIRE(exact.size() == size);

    // From the definition: P(V = v) by the balance of V' = max(V + A - 1, 0), then W = V + J.
    const std::vector<Fraction> pmf = fraction_pmf(traffic);
    const Fraction load = traffic.mean();
    std::vector<Fraction> left{(1 - load) / pmf[0]};
    const auto arrive = [&](std::size_t j) { return j < pmf.size() ? pmf[j] : Fraction(0); };
    for (std::size_t v = 0; v + 1 < size; ++v) {
      // P(V = v) = sum_{i + j = v + 1} P(V = i) P(A = j), with 0 and 1 both leading to 0
      Fraction rest = left[v];
      for (std::size_t i = 0; i <= v; ++i) rest -= left[i] * arrive(v + 1 - i);
      if (v == 0) rest -= left[0] * arrive(0);
      left.push_back(rest / pmf[0]);
    }
    Fraction above = 1;
    std::vector<Fraction> ahead;
    for (std::size_t j = 0; j < size; ++j) {
      above -= arrive(j);
      ahead.push_back(above / load);
    }
    Fraction at_most = 0;
    for (std::size_t w = 0; w < size; ++w) {
      Fraction wait = 0;
      for (std::size_t i = 0; i <= w; ++i) wait += left[i] * ahead[w - i];
      CHECK(fraction_of(exact[w]) == wait);
      at_most += wait;
      CHECK(series::enclose_mass(numeric::Theorem::sojourn, fast, w).contains(exact[w]));
      CHECK(series::enclose_mass(numeric::Theorem::sojourn, fine, w).contains(exact[w]));
      CHECK(series::enclose_tail(numeric::Theorem::sojourn, fast, w)
                .contains(to_rational(Fraction(1 - at_most))));
      CHECK(series::enclose_tail(numeric::Theorem::sojourn, fine, w)
                .contains(to_rational(Fraction(1 - at_most))));
    }
  }
}

TEST_CASE("Wait in one queue: several packets per slot, against the Markov chain", "[queue][delay]") {
  for (const int servers : {2, 3, 5, 8}) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      Random random(seed + 100 * static_cast<std::uint64_t>(servers));
      // `servers` times the load of a random PMF: A is the sum of that many independent ones.
      const std::int64_t inputs = random.between(servers + 1, 4 * servers);
      const Fraction load = Fraction(Whole(random.between(200, 850)), Whole(1000)) * servers;
      const Traffic traffic = Traffic::equal(inputs, std::min(load, Fraction(Fraction(95, 100) * inputs)));
      INFO(servers << " a slot: " << traffic.text());
      const std::vector<Fraction> pmf = fraction_pmf(traffic);
      constexpr std::size_t size = 10;
      const std::vector<Float100> occupied = banded_chain_tails(pmf, 1200, servers);
      // V = packets that stay behind the service: P(V > v) = P(Q > v + C).
      const std::size_t places = size * static_cast<std::size_t>(servers);
      std::vector<Float100> left, ahead;
      Float100 at_least = 1;
      for (std::size_t v = 0; v < places; ++v) {
        const Float100& beyond = occupied[v + static_cast<std::size_t>(servers)];
        left.push_back(at_least - beyond);
        at_least = beyond;
      }
      Fraction above = 1;
      for (std::size_t j = 0; j < places; ++j) {
        above -= j < pmf.size() ? pmf[j] : Fraction(0);
        const Fraction share = above / traffic.mean();
        ahead.push_back(Float100(boost::multiprecision::numerator(share)) /
                        Float100(boost::multiprecision::denominator(share)));
      }
      std::vector<Float100> wait(size, Float100(0));
      for (std::size_t v = 0; v < places; ++v)
        for (std::size_t j = 0; v + j < places; ++j)
          wait[(v + j) / static_cast<std::size_t>(servers)] += left[v] * ahead[j];

      const SlottedQueue queue{traffic.arrivals(), servers};
      const auto fast = queue::hop_delay(queue, HopDelay::wait, size, -1000);
      const auto fine = queue::hop_delay(queue, HopDelay::wait, size, -1000, 192);
      Float100 at_most = 0;
      for (std::size_t w = 0; w < size; ++w) {
        INFO("w = " << w);
        at_most += wait[w];
        // The chain is cut at 1200 packets; its masses are differences: 60 digits relative to 1 remain.
        const auto near = [&](const Probability& enclosure, const Float100& value) {
          Fraction exact;
          mpfr_get_q(exact.backend().data(), value.backend().data());
          const Fraction off = power_of_ten(-60);
          return encloses(enclosure.lower(), enclosure.upper(), {exact - off, exact + off});
        };
        CHECK(near(series::enclose_mass(numeric::Theorem::sojourn, fast, w), wait[w]));
        CHECK(near(series::enclose_mass(numeric::Theorem::sojourn, fine, w), wait[w]));
        CHECK(near(series::enclose_tail(numeric::Theorem::sojourn, fast, w), Float100(1 - at_most)));
        CHECK(near(series::enclose_tail(numeric::Theorem::sojourn, fine, w), Float100(1 - at_most)));
        if (wait[w] > 1e-20) {
          CHECK(series::enclose_mass(numeric::Theorem::sojourn, fast, w).relative_width() < 1e-12);
          CHECK(series::enclose_tail(numeric::Theorem::sojourn, fine, w).relative_width() < 1e-40);
        }
      }
    }
  }
}

TEST_CASE("Wait in one queue: the mean is the sum of the tails and satisfies Little's law",
          "[queue][delay]") {
  int exact_means = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    const Traffic traffic = random_traffic(random);
    const Fraction load = traffic.mean();
    if (load > Fraction(9, 10) || load < Fraction(1, 20)) continue;
    INFO("seed " << seed << ": " << traffic.text());
    const int servers = random.one_in(3) && traffic.kind == Traffic::Kind::poisson ? 2 : 1;
    const SlottedQueue queue{traffic.arrivals(), servers};
    const auto mean = queue::mean_hop_delay(queue, HopDelay::wait, {20});
    const std::size_t size = 1500;
    const auto delay = queue::hop_delay(queue, HopDelay::wait, size, -1000);
    if (!(delay.tail.back() < 1e-25L)) continue;
    const numeric::PrecisionScope scope(numeric::Precision{256});
    Real lower(0), upper(0);
    for (std::size_t w = 0; w < size; ++w) {
      const Probability tail = series::enclose_tail(numeric::Theorem::sojourn, delay, w);
      lower += tail.lower();
      upper += tail.upper();
    }
    upper += Real(1e-20);  // a generous bound of the rest
    const Enclosure<unit::Slot> slots = numeric::to_enclosure(mean);
    CHECK(lower <= slots.upper() + Real(1e-60));
    CHECK(slots.lower() <= upper + Real(1e-60));
    if (servers == 1 && traffic.kind != Traffic::Kind::poisson) {
      // E[Q] = rho + A''(1) / (2 (1 - rho)) and E[W] = E[Q] / rho - 1, in the tests' own fractions.
      const std::vector<Fraction> pmf = fraction_pmf(traffic);
      Fraction second = 0;
      for (std::size_t j = 2; j < pmf.size(); ++j) second += pmf[j] * (j * (j - 1));
      const auto* exact = std::get_if<numeric::Exact<unit::Slot>>(&mean);
      REQUIRE(exact != nullptr);
      const Fraction occupied = load + second / (2 * (1 - load));
      CHECK(fraction_of(exact->value) == Fraction(occupied / load - 1));
      const auto in_queue = queue::mean_hop_delay(queue, HopDelay::occupancy, {20});
      REQUIRE(std::holds_alternative<numeric::Exact<unit::Slot>>(in_queue));
      CHECK(fraction_of(std::get<numeric::Exact<unit::Slot>>(in_queue).value) == occupied);
      ++exact_means;
    }
  }
  CHECK(exact_means >= 10);
}

TEST_CASE("Wait in one queue: Little's law for several packets per slot", "[queue][delay]") {
  for (const int servers : {2, 4}) {
    const SlottedQueue queue{series::Arrivals::equal_inputs(
                                 4 * servers, Rational(servers) * numeric::parse_rational("0.8", "load")),
                             servers};
    // Slots in the system: the wait plus one for the service. E[Q] = rho (E[W] + 1).
    const auto delay = queue::hop_delay(queue, HopDelay::wait, 400, -1000);
    const numeric::PrecisionScope scope(numeric::Precision{256});
    Real sum(0);
    for (std::size_t w = 0; w < delay.size(); ++w)
      sum += series::enclose_tail(numeric::Theorem::sojourn, delay, w).lower();
    const auto occupied = numeric::to_enclosure(queue::mean_occupancy(queue, {30}));
    const Real load = numeric::to_real(*queue.arrivals.load(), numeric::Rounding::nearest);
    CHECK(abs(occupied.lower() - load * (sum + 1)) < Real(1e-14));
    const auto mean = numeric::to_enclosure(queue::mean_hop_delay(queue, HopDelay::wait, {30}));
    CHECK(mean.relative_width() < 1.001e-30);
    CHECK(abs(mean.lower() - sum) < Real(1e-14));
  }
}

TEST_CASE("Wait in one queue: errors and edge cases", "[queue][delay]") {
  const auto inputs = [](int count, const char* load) {
    return series::Arrivals::equal_inputs(count, numeric::parse_rational(load, "load"));
  };
  const auto delay = [](const SlottedQueue& queue, HopDelay kind) {
    return queue::hop_delay(queue, kind, 10, -100);
  };
  CHECK_THROWS_AS(delay({inputs(4, "1"), 1}, HopDelay::wait), Unstable);
  CHECK_THROWS_AS(delay({inputs(4, "2"), 2}, HopDelay::wait), Unstable);
  CHECK_THROWS_AS(delay({inputs(4, "0"), 1}, HopDelay::wait), InvalidArgument);
  CHECK_THROWS_AS(delay({inputs(4, "1"), 2}, HopDelay::occupancy), InvalidArgument);
  CHECK_THROWS_AS(queue::mean_hop_delay({inputs(4, "0"), 1}, HopDelay::wait), InvalidArgument);
  CHECK_THROWS_AS(queue::mean_hop_delay({inputs(4, "1"), 1}, HopDelay::wait), Unstable);
  CHECK_THROWS_AS(queue::mean_hop_delay({inputs(4, "1"), 2}, HopDelay::occupancy), InvalidArgument);
  CHECK_THROWS_AS(queue::exact_hop_delay({inputs(4, "1"), 2}, HopDelay::wait, 4), LimitExceeded);
  CHECK_THROWS_AS(queue::exact_hop_delay({series::Arrivals::poisson(Rational(1) / 2), 1}, HopDelay::wait, 4),
                  LimitExceeded);
  const SlottedQueue queue{inputs(16, "0.9"), 1};
  CHECK_THROWS_AS(queue::hop_delay(queue, HopDelay::wait, 0, -100), LimitExceeded);
  CHECK_THROWS_AS(queue::hop_delay(queue, HopDelay::wait, (std::size_t{1} << 23) + 1, -100), LimitExceeded);
  CHECK_THROWS_AS(queue::hop_delay(queue, HopDelay::wait, 100'000'000, -100, 128), LimitExceeded);

  // One source, or no more sources than servers: no packet waits.
  for (const auto& alone : {SlottedQueue{inputs(1, "0.7"), 1}, SlottedQueue{inputs(3, "0.9"), 3}}) {
    const auto none = queue::hop_delay(alone, HopDelay::wait, 5, -100);
    for (std::size_t t = 0; t < 5; ++t) {
      CHECK(series::enclose_mass(numeric::Theorem::sojourn, none, t).contains(t == 0 ? 1 : 0));
      CHECK(series::enclose_tail(numeric::Theorem::sojourn, none, t).contains(0));
      CHECK(series::enclose_tail(numeric::Theorem::sojourn, none, t).upper() < 1e-18);
    }
    const auto mean = numeric::to_enclosure(queue::mean_hop_delay(alone, HopDelay::wait));
    CHECK(mean.contains(0));
    CHECK(mean.upper() < 1e-100);
  }
}

TEST_CASE("hop delay: the packets of one source among unequal ones", "[hop_delay]") {
  const Rational a = Rational(1) / 20, b = Rational(1) / 40, c = Rational(1) / 10;
  const SlottedQueue queue{series::Arrivals::unequal_inputs({a, b, c}), 1};
  const queue::FlowQueue x1{queue, {{a, 1}, {c, 1}}};
  const auto exact = [](const numeric::Proved<unit::Slot>& mean) {
    return std::get<numeric::Exact<unit::Slot>>(mean).value;
  };
  CHECK(exact(queue::mean_hop_delay(x1)) == Rational(113) / 1320);  // 0.0856060..
  const auto law = queue::hop_delay(x1, 20, -200);
  const auto fine = queue::hop_delay(x1, 20, -200, 192);
  CHECK(static_cast<double>(law.tail[7]) == Approx(8.82476898248633e-14).epsilon(1e-12));
  for (std::size_t t = 0; t < 20; ++t) {
    const Probability fast = series::enclose_tail(numeric::Theorem::sojourn, law, t),
                      slow = series::enclose_tail(numeric::Theorem::sojourn, fine, t);
    CHECK(overlap(fast.lower(), fast.upper(), slow.lower(), slow.upper()));
  }
  const std::vector<Rational> masses = queue::exact_hop_delay(x1, 4);
  for (std::size_t t = 0; t < masses.size(); ++t)
    CHECK(numeric::nearest_double(masses[t]) == Approx(static_cast<double>(law.mass[t])).epsilon(1e-13));
  // Little: the packets of all sources together wait as an arbitrary one.
  Rational sum = 0;
  const std::vector<std::pair<Rational, queue::FlowQueue>> all{
      {a, {queue, {{b, 1}, {c, 1}}}}, {b, x1}, {c, {queue, {{a, 1}, {b, 1}}}}};
  for (const auto& [own, others] : all) sum = sum + own * exact(queue::mean_hop_delay(others));
  CHECK(sum == *queue.arrivals.load() * exact(queue::mean_hop_delay(queue, HopDelay::wait)));
}

TEST_CASE("hop delay: the packets of one source at a link of several packets", "[hop_delay]") {
  const Rational slow = Rational(1) / 5, fast = Rational(4) / 5;
  const SlottedQueue two{series::Arrivals::unequal_inputs({slow, fast, fast}), 2};
  const queue::FlowQueue of_slow{two, {{fast, 2}}}, of_fast{two, {{slow, 1}, {fast, 1}}};
  const auto mean = [](const queue::FlowQueue& flow) {
    const auto found = numeric::to_enclosure(queue::mean_hop_delay(flow));
    return static_cast<double>(found.lower());
  };
  CHECK(static_cast<double>(queue::hop_delay(of_slow, 8, -100).tail[0]) ==
        Approx(0.43867339689797).epsilon(1e-12));
  CHECK(static_cast<double>(queue::hop_delay(of_fast, 8, -100).tail[0]) ==
        Approx(0.31093675372255).epsilon(1e-12));
  CHECK(mean(of_slow) == Approx(0.5293655735434537).epsilon(1e-9));
  CHECK(mean(of_fast) == Approx(0.3752204125757817).epsilon(1e-9));
}
