#include <tailbound/bounds/sizing/max_load.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>

#include <catch2/catch.hpp>
#include <optional>
#include <tests/support/random_models.hpp>
#include <tests/support/reference_tail.hpp>

using namespace tailbound;
using namespace tailbound::test;
using bounds::Criterion;

namespace {

/// Each packet kept with probability `factor`.
Traffic thinned(const Traffic& traffic, const Fraction& factor) {
  Traffic result = traffic;
  switch (traffic.kind) {
    case Traffic::Kind::equal:
    case Traffic::Kind::poisson:
      result.load *= factor;
      return result;
    case Traffic::Kind::unequal:
      for (Fraction& rate : result.values) rate *= factor;
      return result;
    case Traffic::Kind::pmf:
      break;
  }
  // Horner in 1 - factor + factor z, highest coefficient first.
  std::vector<Fraction> sum(traffic.values.size(), Fraction(0));
  for (std::size_t j = traffic.values.size(); j-- > 0;) {
    for (std::size_t m = sum.size(); m-- > 0;)
      sum[m] = sum[m] * (1 - factor) + (m == 0 ? Fraction(0) : Fraction(sum[m - 1] * factor));
    sum[0] += traffic.values[j];
  }
  result.values = sum;
  return result;
}

/// The criterion at `capacity` by the literal expansion.
Reference criterion_value(const Traffic& traffic, std::int64_t capacity, Criterion criterion) {
  const std::int64_t levels[] = {capacity};
  const Reference tail = traffic.kind == Traffic::Kind::pmf ? exact_tails(traffic, levels).front()
                                                            : deep_tails(traffic, levels, 100).front();
  if (criterion == Criterion::overflow) return tail;
  const Fraction load = traffic.mean();
  const auto loss = [&](const Fraction& t) {
    const Fraction reduced(boost::multiprecision::numerator(t), boost::multiprecision::denominator(t));
    return Fraction((1 - load) / load * reduced / (1 - reduced));
  };
  return {loss(tail.lower), loss(tail.upper)};
}

void check(const Traffic& traffic, std::int64_t capacity, const Fraction& target, Criterion criterion,
           int digits) {
  INFO(traffic.text() << " capacity " << capacity << " target " << target << " " << name_of(criterion)
                      << " digits " << digits);
  const bounds::DropTarget drop{to_rational(target), criterion};
  std::optional<bounds::MaxLoad> found;
  try {
    found = bounds::max_load({traffic.arrivals()}, Packets(capacity), drop, {{digits}});
  } catch (const NoAnswer& rejection) {
    // Correct only if the whole traffic, without thinning, meets the target.
    INFO(rejection.what());
    CHECK(traffic.kind == Traffic::Kind::pmf);
    CHECK(criterion_value(traffic, capacity, criterion).upper <= target);
    return;
  }
  const bounds::MaxLoad& answer = *found;
  if (!answer.at_upper) {
    // The whole traffic, without thinning, meets the target.
    CHECK(traffic.kind == Traffic::Kind::pmf);
    CHECK(criterion_value(traffic, capacity, criterion).upper <= target);
    CHECK(fraction_of(*answer.all_of_it) == traffic.mean());
    CHECK(encloses(answer.at_lower.probability, criterion_value(traffic, capacity, criterion)));
    return;
  }
  const Fraction low = fraction_of(answer.load.lower()), high = fraction_of(answer.load.upper());
  INFO("load " << answer.load.lower().str(30) << " .. " << answer.load.upper().str(30));
  REQUIRE(low > 0);
  REQUIRE(high > low);
  CHECK((high - low) <= low * power_of_ten(-digits));
  const Fraction load = traffic.mean();
  const Reference at_lower = criterion_value(thinned(traffic, low / load), capacity, criterion);
  CHECK(at_lower.upper <= target);
  CHECK(encloses(answer.at_lower.probability, at_lower));
  CHECK(fraction_of(to_enclosure(answer.at_lower.probability).lower()) <= target);
  if (high < 1) {
    const Reference at_upper = criterion_value(thinned(traffic, high / load), capacity, criterion);
    CHECK(at_upper.lower > target);
    REQUIRE(answer.at_upper);
    CHECK(encloses(answer.at_upper->probability, at_upper));
  }

  // The minimum speedup is the same boundary from the other side.
  const auto speedup = bounds::min_speedup({traffic.arrivals()}, Packets(capacity),
                                           {to_rational(target), criterion}, {{digits}});
  INFO("speedup " << show(speedup));
  if (load <= low) {
    REQUIRE(std::holds_alternative<numeric::Exact<unit::Ratio>>(speedup));
    CHECK(std::get<numeric::Exact<unit::Ratio>>(speedup).value == 1);
  } else if (load > high) {
    REQUIRE(std::holds_alternative<numeric::Enclosure<unit::Ratio>>(speedup));
    const auto& enclosure = std::get<numeric::Enclosure<unit::Ratio>>(speedup);
    CHECK(narrow(speedup, digits));
    const Fraction enough = fraction_of(enclosure.upper()), too_little = fraction_of(enclosure.lower());
    CHECK(criterion_value(thinned(traffic, 1 / enough), capacity, criterion).upper <= target);
    if (load / too_little < 1)
      CHECK(criterion_value(thinned(traffic, 1 / too_little), capacity, criterion).lower > target);
  }
}

}  // namespace

