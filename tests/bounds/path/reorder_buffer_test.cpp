#include <tailbound/bounds/path/reorder_buffer.hpp>
#include <tailbound/core/error.hpp>

#include <catch2/catch.hpp>
#include <string>
#include <tests/support/fraction.hpp>
#include <tests/support/random_models.hpp>
#include <vector>

using namespace tailbound;
using namespace tailbound::test;
using bounds::DelayDistribution;
using numeric::Interval;
using numeric::Precision;
using numeric::PrecisionScope;
using Tail = numeric::Enclosure<unit::Probability>;

namespace {

std::vector<numeric::Rational> to_rationals(const std::vector<Fraction>& values) {
  std::vector<numeric::Rational> result;
  for (const Fraction& value : values) result.push_back(to_rational(value));
  return result;
}

std::vector<Fraction> decimals(const std::vector<std::string>& texts) {
  std::vector<Fraction> result;
  for (const std::string& text : texts) result.push_back(parse_decimal(text));
  return result;
}

bool encloses(const Tail& tail, const Fraction& value) {
  return test::encloses(tail.lower(), tail.upper(), Reference{value, value});
}

std::string text(const Tail& tail) {
  return "[" + tail.lower().str(30) + ", " + tail.upper().str(30) + "]";
}

/// Enumerates, in fractions, all patterns of sending and delay of the packets of the last slots. fate[i] is
/// the delay of the packet sent i slots ago, -1 if none was sent.
class Enumeration {
 public:
  Enumeration(const Fraction& rate, const std::vector<Fraction>& delay)
      : rate_(rate), delay_(delay), fate_(delay.size()), probability_(delay.size() + 1) {
    visit(0, Fraction(1));
  }
  /// P(R = waiting)
  [[nodiscard]] const Fraction& probability(std::size_t waiting) const { return probability_[waiting]; }
  [[nodiscard]] Fraction tail(std::size_t level) const {
    Fraction sum = 0;
    for (std::size_t waiting = level + 1; waiting < probability_.size(); ++waiting)
      sum += probability_[waiting];
    return sum;
  }

 private:
  void visit(std::size_t age, const Fraction& weight) {
    if (age == delay_.size()) {
      probability_[waiting()] += weight;
      return;
    }
    fate_[age] = -1;
    visit(age + 1, weight * (1 - rate_));
    for (std::size_t delay = 0; delay < delay_.size(); ++delay) {
      fate_[age] = static_cast<int>(delay);
      visit(age + 1, weight * rate_ * delay_[delay]);
    }
  }
  /// Goes through the packets from oldest to youngest, in order of their sequence numbers.
  [[nodiscard]] std::size_t waiting() const {
    bool one_is_missing = false;
    std::size_t count = 0;
    for (std::size_t age = fate_.size(); age-- > 0;) {
      if (fate_[age] < 0) continue;
      const bool here = fate_[age] <= static_cast<int>(age);
      if (!here) one_is_missing = true;
      if (here && one_is_missing) ++count;
    }
    return count;
  }

  Fraction rate_;
  std::vector<Fraction> delay_;
  std::vector<int> fate_;
  std::vector<Fraction> probability_;
};

/// `count` probabilities that sum to 1, some of them zero or tiny.
std::vector<Fraction> random_delay(Random& random, std::int64_t count) {
  std::vector<Fraction> weights;
  Fraction sum = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    Fraction weight(Whole(random.one_in(5) ? 0 : random.between(1, 100)), Whole(1));
    if (random.one_in(6)) weight *= power_of_ten(-20);
    weights.push_back(weight);
    sum += weight;
  }
  if (sum == 0) weights[0] = sum = 1;
  for (Fraction& weight : weights) weight /= sum;
  return weights;
}

Fraction random_rate(Random& random) {
  return random.one_in(8) ? Fraction(1) : Fraction(Whole(random.between(1, 999)), Whole(1000));
}

/// P(delay > i) = ratio^(i+1), listed for `ages` ages.
DelayDistribution geometric(const Fraction& ratio, std::size_t ages) {
  const PrecisionScope scope(Precision{128});
  DelayDistribution result;
  Fraction above = 1;
  for (std::size_t i = 0; i < ages; ++i) {
    above *= ratio;
    result.above.push_back(numeric::to_interval(to_rational(above)));
    result.at_most.push_back(numeric::to_interval(to_rational(1 - above)));
  }
  result.beyond = numeric::to_interval(to_rational(above * ratio / (1 - ratio)));
  return result;
}

