#include <tailbound/answers/compare/compare.hpp>
#include <tailbound/numeric/rational.hpp>

#include <catch2/catch.hpp>
#include <tests/support/rational.hpp>

#include <array>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

// The diagnosis of a wrong list agrees with its own errors, and a right list of another convention is
// recognized. The truths are computed here: pi of an own chain for the queue of 4 inputs at load 0.8.

using namespace tailbound;
using answers::CoefficientsOf;
using answers::CompareAnswer;
using answers::DisagreementCause;
using answers::ListScale;
using answers::Reading;
using numeric::Rational;
using tailbound::test::rational;

namespace {

constexpr int inputs = 4;

/// P(Q = n), n = 0 .. last, exactly: Q' = max(Q - C, 0) + A, A binomial of 4 and 1/5 (C = 1), by the
/// balance of
/// P(Q' = n), solved for P(Q = n + 1).
std::vector<Rational> masses(std::size_t last) {
  std::vector<Rational> a{1};
  for (int i = 0; i < inputs; ++i) {
    std::vector<Rational> next(a.size() + 1, 0);
    for (std::size_t j = 0; j < a.size(); ++j) {
      next[j] = next[j] + a[j] * rational("4/5");
      next[j + 1] = next[j + 1] + a[j] * rational("1/5");
    }
    a = next;
  }
  const auto of = [&](std::size_t j) { return j < a.size() ? a[j] : Rational(0); };
  std::vector<Rational> p{rational("1/5")};  // 1 - load
  while (p.size() <= last) {
    // p[n] = (p[0] + p[1]) a[n] + sum_{k=2}^{n+1} p[k] a[n + 1 - k]
    const std::size_t n = p.size() - 1;
    Rational known = p[n] - p[0] * of(n);
    for (std::size_t k = 1; k <= n; ++k) known = known - p[k] * of(n + 1 - k);
    p.push_back(known / of(0));
  }
  return p;
}

enum Kind { mass, tail, at_least, distribution };

/// A quantity of the queue, before or after service, n = 0 .. last.
std::vector<Rational> values(Kind kind, bool after, std::size_t last) {
  const std::vector<Rational> p = masses(last + 4);
  std::vector<Rational> q = p;
  if (after) {
    q.assign(p.begin() + 1, p.end());
    q[0] = p[0] + p[1];
  }
  std::vector<Rational> result;
  Rational below = 0;
  for (std::size_t n = 0; n <= last; ++n) {
    result.push_back(kind == mass       ? q[n]
                     : kind == tail     ? 1 - below - q[n]
                     : kind == at_least ? 1 - below
                                        : below + q[n]);
    below = below + q[n];
  }
  return result;
}

std::string text_of(const std::vector<Rational>& list, int digits = 14) {
  std::string text;
  for (const Rational& value : list)
    text += (value == 0 ? "0" : numeric::to_decimal(value, digits, numeric::Rounding::nearest)) + "\n";
  return text;
}

CompareAnswer compared(const std::string& text, const Reading& reading = {}) {
  return answers::answer({.queue = {.arrivals = series::Arrivals::equal_inputs(inputs, rational("4/5"))},
                          .list = series::parse_coefficient_list(text, "list"),
                          .reading = reading});
}

}  // namespace

TEST_CASE("compare: every reading is recognized, and agrees if it is requested", "[answers][compare]") {
  for (const bool after : {false, true})
    for (const Kind kind : {mass, tail, at_least, distribution})
      for (const ListScale scale : {ListScale::probability, ListScale::percent, ListScale::weights})
        for (const std::int64_t shift : {-1, 0, 1}) {
          std::vector<Rational> list = values(kind, after, 26);
          if (shift == 1) list.erase(list.begin());
          if (shift == -1)
            list.insert(list.begin(), kind == mass || kind == distribution ? Rational(0) : Rational(1));
          for (Rational& value : list)
            value = value * (scale == ListScale::percent   ? Rational(100)
                             : scale == ListScale::weights ? rational("137/9")
                                                           : Rational(1));
          const Reading right{.of = static_cast<CoefficientsOf>(kind),
                              .after_service = after,
                              .scale = scale,
                              .shift = shift};
          CAPTURE(kind, after, static_cast<int>(scale), shift);
          CHECK_FALSE(compared(text_of(list), right).first);
          const CompareAnswer found = compared(text_of(list));
          if (right == Reading{}) continue;
          REQUIRE(found.other);
          CHECK(found.other->agreeing == list.size());
          CHECK(found.first->diagnosis.cause == DisagreementCause::other_reading);
          CHECK_FALSE(compared(text_of(list), found.other->reading).first);
          if (found.other->same) CHECK_FALSE(compared(text_of(list), *found.other->same).first);
        }
}