TEST_CASE("the maximum load meets the target at its lower end and misses it at its upper end",
          "[bounds][load]") {
  for (const Criterion criterion : {Criterion::overflow, Criterion::loss}) {
    check(Traffic::equal(16, Fraction(9, 10)), 157, power_of_ten(-15), criterion, 10);
    check(Traffic::equal(16, Fraction(1, 10)), 26, power_of_ten(-15), criterion, 10);
    check(Traffic::equal(16, Fraction(3, 2)), 20, power_of_ten(-6), criterion, 6);
    check(Traffic::equal(4, Fraction(1, 2)), 1, Fraction(1, 10), criterion, 25);
    check(Traffic::poisson(Fraction(1, 2)), 30, power_of_ten(-9), criterion, 10);
    check(Traffic::unequal({Fraction(1, 2), Fraction(1, 10), Fraction(1, 5)}), 12, power_of_ten(-7),
          criterion, 8);
    check(Traffic::pmf({Fraction(1, 2), Fraction(1, 4), Fraction(1, 8), Fraction(1, 8)}), 9, power_of_ten(-5),
          criterion, 8);
  }
}

TEST_CASE("a loss target may be met above the service rate", "[bounds][load]") {
  const auto max_load = [](int inputs, const Fraction& target) {
    return bounds::max_load({Traffic::equal(inputs, Fraction(1, 2)).arrivals()}, Packets(20),
                            {to_rational(target), Criterion::loss}, {{10}});
  };
  // By an independent chain: 0.3 at load 1.428571428.., 0.5 at 2 - 2e-12 or so.
  const auto two = max_load(2, Fraction(3, 10)).load;
  CHECK(static_cast<double>(two.lower()) == Approx(1.4285714285).epsilon(1e-9));
  CHECK(two.lower() < two.upper());
  CHECK(static_cast<double>(max_load(3, Fraction(1, 2)).load.lower()) == Approx(2).epsilon(1e-9));
  // Two inputs at load 1 lose 1 of 80 packets with 20 places: the boundary is the service rate itself.
  CHECK(static_cast<double>(max_load(2, Fraction(1, 80)).load.lower()) == Approx(1).epsilon(1e-9));
  // At most 2 of 3 packets are lost, at load 3.
  const auto all = max_load(3, Fraction(9, 10));
  REQUIRE(all.all_of_it);
  CHECK(*all.all_of_it == 3);
  CHECK_FALSE(all.at_upper);
  // No speedup is needed for a load that meets the target in overload.
  const auto speedup = bounds::min_speedup({Traffic::equal(2, Fraction(7, 5)).arrivals()}, Packets(20),
                                           {to_rational(Fraction(3, 10)), Criterion::loss});
  CHECK(encloses(speedup, {Fraction(1), Fraction(1)}));
}

TEST_CASE("maximum load: random cases", "[bounds][load]") {
  Random random(61);
  for (int i = 0; i < 40; ++i) {
    const Fraction load(Whole(random.between(5, 99)), Whole(100));
    const Traffic traffic = i % 3 == 0   ? Traffic::poisson(load)
                            : i % 3 == 1 ? Traffic::equal(random.between(2, 32), load)
                                         : Traffic::pmf(random_pmf(random, 5, load));
    if (traffic.kind == Traffic::Kind::pmf && traffic.values.back() == 0) continue;
    const std::int64_t capacity = random.between(5, 20);
    check(traffic, capacity,
          Fraction(Whole(random.between(1, 99)), Whole(1)) *
              power_of_ten(-static_cast<int>(random.between(4, 9))),
          random.one_in(2) ? Criterion::overflow : Criterion::loss, static_cast<int>(random.between(5, 15)));
  }
}

