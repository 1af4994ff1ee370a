#include <sys/resource.h>

#include <tailbound/core/error.hpp>
#include <tailbound/queue/slotted/slotted_queue.hpp>
#include <tailbound/queue/slotted/tail_engine.hpp>
#include <tailbound/series/laws/named_laws.hpp>
#include <tailbound/symbolic/pgf.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <tests/support/finite_chain.hpp>
#include <tests/support/pole_sum.hpp>
#include <tests/support/random_models.hpp>
#include <tests/support/reference_rows.hpp>
#include <tests/support/reference_tail.hpp>
#include <tuple>

using namespace tailbound;
using namespace tailbound::test;
using queue::Arithmetic;

namespace {

queue::SlottedQueue slotted(const Traffic& traffic, int packets_per_slot = 1) {
  return {traffic.arrivals(), packets_per_slot};
}

queue::LevelProbability tail(const Traffic& traffic, std::int64_t level, queue::Accuracy accuracy = {},
                             int packets_per_slot = 1) {
  return queue::occupancy_tail(slotted(traffic, packets_per_slot), Packets(level), accuracy);
}

/// A float known to `digits` digits as a reference.
template <class Float>
Reference around(const Float& value, int digits) {
  Fraction exact;
  mpfr_get_q(exact.backend().data(), value.backend().data());
  const Fraction margin = boost::multiprecision::abs(exact) * power_of_ten(-digits);
  return {exact - margin, exact + margin};
}

Traffic sixteen(const char* load) {
  return Traffic::equal(16, parse_decimal(load));
}

void check_rows(Arithmetic arithmetic, int digits) {
  int answered = 0;
  for (const ReferenceRow& row : read_reference_rows()) {
    INFO(queue::name(arithmetic) << " digits " << digits << ": " << row.text);
    if (arithmetic == Arithmetic::exact &&
        (row.level > 200 || row.inputs * row.level > (digits == 200 ? 50'000 : 10'000)))
      continue;
    const auto answer = tail(Traffic::equal(row.inputs, row.load), row.level, {{digits}, arithmetic});
    INFO(show(answer.probability));
    CHECK(answer.level.value == row.level);
    CHECK(encloses(answer.probability, row.tail));
    CHECK(narrow(answer.probability, digits));
    if (arithmetic != Arithmetic::automatic) CHECK(answer.method.arithmetic == arithmetic);
    if (arithmetic == Arithmetic::exact)
      CHECK(std::holds_alternative<numeric::Exact<unit::Probability>>(answer.probability));
    ++answered;
  }
  CHECK(answered >= 20);
}

/// Traffic whose z = A(z) has the root s > 1 and the double root -r; A <= 4.
Traffic double_root(const Fraction& s, const Fraction& r, const Fraction& scale) {
  // 1 - B(z) = -scale (z - s) (z + r)^2 with B(z) = sum P(A > n) z^n.
  const Fraction b[] = {1 - scale * s * r * r, scale * (2 * r * s - r * r) * -1, scale * (2 * r - s), scale};
  return Traffic::pmf({1 - b[0], b[0] - b[1], b[1] - b[2], b[2] - b[3], b[3]});
}

/// Tails from truncated arrivals: how many of them exceed the computed value.
template <class T>
int check_cut(const Traffic& traffic, long negligible, int bits) {
  const numeric::PrecisionScope scope(numeric::Precision{bits + 64});
  const auto ladder = queue::enclosed_ladder(slotted(traffic), negligible);
  CHECK_FALSE(ladder.offers.complete);
  queue::TailEngine<T> engine(ladder, queue::Quantity::tail, bits);
  int felt = 0;
  for (std::int64_t level = 0; level <= 40; ++level) {
    const Reference reference = reference_tail(traffic, level);
    const auto value = engine.value(level);
    numeric::Real lower, upper;
    engine.enclose(value, lower, upper);
    INFO(traffic.text() << " negligible 2^" << negligible << " level " << level << " " << show(reference)
                        << " in [" << lower.str(30) << ", " << upper.str(30) << "]");
    CHECK(encloses(lower, upper, reference));
    // The rounding error of the recurrence is far smaller than this.
    const Fraction computed = fraction_of(numeric::Real(numeric::lower(numeric::Interval(value.value))));
    if ((reference.lower - computed) * power_of_ten(12) > reference.lower) ++felt;
  }
  return felt;
}

}  // namespace

TEST_CASE("enclosures include the truncation error", "[queue][cut]") {
  for (const Traffic& traffic : {Traffic::poisson(Fraction(9, 10)), Traffic::equal(300, Fraction(4, 5))})
    for (const long negligible : {-12L, -20L, -30L}) {
      CHECK(check_cut<double>(traffic, negligible, 53) > 10);
      CHECK(check_cut<numeric::Real>(traffic, negligible, 200) > 10);
      CHECK(check_cut<numeric::Interval>(traffic, negligible, 200) > 10);
    }
}

TEST_CASE("enclosures contain the reference values", "[queue][reference]") {
  for (const int digits : {10, 38, 200}) {
    check_rows(Arithmetic::automatic, digits);
    check_rows(Arithmetic::multiprecision, digits);
    check_rows(Arithmetic::interval, digits);
    check_rows(Arithmetic::exact, digits);
  }
  check_rows(Arithmetic::double_precision, 10);
  check_rows(Arithmetic::extended, 10);
}