TEST_CASE("compare: the diagnosis of a wrong list agrees with the errors of the list", "[answers][compare]") {
  const std::vector<Rational> right = values(mass, false, 40);
  const auto cause_of = [&](const std::function<void(std::vector<Rational>&)>& damage, int digits = 14) {
    std::vector<Rational> list = right;
    damage(list);
    const CompareAnswer found = compared(text_of(list, digits));
    REQUIRE(found.first);
    return found.first->diagnosis;
  };
  const auto altered = cause_of([](auto& list) { list[17] = list[17] * rational("1.0001"); });
  CHECK(altered.cause == DisagreementCause::single_values);
  CHECK(altered.places == std::vector<std::size_t>{17});
  const auto two = cause_of([](auto& list) {
    list[3] = list[3] * rational("1.01");
    list[30] = list[30] * rational("0.3");
  });
  CHECK(two.cause == DisagreementCause::single_values);
  CHECK(two.places == std::vector<std::size_t>{3, 30});
  CHECK(cause_of([](auto& list) { list[9] = -list[9]; }).cause == DisagreementCause::sign);
  const auto swapped = cause_of([](auto& list) { std::swap(list[6], list[7]); });
  CHECK(swapped.cause == DisagreementCause::swapped);
  CHECK(swapped.places == std::vector<std::size_t>{6, 7});
  const auto point = cause_of([](auto& list) { list[12] = list[12] * 100; });
  CHECK(point.cause == DisagreementCause::decimal_point);
  CHECK(point.numbers == std::vector<std::int64_t>{2});
  const auto missing = cause_of([](auto& list) { list.erase(list.begin() + 11); });
  CHECK(missing.cause == DisagreementCause::missing_value);
  CHECK(missing.places == std::vector<std::size_t>{11});
  CHECK(cause_of([](auto& list) { list.insert(list.begin() + 11, list[10]); }).cause ==
        DisagreementCause::extra_value);
  const auto factor = cause_of([](auto& list) {
    for (std::size_t i = 8; i < list.size(); ++i) list[i] = list[i] * rational("1.003");
  });
  CHECK(factor.cause == DisagreementCause::constant_factor);
  CHECK(factor.factor == Approx(1.003).epsilon(1e-9));
  const auto cut = cause_of([](auto& list) {
    for (Rational& value : list)
      value = rational(numeric::to_decimal(value, 5, numeric::Rounding::down)) + value * rational("1e-12");
  });
  CHECK(cut.cause == DisagreementCause::fewer_digits);
  CHECK(cut.numbers == std::vector<std::int64_t>{5});
  const auto decimals = cause_of([](auto& list) {
    for (Rational& value : list) value = numeric::round(value * 10'000'000) / rational("10000000");
  });
  CHECK(decimals.cause == DisagreementCause::fewer_decimals);
  CHECK(decimals.numbers == std::vector<std::int64_t>{7});
  const auto floats = cause_of([](auto& list) {
    for (Rational& value : list)
      value = numeric::to_rational(static_cast<double>(static_cast<float>(numeric::nearest_double(value))));
  });
  CHECK(floats.cause == DisagreementCause::single_precision);
  // A series in doubles: an absolute error of 1e-16 from the place where it matters.
  std::mt19937_64 random(3);
  const auto lost = cause_of([&](auto& list) {
    for (Rational& value : list)
      value = value + rational("1e-14") * (5 + static_cast<int>(random() % 20)) / 10;
  });
  CHECK(lost.cause == DisagreementCause::cancellation);
  const auto grows = cause_of([](auto& list) {
    Rational error = rational("1e-13");
    for (std::size_t i = 4; i < list.size(); ++i) list[i] = list[i] + (error = error * 2);
  });
  CHECK(grows.cause == DisagreementCause::growing_error);
  CHECK(grows.factor == Approx(2).epsilon(0.2));
}

TEST_CASE("compare: fractions are compared with as many digits as they have", "[answers][compare]") {
  const std::vector<Rational> right = values(mass, false, 15);
  const auto list = [&](const Rational& error) {
    std::string text;
    for (std::size_t n = 0; n < right.size(); ++n)
      text += numeric::to_fraction(right[n] + (n == 15 ? error : Rational(0))) + "\n";
    return text;
  };
  CHECK_FALSE(compared(list(0)).first);
  for (const char* error : {"1e-200", "-1e-300", "1e-60"}) {
    const CompareAnswer wrong = compared(list(rational(error)));
    REQUIRE(wrong.first);
    CHECK(wrong.first->at == 15);
    CHECK(wrong.first->diagnosis.cause == DisagreementCause::single_values);
  }
}

TEST_CASE("compare: no reading is named where chance would find one", "[answers][compare]") {
  CHECK_FALSE(compared("0.8\n").other);
  CHECK_FALSE(compared("0.2\n0.4\n").other);
  CHECK_FALSE(compared("0.123456789\n0.0123456\n0.00456\n").other);
  // One wrong value in another convention is still that convention.
  std::vector<Rational> list = values(tail, false, 20);
  list[7] = list[7] * rational("1.001");
  const CompareAnswer found = compared(text_of(list));
  REQUIRE(found.other);
  CHECK(found.other->agreeing == 20);
  CHECK(found.other->reading == Reading{.of = CoefficientsOf::tail});
}