const std::vector<Fraction> paper_delay = decimals({"0.3", "0.3", "0.2", "0.1", "0.06", "0.04"});

}  // namespace

TEST_CASE("reorder buffer: delays of 0 to 5 slots, rate 0.7", "[bounds][reorder]") {
  // Six digits from an independent calculation; the enumeration gives them exactly.
  const std::vector<std::string> printed = {"0.805487", "0.142437", "0.042166", "0.009038", "0.000871"};
  const Enumeration exact(parse_decimal("0.7"), paper_delay);
  const auto tails = bounds::reorder_tails(to_rational(parse_decimal("0.7")),
                                           bounds::from_pmf(to_rationals(paper_delay)), 8);
  REQUIRE(tails.size() == 8);
  Fraction before = 1;
  for (std::size_t b = 0; b < 8; ++b) {
    const Fraction tail = b < 6 ? exact.tail(b) : Fraction(0);
    INFO("b = " << b << " exact " << tail << " enclosed " << text(tails[b]));
    CHECK(encloses(tails[b], tail));
    CHECK(narrow(tails[b].lower(), tails[b].upper(), 17));
    if (b < printed.size()) {
      const Fraction difference = before - fraction_of(tails[b].upper()) - parse_decimal(printed[b]);
      CHECK(abs(difference) < power_of_ten(-6) / 2);
      before = fraction_of(tails[b].upper());
    }
  }
}

TEST_CASE("reorder buffer: enumeration of all patterns, 300 random cases", "[bounds][reorder]") {
  Random random(71);
  for (int i = 0; i < 300; ++i) {
    const auto delay = random_delay(random, random.between(1, 5));
    const Fraction rate = random_rate(random);
    const Enumeration exact(rate, delay);
    const auto tails = bounds::reorder_tails(to_rational(rate), bounds::from_pmf(to_rationals(delay)),
                                             delay.size() + 2, Precision{random.one_in(2) ? 64 : 200});
    for (std::size_t b = 0; b < tails.size(); ++b) {
      const Fraction tail = b <= delay.size() ? exact.tail(b) : Fraction(0);
      INFO("case " << i << " rate " << rate << " b = " << b << " exact " << tail << " " << text(tails[b]));
      CHECK(encloses(tails[b], tail));
      CHECK(narrow(tails[b].lower(), tails[b].upper(), 17));
    }
  }
}

TEST_CASE("reorder buffer: wide delay probabilities still enclose", "[bounds][reorder]") {
  Random random(72);
  for (int i = 0; i < 100; ++i) {
    const auto delay = random_delay(random, random.between(2, 4));
    const Fraction rate = random_rate(random);
    const Enumeration exact(rate, delay);
    const auto narrow_delays = bounds::from_pmf(to_rationals(delay));
    const PrecisionScope scope(Precision{128});
    DelayDistribution wide = narrow_delays;
    const Interval spread = numeric::make_interval(numeric::Real(-0.01), numeric::Real(0.01));
    for (auto* values : {&wide.at_most, &wide.above})
      for (Interval& value : *values) value += spread;
    wide.beyond = numeric::make_interval(numeric::Real(0), numeric::Real(0.001));
    const auto tails = bounds::reorder_tails(to_rational(rate), wide, delay.size());
    for (std::size_t b = 0; b < tails.size(); ++b) {
      INFO("case " << i << " b = " << b << " exact " << exact.tail(b) << " " << text(tails[b]));
      CHECK(encloses(tails[b], exact.tail(b)));
      CHECK(tails[b].lower() >= 0);
      CHECK(tails[b].upper() <= 1);
    }
  }
}

TEST_CASE("reorder buffer: the mean is that of all waiting packets", "[bounds][reorder]") {
  // E[R] = sum over ages i of P(delivered) P(an older one is missing), in fractions; sum of the tails.
  Random random(73);
  for (int i = 0; i < 40; ++i) {
    const auto delay = random_delay(random, random.between(1, 60));
    const Fraction rate = random_rate(random);
    const std::size_t ages = delay.size();
    Fraction above = 0, all_older_here = 1, mean = 0;
    for (std::size_t age = ages; age-- > 0;) {
      mean += rate * (1 - above) * (1 - all_older_here);
      all_older_here *= 1 - rate * above;
      above += delay[age];  // P(delay > age - 1)
    }
    Fraction lower = 0, upper = 0;
    for (const Tail& tail :
         bounds::reorder_tails(to_rational(rate), bounds::from_pmf(to_rationals(delay)), ages)) {
      lower += fraction_of(tail.lower());
      upper += fraction_of(tail.upper());
    }
    INFO("case " << i << " ages " << ages << " rate " << rate);
    CHECK(lower <= mean);
    CHECK(mean <= upper);
    CHECK(upper - lower <= mean * power_of_ten(-15));
  }
}