TEST_CASE("double rejects digits that it cannot prove", "[queue][reference]") {
  for (const ReferenceRow& row : read_reference_rows()) {
    const Traffic traffic = Traffic::equal(row.inputs, row.load);
    INFO(row.text);
    for (const int digits : {38, 200}) {
      CHECK_THROWS_AS(tail(traffic, row.level, {{digits}, Arithmetic::double_precision}), LimitExceeded);
      CHECK_THROWS_AS(tail(traffic, row.level, {{digits}, Arithmetic::extended}), LimitExceeded);
    }
  }
}

TEST_CASE("exact reference value of 1000 inputs at level 200", "[.full][queue][reference]") {
  for (const ReferenceRow& row : read_reference_rows()) {
    if (row.inputs != 1000) continue;
    INFO(row.text);
    const auto answer = tail(Traffic::equal(row.inputs, row.load), row.level, {{10}, Arithmetic::exact});
    REQUIRE(std::holds_alternative<numeric::Exact<unit::Probability>>(answer.probability));
    CHECK(encloses(answer.probability, row.tail));
  }
}

TEST_CASE("reference values agree with the tests' own expansion", "[queue][reference]") {
  for (const ReferenceRow& row : read_reference_rows()) {
    if (row.inputs * row.level > 50'000) continue;
    const Traffic traffic = Traffic::equal(row.inputs, row.load);
    const std::int64_t levels[] = {row.level};
    const Reference deep = deep_tails(traffic, levels).front();
    INFO(row.text << " " << show(deep));
    CHECK(deep.lower <= row.tail.upper);
    CHECK(deep.upper >= row.tail.lower);
    // 200 digits are checked to 200 digits, not to the 40 of the row.
    const auto answer = tail(traffic, row.level, {{200}});
    INFO(show(answer.probability));
    CHECK(encloses(answer.probability, deep));
    CHECK(narrow(answer.probability, 200));
    // The reference itself: 100 more digits give the same.
    const Reference deeper = deep_tails(traffic, levels, 500).front();
    CHECK(deep.lower <= deeper.lower);
    CHECK(deeper.upper <= deep.upper);
    if (row.level <= 60 && row.inputs <= 16) {
      const Reference exact = exact_tails(traffic, levels).front();
      CHECK(deeper.lower <= exact.lower);
      CHECK(exact.upper <= deeper.upper);
    }
  }
}

TEST_CASE("deep queues agree with the sum over the poles", "[queue][deep]") {
  for (const char* load : {"0.9", "0.9999", "0.99999"}) {
    const Traffic traffic = sixteen(load);
    const std::vector<Fraction> pmf = fraction_pmf(traffic);
    std::vector<Fraction> equation = pmf;
    equation[1] -= 1;
    const std::vector<Complex300> roots = polynomial_roots(equation);
    for (const std::int64_t level : {std::int64_t{1}, std::int64_t{7}, std::int64_t{1000},
                                     std::int64_t{35'000}, std::int64_t{346'000}, std::int64_t{3'500'000}}) {
      for (const int digits : {10, 60}) {
        INFO("load " << load << " level " << level << " digits " << digits);
        const auto answer = tail(traffic, level, {{digits}});
        INFO(show(answer.probability));
        CHECK(encloses(answer.probability, around(pole_sum_tail(pmf, roots, level), 200)));
        CHECK(narrow(answer.probability, digits));
      }
    }
  }
}

TEST_CASE("deep queues: the minimum level agrees with the sum over the poles", "[queue][deep]") {
  for (const char* load : {"0.9999", "0.99999"}) {
    const Traffic traffic = sixteen(load);
    const std::vector<Fraction> pmf = fraction_pmf(traffic);
    std::vector<Fraction> equation = pmf;
    equation[1] -= 1;
    const std::vector<Complex300> roots = polynomial_roots(equation);
    const auto found = queue::min_level(slotted(traffic), to_rational(power_of_ten(-15)));
    INFO("load " << load << " level " << found.level.value);
    CHECK(found.level.value > 100'000);
    CHECK(pole_sum_tail(pmf, roots, found.level.value) <= Float300("1e-15"));
    CHECK(pole_sum_tail(pmf, roots, found.level.value - 1) > Float300("1e-15"));
    REQUIRE(found.before.size() == 1);
    CHECK(found.before.front().level.value == found.level.value - 1);
    CHECK(encloses(found.at.probability, around(pole_sum_tail(pmf, roots, found.level.value), 200)));
    CHECK(encloses(found.before.front().probability,
                   around(pole_sum_tail(pmf, roots, found.level.value - 1), 200)));
  }
}

TEST_CASE("multiple and nearly equal roots are handled", "[queue][deep][roots]") {
  const Fraction nudge = power_of_ten(-30);
  for (const Fraction& s : {Fraction(6, 5), Fraction(10001, 10000), Fraction(1'000'001, 1'000'000)}) {
    const Traffic traffic = double_root(s, Fraction(5), Fraction(1, 50));
    // The same with the two equal roots separated, slightly and almost not at all.
    Traffic moved = traffic;
    moved.values[2] += nudge;
    moved.values[3] -= nudge;
    for (const Traffic& each : {traffic, moved}) {
      const Float300 root = decay_root(each.values);
      INFO(each.text());
      const std::int64_t levels[] = {3, 61, 2000};
      const std::vector<Reference> references = deep_tails(each, levels);
      for (std::size_t i = 0; i < std::size(levels); ++i) {
        const auto answer = tail(each, levels[i], {{38}});
        INFO("level " << levels[i] << " " << show(answer.probability) << show(references[i]));
        CHECK(encloses(answer.probability, references[i]));
      }
      // Far out only the smallest root matters: the others are 5^-n relative to it.
      for (const std::int64_t level : {20'000, 1'000'000}) {
        Float300 slope = -1;
        Float300 power = 1;
        for (std::size_t j = 1; j < each.values.size(); ++j, power *= root)
          slope += Float300(each.values[j]) * j * power;
        const Float300 expected = Float300(Fraction(1 - each.mean())) / slope *
                                  boost::multiprecision::exp(-boost::multiprecision::log(root) * level);
        const auto answer = tail(each, level, {{30}});
        INFO("level " << level << " " << show(answer.probability) << " " << expected.str(40));
        CHECK(encloses(answer.probability, around(expected, 200)));
        CHECK(narrow(answer.probability, 30));
      }
    }
  }
}

TEST_CASE("several packets per slot: agrees with the chain solved by elimination", "[queue][servers]") {
  Random random(41);
  for (int i = 0; i < 60; ++i) {
    const int served = static_cast<int>(random.between(2, 4));
    // Traffic of at most one packet per slot, then enough copies for the required load.
    std::vector<Fraction> pmf;
    switch (i % 3) {
      case 0:
        pmf = fraction_pmf(Traffic::equal(random.between(served + 1, 12),
                                          Fraction(Whole(served * random.between(20, 90)), Whole(100))));
        break;
      case 1:
        pmf = random_pmf(random, random.between(served + 2, 12), Fraction(served * 4, 5));
        break;
      default:  // never fewer than one packet: state 0 does not occur
        pmf = random_pmf(random, random.between(served + 1, 10), Fraction(1, 2));
        pmf.insert(pmf.begin(), Fraction(0));
    }
    const Traffic traffic = Traffic::pmf(pmf);
    if (traffic.mean() >= Fraction(served * 95, 100)) continue;
    const double root = rough_decay_root(traffic, served);
    const double reach = std::isfinite(root) ? 60 * std::log(10.0) / std::log(root) : 0;
    if (reach > 500) continue;
    const std::int64_t capacity = 40 + static_cast<std::int64_t>(reach);
    const std::vector<Float100> expected = banded_chain_tails(pmf, capacity, served);
    std::vector<Packets> levels;
    for (std::int64_t level = 0; level <= 20; ++level) levels.emplace_back(level);
    for (const int digits : {10, 30}) {
      const auto answers = queue::occupancy_tails(slotted(traffic, served), levels, {{digits}});
      REQUIRE(answers.size() == levels.size());
      for (std::size_t n = 0; n < levels.size(); ++n) {
        // Cutting the chain off at `capacity` costs about 10^-60 of the tail 20 levels below the root's
        // reach.
        INFO("served " << served << " " << traffic.text() << " level " << n << " "
                       << show(answers[n].probability) << " chain " << expected[n].str(45));
        CHECK(encloses(answers[n].probability, around(expected[n], 40)));
        CHECK(narrow(answers[n].probability, digits));
      }
    }
  }
}

TEST_CASE("several packets per slot: worked by hand", "[queue][servers]") {
  // Two packets or none, two served: never a packet left over, so P(Q > 0) = P(Q > 1) = 1/4.
  const Traffic pairs = Traffic::pmf({Fraction(3, 4), Fraction(0), Fraction(1, 4)});
  for (const std::int64_t level : {0, 1})
    CHECK(encloses(tail(pairs, level, {}, 2).probability, {Fraction(1, 4), Fraction(1, 4)}));
  CHECK(encloses(tail(pairs, 2, {}, 2).probability, {Fraction(0), Fraction(0)}));
  // Batches of 4 served in pairs equal batches of 2 served one at a time, counted in pairs.
  const Traffic fours = Traffic::pmf({Fraction(3, 4), 0, 0, 0, Fraction(1, 4)});
  for (std::int64_t level = 0; level < 20; ++level) {
    const Reference pair = reference_tail(pairs, level);
    CHECK(encloses(tail(fours, 2 * level, {{30}}, 2).probability, pair));
    CHECK(encloses(tail(fours, 2 * level + 1, {{30}}, 2).probability, pair));
  }
  CHECK_THROWS_AS(tail(fours, 1, {}, 1), Unstable);
  CHECK_THROWS_AS(tail(Traffic::equal(4, 2), 1, {}, 2), Unstable);
  CHECK_THROWS_AS(tail(pairs, 1, {}, 0), InvalidArgument);
  CHECK_THROWS_AS(tail(pairs, 1, {}, -1), InvalidArgument);
  CHECK_THROWS_AS(tail(pairs, 1, {}, 129), InvalidArgument);
}

TEST_CASE("probabilities, tails and mean are consistent", "[queue][identities]") {
  Random random(42);
  for (int i = 0; i < 60; ++i) {
    const Traffic traffic =
        i % 3 == 0 ? Traffic::equal(random.between(1, 8), Fraction(Whole(random.between(1, 99)), Whole(100)))
                   : Traffic::pmf(random_pmf(random, random.between(2, 8),
                                             Fraction(Whole(random.between(1, 99)), Whole(100))));
    INFO(traffic.text());
    constexpr std::int64_t last = 12;
    std::vector<std::int64_t> levels;
    std::vector<Packets> requested;
    for (std::int64_t n = 0; n <= last; ++n) {
      levels.push_back(n);
      requested.emplace_back(n);
    }
    const std::vector<Reference> expected = exact_tails(traffic, levels);
    const auto exact = [](const queue::LevelProbability& answer) {
      return fraction_of(std::get<numeric::Exact<unit::Probability>>(answer.probability).value);
    };
    const queue::Accuracy exactly{{10}, Arithmetic::exact};
    const auto tails = queue::occupancy_tails(slotted(traffic), requested, exactly);
    const auto probabilities = queue::occupancy_probabilities(slotted(traffic), Packets(last), exactly);
    const auto enclosed = queue::occupancy_probabilities(slotted(traffic), Packets(last), {{25}});
    REQUIRE(probabilities.size() == last + 1);
    REQUIRE(enclosed.size() == last + 1);
    Fraction above = 1;
    for (std::size_t n = 0; n <= last; ++n) {
      CHECK(exact(tails[n]) == expected[n].lower);
      CHECK(exact(probabilities[n]) == above - exact(tails[n]));
      CHECK(encloses(enclosed[n].probability, {exact(probabilities[n]), exact(probabilities[n])}));
      CHECK(narrow(enclosed[n].probability, 25));
      CHECK(probabilities[n].level.value == static_cast<std::int64_t>(n));
      above = exact(tails[n]);
    }
    CHECK(exact(tails[0]) == traffic.mean());  // P(Q > 0) = rho
    CHECK(exact(probabilities[0]) == 1 - traffic.mean());

    // The wait from the state seen by one slot's packets: W = V + (packets of the same slot ahead), V = max(Q
    // - 1, 0), must be distributed as Q - 1 given Q > 0.
    const std::vector<Fraction> pmf = fraction_pmf(traffic);
    for (std::size_t w = 0; w + 1 <= last; ++w) {
      Fraction wait = 0;
      for (std::size_t ahead = 0; ahead <= w; ++ahead) {
        Fraction batch_tail = 0;  // P(A > ahead)
        for (std::size_t j = ahead + 1; j < pmf.size(); ++j) batch_tail += pmf[j];
        const std::size_t v = w - ahead;
        const Fraction left =
            v == 0 ? exact(probabilities[0]) + exact(probabilities[1]) : exact(probabilities[v + 1]);
        wait += left * batch_tail / traffic.mean();
      }
      CHECK(wait == exact(probabilities[w + 1]) / traffic.mean());
    }
  }
}

TEST_CASE("long-tailed batches: low levels by exact fractions, high ones from short arrivals",
          "[queue][formula]") {
  // Three classes of geometric batches: all arithmetics agree quickly at low and high levels.
  const auto three = series::Arrivals::from_pgf(symbolic::parse_pgf(
      "(0.9+0.1*0.5*z/(1-z/2))^2*(0.95+0.05*0.25*z/(1-0.75*z))*(0.99+0.01*0.125*z/(1-0.875*z))"));
  const auto one = series::Arrivals::from_pgf(symbolic::parse_pgf("0.8+0.2*0.5*z/(1-z/2)"));
  const auto within = [](const queue::LevelProbability& answer, const queue::LevelProbability& exact) {
    const auto enclosure = numeric::to_enclosure(answer.probability, {256});
    const auto value = std::get<numeric::Exact<unit::Probability>>(exact.probability).value;
    return numeric::to_rational(enclosure.lower()) <= value &&
           value <= numeric::to_rational(enclosure.upper());
  };
  const auto check = [&](const queue::SlottedQueue& slotted, std::int64_t last, queue::Accuracy accuracy) {
    const auto answers = queue::occupancy_probabilities(slotted, Packets(last), accuracy);
    const auto exact = queue::occupancy_probabilities(slotted, Packets(last), {{10}, Arithmetic::exact});
    std::vector<Packets> levels{Packets(0), Packets(last / 2), Packets(last)};
    const auto tails = queue::occupancy_tails(slotted, levels, accuracy);
    const auto exact_tails = queue::occupancy_tails(slotted, levels, {{10}, Arithmetic::exact});
    for (std::size_t n = 0; n < exact.size(); ++n) {
      INFO("n = " << n << " " << show(answers[n].probability));
      CHECK(within(answers[n], exact[n]));
      CHECK(narrow(answers[n].probability, accuracy.digits.count));
    }
    for (std::size_t i = 0; i < levels.size(); ++i) CHECK(within(tails[i], exact_tails[i]));
  };
  check({three, 1}, 60, {{10}, Arithmetic::automatic});
  check({three, 1}, 60, {{22}, Arithmetic::automatic});
  check({one, 1}, 140, {{10}, Arithmetic::automatic});
  check({one, 1}, 140, {{30}, Arithmetic::automatic});
  check({one, 1}, 30, {{12}, Arithmetic::double_precision});
  check({one, 1}, 30, {{12}, Arithmetic::multiprecision});
}

TEST_CASE("the mean is the sum of the tails", "[queue][identities]") {
  Random random(43);
  for (int i = 0; i < 40; ++i) {
    // Loads up to 0.9, so that 400 levels give the mean to many digits.
    const Fraction load(Whole(random.between(5, 80)), Whole(100));
    Traffic traffic = i % 3 == 0   ? Traffic::poisson(load)
                      : i % 3 == 1 ? Traffic::equal(random.between(2, 40), load)
                                   : Traffic::pmf(random_pmf(random, random.between(2, 6), load));
    const double root = rough_decay_root(traffic);
    if (!std::isfinite(root)) continue;
    const auto last = static_cast<std::int64_t>(25 * std::log(10.0) / std::log(root)) + 5;
    if (last > 2000) continue;
    std::vector<std::int64_t> levels;
    for (std::int64_t n = 0; n <= last; ++n) levels.push_back(n);
    Float300 sum = 0;
    for (const Reference& each : deep_tails(traffic, levels, 40)) sum += Float300(each.lower);
    const auto mean = queue::mean_occupancy(slotted(traffic), {15});
    INFO(traffic.text() << " " << show(mean) << " sum " << sum.str(30));
    CHECK(encloses(mean, around(sum, 20)));
    CHECK(narrow(mean, 15));
  }
  // 9/10 + (81/100)(15/16) / (2/10)
  const auto mean = queue::mean_occupancy(slotted(sixteen("0.9")));
  REQUIRE(std::holds_alternative<numeric::Exact<unit::Packet>>(mean));
  CHECK(fraction_of(std::get<numeric::Exact<unit::Packet>>(mean).value) ==
        Fraction(9, 10) + Fraction(81 * 15, 1600) / Fraction(2, 10));
}

TEST_CASE("up to 32 packets per slot, at loads where A(0) is small", "[queue][servers]") {
  // The companion matrices of such arrivals have inaccurate eigenvalues.
  for (const int served : {27, 30, 31, 32})
    for (const Traffic& traffic : {Traffic::equal(served + 2, Fraction(served * 93, 100)),
                                   Traffic::equal(3 * served, Fraction(served * 9, 10))}) {
      const std::vector<Fraction> pmf = fraction_pmf(traffic);
      std::vector<long double> arrivals;
      for (const Fraction& value : pmf) arrivals.push_back(static_cast<long double>(Float100(value)));
      const std::vector<long double> tails = banded_chain_tails(arrivals, 500, served);
      for (const std::int64_t level : {0, 12, 40}) {
        const auto tail = queue::occupancy_tail(slotted(traffic, served), Packets(level), {{10}}).probability;
        INFO(served << " " << traffic.text() << " level " << level << " " << show(tail));
        CHECK(encloses(tail, around(Float100(tails[static_cast<std::size_t>(level)]), 14)));
        CHECK(narrow(tail, 10));
      }
    }
}

TEST_CASE("several packets per slot of unbounded batches that decay slowly", "[queue][servers]") {
  // Hundreds of probabilities count: the roots come from fixed points.
  constexpr std::size_t kept = 700;
  std::vector<long double> batch(kept, 0), arrivals(kept, 0);
  for (std::size_t n = 1; n < kept; ++n) batch[n] = 0.1L * std::pow(0.9L, static_cast<long double>(n - 1));
  arrivals[0] = std::exp(-0.05L);
  for (std::size_t n = 1; n < kept; ++n) {  // Panjer
    for (std::size_t k = 1; k <= n; ++k)
      arrivals[n] += static_cast<long double>(k) * batch[k] * arrivals[n - k];
    arrivals[n] *= 0.05L / static_cast<long double>(n);
  }
  const series::Arrivals law =
      series::Arrivals::from_pgf(symbolic::parse_pgf("exp(1/20*((z/10)/(1-9/10*z)-1))"));
  for (const int served : {3, 6}) {
    const std::vector<long double> tails = banded_chain_tails(arrivals, kept - 1, served);
    for (const std::int64_t level : {0, 20, 100}) {
      const auto tail = queue::occupancy_tail({law, served}, Packets(level), {{10}}).probability;
      INFO(served << " level " << level << " " << show(tail));
      CHECK(encloses(tail, around(Float100(tails[static_cast<std::size_t>(level)]), 12)));
      CHECK(narrow(tail, 10));
    }
  }
}

TEST_CASE("several packets per slot: the mean is the sum of the chain's tails",
          "[queue][identities][servers]") {
  for (const int served : {2, 3}) {
    const Traffic traffic = Traffic::equal(8, Fraction(served * 3, 5));
    const std::vector<Float100> tails = banded_chain_tails(fraction_pmf(traffic), 250, served);
    Float100 sum = 0;
    for (const Float100& each : tails) sum += each;
    const auto mean = queue::mean_occupancy(slotted(traffic, served), {20});
    INFO(show(mean) << " " << sum.str(40));
    CHECK(encloses(mean, around(sum, 30)));
    CHECK(narrow(mean, 20));
  }
}

TEST_CASE("the decay rate of two inputs solves a quadratic at any load", "[queue][decay]") {
  // (1 - p + p z)^2 = z: z = ((1 - p) / p)^2.
  for (int exponent = 1; exponent <= 40; ++exponent) {
    const Fraction p = Fraction(3, 7) * power_of_ten(1 - exponent);
    const Float300 expected = 2 * boost::multiprecision::log(Float300((1 - p) / p));
    const auto rate = queue::decay_rate(slotted(Traffic::equal(2, 2 * p)), {20});
    REQUIRE(rate.has_value());
    CHECK(Float300(fraction_of(rate->lower())) <= expected);
    CHECK(expected <= Float300(fraction_of(rate->upper())));
  }
}

TEST_CASE("the decay rate is the logarithm of the root found by bisection", "[queue][decay]") {
  Random random(44);
  for (int i = 0; i < 40; ++i) {
    const Fraction load(Whole(random.between(1, 999)), Whole(1000));
    const Traffic traffic = i % 2 == 0 ? Traffic::equal(random.between(2, 64), load)
                                       : Traffic::pmf(random_pmf(random, random.between(3, 20), load));
    if (!std::isfinite(rough_decay_root(traffic))) continue;
    const Float300 expected = boost::multiprecision::log(decay_root(fraction_pmf(traffic)));
    for (const int digits : {10, 90}) {
      const auto rate = queue::decay_rate(slotted(traffic), {digits});
      REQUIRE(rate.has_value());
      INFO(traffic.text() << " " << rate->lower().str(60) << " " << expected.str(60));
      const Reference reference = around(expected, 150);
      CHECK(encloses(rate->lower(), rate->upper(), reference));
      CHECK(narrow(rate->lower(), rate->upper(), digits));
    }
  }
  // Poisson: z = exp(load (z - 1)), that is load z = -W_(-1)(-load exp(-load)); here by Newton from above.
  const Float300 load("0.5");
  Float300 z = 10;
  for (int i = 0; i < 60; ++i) {
    const Float300 value = boost::multiprecision::exp(load * (z - 1));
    z -= (value - z) / (load * value - 1);
  }
  const auto rate = queue::decay_rate(slotted(Traffic::poisson(Fraction(1, 2))), {80});
  REQUIRE(rate.has_value());
  CHECK(encloses(rate->lower(), rate->upper(), around(Float300(boost::multiprecision::log(z)), 150)));
  CHECK(narrow(rate->lower(), rate->upper(), 80));
}

TEST_CASE("no packet waits with at most one arrival per slot", "[queue][edge]") {
  const Traffic single = Traffic::equal(1, Fraction(3, 4));
  CHECK_FALSE(queue::decay_rate(slotted(single)).has_value());
  CHECK(encloses(tail(single, 0).probability, {Fraction(3, 4), Fraction(3, 4)}));
  for (const Arithmetic arithmetic :
       {Arithmetic::automatic, Arithmetic::double_precision, Arithmetic::extended, Arithmetic::multiprecision,
        Arithmetic::interval, Arithmetic::exact}) {
    INFO(queue::name(arithmetic));
    const auto answer = tail(single, 5, {{10}, arithmetic});
    CHECK(encloses(answer.probability, {Fraction(0), Fraction(0)}));
    CHECK(narrow(answer.probability, 10));
  }
  const auto found = queue::min_level(slotted(single), to_rational(power_of_ten(-15)));
  CHECK(found.level.value == 1);
  // No traffic at all.
  const Traffic silent = Traffic::equal(4, 0);
  CHECK(encloses(tail(silent, 0).probability, {Fraction(0), Fraction(0)}));
  CHECK(queue::min_level(slotted(silent), to_rational(power_of_ten(-15))).level.value == 0);
  // Two at most served two at a time.
  CHECK_FALSE(queue::decay_rate(slotted(Traffic::equal(2, 1), 2)).has_value());
}

TEST_CASE("where all waiting packets are served, the queue equals the arrivals", "[queue][edge]") {
  // At most 16 arrive and 16 are served: P(Q > 15) = P(all 16 send). The inner roots cluster near 0.
  const Traffic traffic = sixteen("15.9");
  const Fraction each = parse_decimal("15.9") / 16;
  Fraction all = 1;
  for (int i = 0; i < 16; ++i) all *= each;
  CHECK(encloses(tail(traffic, 15, {}, 16).probability, Reference{all, all}));
  CHECK(encloses(tail(traffic, 15, {}, 20).probability, Reference{all, all}));
  CHECK(narrow(tail(traffic, 15, {}, 16).probability, 10));
  CHECK(queue::min_level(slotted(traffic, 16), numeric::parse_rational("1e-15", "drop")).level.value == 16);
  const auto mean = queue::mean_occupancy(slotted(traffic, 16), {10});
  REQUIRE(std::holds_alternative<numeric::Exact<unit::Packet>>(mean));
  CHECK(numeric::to_fraction(std::get<numeric::Exact<unit::Packet>>(mean).value) == "159/10");
}

TEST_CASE("the boundary case is decided exactly", "[queue][edge]") {
  // P(Q > 1) = 1/9 at two inputs and load 1/2.
  const queue::SlottedQueue two = slotted(Traffic::equal(2, Fraction(1, 2)));
  const auto minimum = [&](const Fraction& target) { return queue::min_level(two, to_rational(target)); };
  CHECK(minimum(Fraction(1, 9)).level.value == 1);
  CHECK(encloses(minimum(Fraction(1, 9)).at.probability, {Fraction(1, 9), Fraction(1, 9)}));
  CHECK(minimum(Fraction(1, 9) - power_of_ten(-300)).level.value == 2);
  CHECK(minimum(Fraction(1, 9) + power_of_ten(-300)).level.value == 1);
  CHECK(minimum(Fraction(1, 2)).level.value == 0);
  CHECK(minimum(Fraction(1, 2) - power_of_ten(-20)).level.value == 1);
  for (const Arithmetic arithmetic : {Arithmetic::automatic, Arithmetic::exact}) {
    const auto found = queue::min_level(two, to_rational(Fraction(1, 81)), {{10}, arithmetic});
    CHECK(found.level.value == 2);
  }
}

TEST_CASE("an unstable queue is rejected with its load", "[queue][errors]") {
  for (const Traffic& traffic :
       {Traffic::equal(16, 1), Traffic::equal(16, Fraction(3, 2)), Traffic::poisson(1),
        Traffic::poisson(Fraction(11, 10)), Traffic::pmf({Fraction(1, 2), Fraction(0), Fraction(1, 2)}),
        Traffic::unequal({Fraction(1, 2), Fraction(1, 2)})}) {
    INFO(traffic.text());
    CHECK_THROWS_AS(tail(traffic, 3), Unstable);
    CHECK_THROWS_AS(queue::occupancy_probabilities(slotted(traffic), Packets(3)), Unstable);
    CHECK_THROWS_AS(queue::min_level(slotted(traffic), to_rational(Fraction(1, 10))), Unstable);
    CHECK_THROWS_AS(queue::mean_occupancy(slotted(traffic)), Unstable);
    CHECK_THROWS_AS(queue::decay_rate(slotted(traffic)), Unstable);
    CHECK_THROWS_AS(queue::require_stable(slotted(traffic)), Unstable);
  }
  CHECK_NOTHROW(queue::require_stable(slotted(sixteen("0.999999999999999999999"))));
}

TEST_CASE("arguments out of range are rejected", "[queue][errors]") {
  const queue::SlottedQueue good = slotted(sixteen("0.9"));
  CHECK_THROWS_AS(queue::occupancy_tail(good, Packets(-1)), InvalidArgument);
  CHECK_THROWS_AS(queue::occupancy_probabilities(good, Packets(-1)), InvalidArgument);
  for (const int digits : {0, -5, 10'001, 2'000'000'000})
    CHECK_THROWS_AS(queue::occupancy_tail(good, Packets(5), {{digits}}), InvalidArgument);
  for (const Fraction& target : {Fraction(0), Fraction(1), Fraction(-1, 2), Fraction(2)})
    CHECK_THROWS_AS(queue::min_level(good, to_rational(target)), InvalidArgument);
  CHECK_THROWS_AS(Traffic::equal(1'000'000'000, Fraction(1, 2)).arrivals(), InvalidArgument);
  CHECK_THROWS_AS(Traffic::equal(0, Fraction(1, 2)).arrivals(), InvalidArgument);
  CHECK_THROWS_AS(Traffic::equal(4, 5).arrivals(), InvalidArgument);
  CHECK_THROWS_AS(Traffic::equal(4, -1).arrivals(), InvalidArgument);
  CHECK_THROWS_AS(Traffic::poisson(-1).arrivals(), InvalidArgument);
  CHECK_THROWS_AS(Traffic::unequal({}).arrivals(), InvalidArgument);
  CHECK_THROWS_AS(Traffic::unequal({Fraction(3, 2)}).arrivals(), InvalidArgument);
  CHECK_THROWS_AS(Traffic::pmf({Fraction(1, 2)}).arrivals(), InvalidArgument);
  CHECK_THROWS_AS(Traffic::pmf({Fraction(3, 2), Fraction(-1, 2)}).arrivals(), InvalidArgument);
  CHECK_THROWS_AS(tail(Traffic::poisson(Fraction(1, 2)), 3, {{10}, Arithmetic::exact}), LimitExceeded);
  CHECK(queue::occupancy_tails(good, std::vector<Packets>{}).empty());
}

TEST_CASE("levels are answered in the given order, repeats included", "[queue][edge]") {
  const std::vector<Packets> levels = {Packets(30), Packets(0), Packets(7), Packets(30), Packets(1)};
  const auto answers = queue::occupancy_tails(slotted(sixteen("0.9")), levels);
  REQUIRE(answers.size() == levels.size());
  for (std::size_t i = 0; i < levels.size(); ++i) {
    CHECK(answers[i].level == levels[i]);
    CHECK(encloses(answers[i].probability, reference_tail(sixteen("0.9"), levels[i].value)));
  }
}

TEST_CASE("queries beyond the limits are rejected, not tried", "[queue][limits]") {
  const auto peak_megabytes = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss / 1024;
  };
  const auto before = peak_megabytes();
  const Traffic traffic = sixteen("0.9");
  constexpr std::int64_t far = 10'000'000'000'000'000;
  // A level beyond 10^15 is out of range; either error names the limit.
  CHECK_THROWS_AS(tail(traffic, far), Error);
  CHECK_THROWS_AS(tail(traffic, std::numeric_limits<std::int64_t>::max()), Error);
  for (const Arithmetic arithmetic : {Arithmetic::double_precision, Arithmetic::extended,
                                      Arithmetic::multiprecision, Arithmetic::interval, Arithmetic::exact}) {
    INFO(queue::name(arithmetic));
    CHECK_THROWS_AS(tail(traffic, far, {{10}, arithmetic}), Error);
  }
  CHECK_THROWS_AS(tail(traffic, 100'000, {{10}, Arithmetic::exact}), LimitExceeded);
  CHECK_THROWS_AS(queue::occupancy_probabilities(slotted(traffic), Packets(far)), Error);
  CHECK_THROWS_AS(queue::min_level(slotted(sixteen("0.999999999999999999")), to_rational(power_of_ten(-15))),
                  LimitExceeded);
  CHECK_THROWS_AS(tail(Traffic::poisson(Fraction(9, 10)), far), Error);
  // So close to capacity that no decay is visible: the reason is the size of the buffer, not the target.
  for (const int servers : {1, 2, 4})
    for (const char* idle : {"1e-14", "1e-16", "1e-20", "1e-40", "1e-300"}) {
      INFO(servers << " a slot, " << idle << " below");
      const numeric::Rational load = numeric::Rational(servers) - numeric::parse_rational(idle, "idle");
      const queue::SlottedQueue queue{series::Arrivals::equal_inputs(16, load), servers};
      CHECK_THROWS_WITH(queue::min_level(queue, to_rational(power_of_ten(-20))),
                        Catch::Contains("exceed 10^15 packets"));
    }
  CHECK(peak_megabytes() - before < 300);
}

TEST_CASE("slotted queue: formulas in any spelling", "[queue][slotted]") {
  const auto of = [](const std::string& formula, int packets_per_slot = 1) {
    const auto law = series::named_law(formula, "--arrivals");
    return queue::SlottedQueue{law ? *law : series::Arrivals::from_pgf(symbolic::parse_pgf(formula)),
                               packets_per_slot};
  };
  const auto tail_of = [](const queue::SlottedQueue& queue, std::int64_t level, int digits = 10) {
    return numeric::to_enclosure(
        queue::occupancy_tail(queue, Packets(level), {.digits = {digits}}).probability, {800});
  };
  const auto encloses = [](const auto& enclosure, const std::string& value, const char* margin) {
    const numeric::Rational truth = numeric::parse_rational(value, "value"),
                            width = numeric::parse_rational(margin, "margin");
    return numeric::compare(enclosure.lower(), truth + width) <= 0 &&
           numeric::compare(enclosure.upper(), truth - width) >= 0;
  };
  // By the poles of Q(z) in 40 digits (mpmath); A(0) = 0, so one inner solution of z^4 = A(z) is 0 exactly.
  const auto expanded = of("4*z*(36*z^2-315*z+343)/(648*z^2-2793*z+2401)", 4);
  CHECK(encloses(tail_of(expanded, 50, 30), "0.02351839762859560525456998100138439593245", "1e-38"));
  CHECK(encloses(numeric::to_enclosure(queue::mean_occupancy(expanded, {30}), {200}),
                 "11.59496204425228233929710761673602073896", "1e-36"));
  // The logarithm of the smallest pole above 1.
  CHECK(encloses(*queue::decay_rate(expanded, {20}), "0.06940478753193310816", "1e-14"));

  // Quotients and compound Poisson laws, in pairs of spellings; the last of each is built of positive parts.
  for (const auto& [one, other, level, truth] :
       std::vector<std::tuple<std::string, std::string, std::int64_t, std::string>>{
           {"3/4+1/4/(6-7*z+2*z^2)", "3/4+1/4*(1/(2-z))*(1/(3-2*z))", 50, ""},
           {"(1-z^4)/(4*(1-z))*1/2+1/2", "5/8+z/8+z^2/8+z^3/8", 7, ""},
           {"exp(1/20*((z/10)/(1-9/10*z)-1))", "exp(-1/20)*exp(1/20*z/(10-9*z))", 10, "0.2953728157"},
           {"exp(1/2*(1/(6-7*z^2+2*z^4)-1)/4)", "exp(-1/8)*exp(1/8*(1/((2-z^2)*(3-2*z^2))))", 12, ""}}) {
    CAPTURE(one, other);
    for (const int digits : {10, 60}) {
      const auto a = tail_of(of(one), level, digits), b = tail_of(of(other), level, digits);
      CHECK(a.lower() <= b.upper());
      CHECK(b.lower() <= a.upper());
      CHECK(numeric::agree_to(a.lower(), b.upper(), {digits - 1}));
      if (!truth.empty()) CHECK(encloses(a, truth, "1e-10"));
    }
  }
  // Distributions by name.
  CHECK(queue::min_level(of("geometric(4/7)"), numeric::parse_rational("3/4", "target")).level.value == 0);
  CHECK(encloses(tail_of(of("negbin(0.3,0.6)"), 0, 120), "1/5", "0"));
  CHECK(encloses(tail_of(of("negbin(0.3,0.6)"), 0, 300), "1/5", "0"));
  for (const std::int64_t level : {0, 9, 40})
    CHECK(
        encloses(tail_of(of("negbin(2,0.7)"), level, 40),
                 numeric::to_fraction(numeric::to_rational(tail_of(of("(7/(10-3*z))^2"), level, 60).lower())),
                 "1e-55"));
}