TEST_CASE("maximum load of two inputs: closed form", "[bounds][load]") {
  // P(Q > B) = (p / (1 - p))^(2B) for B >= 1 and rates p: the target (1/3)^(2B) gives p = 1/4, load 1/2.
  for (const std::int64_t capacity : {1, 2, 5, 20}) {
    for (const Fraction& ratio : {Fraction(1, 3), Fraction(2, 7), Fraction(1, 50)}) {
      Fraction target = 1;
      for (std::int64_t i = 0; i < 2 * capacity; ++i) target *= ratio;
      const Fraction load = 2 * ratio / (1 + ratio);
      INFO("capacity " << capacity << " load " << load);
      const auto answer = bounds::max_load({Traffic::equal(2, Fraction(1, 10)).arrivals()}, Packets(capacity),
                                           {to_rational(target)}, {{12}});
      CHECK(encloses(answer.load.lower(), answer.load.upper(), {load, load}));
      CHECK(narrow(answer.load.lower(), answer.load.upper(), 12));
      // At this very load the target is met with equality, so no speedup is needed.
      const auto speedup =
          bounds::min_speedup({Traffic::equal(2, load).arrivals()}, Packets(capacity), {to_rational(target)});
      REQUIRE(std::holds_alternative<numeric::Exact<unit::Ratio>>(speedup));
      CHECK(std::get<numeric::Exact<unit::Ratio>>(speedup).value == 1);
    }
  }
  // Without a buffer the probability is the load itself.
  const auto none = bounds::max_load({Traffic::equal(8, Fraction(1, 10)).arrivals()}, Packets(0),
                                     {to_rational(Fraction(1, 7))});
  CHECK(encloses(none.load.lower(), none.load.upper(), {Fraction(1, 7), Fraction(1, 7)}));
}

TEST_CASE("a speedup of the ratio of two loads", "[bounds][speedup]") {
  // Load 1/2 is the boundary of the target (1/3)^(2B); load 3/4 needs the speedup 3/2.
  const auto answer = bounds::min_speedup({Traffic::equal(2, Fraction(3, 4)).arrivals()}, Packets(4),
                                          {to_rational(Fraction(1, 6561))}, {{14}});
  CHECK(encloses(answer, {Fraction(3, 2), Fraction(3, 2)}));
  CHECK(narrow(answer, 14));
}

TEST_CASE("maximum load: queries without an answer are reported", "[bounds][load][errors]") {
  const Traffic traffic = Traffic::equal(16, Fraction(1, 2));
  const bounds::DropTarget loss{to_rational(power_of_ten(-3)), Criterion::loss};
  const bounds::DropTarget overflow{to_rational(power_of_ten(-3)), Criterion::overflow};
  CHECK_THROWS_AS(bounds::max_load({traffic.arrivals()}, Packets(0), loss), NoAnswer);  // everything is lost
  CHECK_THROWS_AS(bounds::max_load({Traffic::equal(1, Fraction(1, 2)).arrivals()}, Packets(1), overflow),
                  NoAnswer);
  CHECK_THROWS_AS(bounds::min_speedup({traffic.arrivals()}, Packets(0), loss), NoAnswer);
  CHECK_THROWS_AS(bounds::max_load({traffic.arrivals()}, Packets(-1), overflow), InvalidArgument);
  for (const Fraction& target : {Fraction(0), Fraction(1), Fraction(-1)}) {
    CHECK_THROWS_AS(bounds::max_load({traffic.arrivals()}, Packets(3), {to_rational(target)}),
                    InvalidArgument);
    CHECK_THROWS_AS(bounds::min_speedup({traffic.arrivals()}, Packets(3), {to_rational(target)}),
                    InvalidArgument);
  }
  // Thinning no traffic gives no traffic.
  CHECK_THROWS_AS(bounds::max_load({Traffic::pmf({Fraction(1)}).arrivals()}, Packets(3), overflow), Error);
}