TEST_CASE("reorder buffer: truncated geometric delays enclose the result of a long list",
          "[bounds][reorder]") {
  Random random(74);
  for (int i = 0; i < 20; ++i) {
    const Fraction ratio(Whole(random.between(10, 80)), Whole(100));
    const Fraction rate = random_rate(random);
    const auto known = bounds::reorder_tails(to_rational(rate), geometric(ratio, 600), 40, Precision{128});
    for (const std::size_t ages : {1u, 2u, 5u, 10u, 30u, 100u}) {
      const auto tails = bounds::reorder_tails(to_rational(rate), geometric(ratio, ages), 40);
      const Fraction late = rate * fraction_of(numeric::upper(geometric(ratio, ages).beyond));
      for (std::size_t b = 0; b < tails.size(); ++b) {
        INFO("rate " << rate << " ratio " << ratio << " ages " << ages << " b = " << b << " "
                     << text(tails[b]) << " known " << text(known[b]));
        CHECK(fraction_of(tails[b].lower()) <= fraction_of(known[b].lower()));
        CHECK(fraction_of(known[b].upper()) <= fraction_of(tails[b].upper()));
        CHECK(fraction_of(tails[b].upper()) - fraction_of(tails[b].lower()) <= late * 2 + power_of_ten(-15));
      }
    }
  }
}

TEST_CASE("reorder buffer: minimum size, proved on both sides", "[bounds][reorder]") {
  Random random(75);
  for (int i = 0; i < 200; ++i) {
    const auto delay = random_delay(random, random.between(1, 5));
    const Fraction rate = random_rate(random);
    const Fraction target = Fraction(Whole(random.between(1, 99)), Whole(100)) *
                            power_of_ten(-static_cast<int>(random.between(0, 12)));
    const Enumeration exact(rate, delay);
    std::size_t expected = 0;
    while (exact.tail(expected) > target) ++expected;
    const auto size =
        bounds::reorder_buffer(to_rational(rate), bounds::from_pmf(to_rationals(delay)), to_rational(target));
    INFO("case " << i << " rate " << rate << " target " << target);
    CHECK(size.buffer.value == static_cast<std::int64_t>(expected));
    CHECK(encloses(size.at, exact.tail(expected)));
    CHECK(fraction_of(size.at.upper()) <= target);
    REQUIRE(size.before.has_value() == (expected > 0));
    if (size.before) {
      CHECK(encloses(*size.before, exact.tail(expected - 1)));
      CHECK(fraction_of(size.before->lower()) > target);
    }
  }
}

TEST_CASE("reorder buffer: deep tails and long delays", "[bounds][reorder]") {
  const std::vector<numeric::Rational> even(800, to_rational(Fraction(1, 800)));
  const auto delays = bounds::from_pmf(even);
  const numeric::Rational rate = to_rational(parse_decimal("0.7"));
  const auto tails = bounds::reorder_tails(rate, delays, 799);
  for (std::size_t b = 1; b < tails.size(); ++b) CHECK(tails[b].upper() <= tails[b - 1].upper());
  // 798 are waiting only if each slot sent a packet, the oldest, of age 798, is missing, and all others have
  // arrived.
  Fraction all = parse_decimal("0.7") / 800;
  for (int age = 0; age < 798; ++age) all *= parse_decimal("0.7") * Fraction(age + 1, 800);
  CHECK(encloses(tails[797], all));
  CHECK(narrow(tails[797].lower(), tails[797].upper(), 15));
  CHECK(tails[798].upper() == 0);
  for (const int depth : {3, 15, 100, 300}) {
    const auto size = bounds::reorder_buffer(rate, delays, to_rational(power_of_ten(-depth)));
    const auto b = static_cast<std::size_t>(size.buffer.value);
    CHECK(fraction_of(tails[b].upper()) <= power_of_ten(-depth));
    CHECK(fraction_of(tails[b - 1].lower()) > power_of_ten(-depth));
  }
}

TEST_CASE("reorder buffer: equal delays never reorder", "[bounds][reorder]") {
  for (const std::size_t delay : {0u, 1u, 7u}) {
    std::vector<Fraction> pmf(delay + 1);
    pmf[delay] = 1;
    const auto delays = bounds::from_pmf(to_rationals(pmf));
    for (const char* rate : {"0.3", "1"}) {
      CHECK(bounds::reorder_tails(to_rational(parse_decimal(rate)), delays, 1)[0].upper() == 0);
      const auto size =
          bounds::reorder_buffer(to_rational(parse_decimal(rate)), delays, to_rational(power_of_ten(-300)));
      CHECK(size.buffer.value == 0);
      CHECK_FALSE(size.before.has_value());
    }
  }
}

TEST_CASE("reorder buffer: undecided cases give the reason", "[bounds][reorder]") {
  const numeric::Rational rate = to_rational(parse_decimal("0.7"));
  const numeric::Rational target = to_rational(power_of_ten(-12));
  const auto rejection = [&](const DelayDistribution& delays, const numeric::Rational& bar) {
    try {
      const auto size = bounds::reorder_buffer(rate, delays, bar);
      return "answered " + std::to_string(size.buffer.value);
    } catch (const LimitExceeded& error) {
      return std::string(error.what());
    }
  };
  CHECK_THAT(rejection(geometric(Fraction(1, 2), 20), target), Catch::Contains("beyond are too many"));
  CHECK(rejection(geometric(Fraction(1, 2), 100), target).substr(0, 8) == "answered");
  DelayDistribution wide = geometric(Fraction(1, 2), 100);
  const PrecisionScope scope(Precision{128});
  for (Interval& value : wide.above) value += numeric::make_interval(numeric::Real(0), numeric::Real(1e-10));
  CHECK_THAT(rejection(wide, target), Catch::Contains("enclosed too widely"));
  // Equal to the target, and not a binary fraction: no enclosure can decide that.
  const Enumeration exact(parse_decimal("0.7"), paper_delay);
  CHECK_THAT(rejection(bounds::from_pmf(to_rationals(paper_delay)), to_rational(exact.tail(1))),
             Catch::Contains("or the two are equal"));
}

TEST_CASE("reorder buffer: errors name the argument", "[bounds][reorder]") {
  using numeric::parse_rational;
  const auto good = bounds::from_pmf(to_rationals(paper_delay));
  const auto rational = [](const char* value) { return parse_rational(value, "value"); };
  for (const char* rate : {"0", "-0.1", "1.0001"}) {
    CHECK_THROWS_WITH(bounds::reorder_tails(rational(rate), good, 3), Catch::StartsWith("rate is"));
    CHECK_THROWS_AS(bounds::reorder_buffer(rational(rate), good, rational("0.1")), InvalidArgument);
  }
  for (const char* target : {"0", "1", "-1"})
    CHECK_THROWS_WITH(bounds::reorder_buffer(rational("0.5"), good, rational(target)),
                      Catch::StartsWith("target is"));
  CHECK_THROWS_AS(bounds::from_pmf({}), InvalidArgument);
  CHECK_THROWS_AS(bounds::from_pmf({rational("0.5"), rational("0.4999")}), InvalidArgument);
  CHECK_THROWS_AS(bounds::from_pmf({rational("1.5"), rational("-0.5")}), InvalidArgument);
  CHECK_THROWS_AS(bounds::reorder_tails(rational("0.5"), DelayDistribution{}, 3), InvalidArgument);
  CHECK_THROWS_AS(bounds::reorder_tails(rational("0.5"), good, 2'000'000), LimitExceeded);
  const auto spoiled = [&](const auto& spoil) {
    DelayDistribution delays = good;
    spoil(delays);
    return delays;
  };
  const std::vector<DelayDistribution> bad = {
      spoiled([](auto& d) { d.above.pop_back(); }),
      spoiled([](auto& d) { d.above[2] = Interval(2); }),
      spoiled([](auto& d) { d.at_most[2] = Interval(-1); }),
      spoiled([](auto& d) { d.above[2] = d.above[1] * Interval(2); }),
      spoiled([](auto& d) { d.at_most[1] = d.at_most[0]; }),
      spoiled([](auto& d) { std::swap(d.above[2], d.above[3]), std::swap(d.at_most[2], d.at_most[3]); }),
      spoiled([](auto& d) { d.beyond = Interval(-1); }),
      spoiled([](auto& d) { d.beyond = Interval(1) / Interval(0); }),
  };
  for (const DelayDistribution& delays : bad)
    CHECK_THROWS_AS(bounds::reorder_tails(rational("0.5"), delays, 3), InvalidArgument);
}
