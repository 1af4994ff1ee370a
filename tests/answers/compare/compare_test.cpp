#include <tailbound/answers/compare/compare.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>

#include <catch2/catch.hpp>
#include <tests/support/rational.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

// Correct digits of a printed number, and conclusions about a list of them.

using namespace tailbound;
using answers::CoefficientsOf;
using answers::DisagreementCause;
using numeric::Rational;
using tailbound::test::rational;

namespace {

series::CoefficientList list_of(const std::string& text) {
  return series::parse_coefficient_list(text, "list");
}

series::Coefficient printed(const std::string& text) {
  return list_of(text).coefficients.front();
}

answers::TrueValue exactly(const std::string& text) {
  return {rational(text), rational(text)};
}

/// Of the queue of two inputs at load 1/2, A(z) = ((3 + z) / 4)^2: z = A(z) at z = 9, so that P(Q > 0) = 1/2
/// and P(Q > n) = 9^-n for n >= 1.
answers::CompareQuery query(const std::string& list, CoefficientsOf of) {
  return {.queue = {.arrivals = series::Arrivals::equal_inputs(2, rational("1/2"))},
          .list = list_of(list),
          .reading = {.of = of}};
}

}  // namespace

TEST_CASE("a printed number agrees within one unit of its last place", "[answers][compare]") {
  CHECK(answers::agrees(printed("0.120"), exactly("0.1210")));
  CHECK_FALSE(answers::agrees(printed("0.120"), exactly("0.1211")));
  CHECK(answers::agrees(printed("0.120"), {rational("0.121"), rational("0.2")}));
  CHECK(answers::agrees(printed("8.7 E-16"), exactly("8.6e-16")));
  CHECK_FALSE(answers::agrees(printed("8.7 E-16"), exactly("8.59e-16")));
  CHECK(answers::agrees(printed("1/9"), {rational("0.11"), rational("0.12")}));
  CHECK(answers::agrees(printed("1/9"), exactly("1/9")));
  CHECK_FALSE(answers::agrees(printed("1/9"), exactly("0.1111")));
  CHECK_FALSE(answers::agrees(printed("0"), exactly("1e-300")));
  CHECK(answers::agrees(printed("0.E-40"), exactly("1e-300")));
}

TEST_CASE("a number with one digit agrees if it is rounded or truncated to it", "[answers][compare]") {
  for (const char* right : {"0.15", "0.2", "0.25", "0.29"})
    CHECK(answers::agrees(printed("0.2"), exactly(right)));
  for (const char* wrong : {"0.1", "0.149", "0.3", "0.31"}) {
    CHECK_FALSE(answers::agrees(printed("0.2"), exactly(wrong)));
    CHECK(answers::agreed_digits(printed("0.2"), exactly(wrong), 20) == 0);
  }
  CHECK(answers::agrees(printed("-0.2"), exactly("-0.29")));
  CHECK_FALSE(answers::agrees(printed("-0.2"), exactly("-0.1")));
  // An enclosure of 0.2 is not 0.1 truncated.
  CHECK_FALSE(answers::agrees(printed("0.1"),
                              {rational("0.2") - rational("1e-12"), rational("0.2") + rational("1e-12")}));
  // A first digit that is off by one unit or more does not count.
  CHECK(answers::agreed_digits(printed("1.0"), exactly("0.747"), 20) == 0);
  CHECK(answers::agreed_digits(printed("0.30"), exactly("0.2"), 20) == 0);
  CHECK(answers::agreed_digits(printed("0.25"), exactly("0.2"), 20) == 1);
  CHECK(answers::agreed_digits(printed("3/10"), exactly("2/10"), 20) == 0);
}

TEST_CASE("agreed digits are relative", "[answers][compare]") {
  CHECK(answers::agreed_digits(printed("0.12345"), exactly("0.123452"), 20) == 5);
  CHECK(answers::agreed_digits(printed("0.12345"), exactly("0.12349"), 20) == 4);
  CHECK(answers::agreed_digits(printed("0.12345"), exactly("0.12345"), 20) == 20);
  CHECK(answers::agreed_digits(printed("0.1"), exactly("1/10"), 20) == 20);
  CHECK(answers::agreed_digits(printed("0.1"), {rational("0.1") - rational("1e-30"), rational("1/10")}, 20) ==
        20);
  CHECK(answers::agreed_digits(printed("0.12345"), exactly("0.1234500001"), 20) == 10);
  CHECK(answers::agreed_digits(printed("0.12345"), exactly("0.12345"), 3) == 3);
  CHECK(answers::agreed_digits(printed("1.2345e-300"), exactly("1.2351e-300"), 20) == 4);
  CHECK(answers::agreed_digits(printed("2.0"), exactly("1"), 20) == 0);
  CHECK(answers::agreed_digits(printed("-0.12"), exactly("0.12"), 20) == 0);
  CHECK(answers::agreed_digits(printed("1e-20"), exactly("1e-40"), 20) == 0);
  CHECK(answers::agreed_digits(printed("0.000"), exactly("1e-40"), 20) == 0);
  CHECK(answers::agreed_digits(printed("0."), exactly("0"), 20) == 20);
  CHECK(answers::agreed_digits(printed("1/3"), exactly("1/3"), 20) == 20);
  CHECK(answers::agreed_digits(printed("1/3"), {rational("0.33333"), rational("0.33334")}, 20) == 5);
  // d digits agree exactly if the relative error is below 10^(1-d): checked against that definition.
  for (int n = 1; n < 60; ++n) {
    const std::string error = "1e-" + std::to_string(n);
    const answers::TrueValue value{1 + rational(error), 1 + rational(error)};
    CHECK(answers::agreed_digits(printed("1"), value, 100) == n + 1);
    // 1 and 0.9 differ by one unit of the first digit.
    const int below = n == 1 ? 0 : n;
    CHECK(answers::agreed_digits(printed("1"), {1 - rational(error), 1 - rational(error)}, 100) == below);
  }
}

TEST_CASE("a matching list agrees in all printed digits", "[answers][compare]") {
  const auto decimals = answers::answer(query("[0.5, 0.1111, 0.0123]", CoefficientsOf::tail));
  CHECK_FALSE(decimals.first);
  CHECK(decimals.printed_digits == 4);
  CHECK(decimals.digits.count == 10);
  CHECK(decimals.fewest == 2);
  CHECK(decimals.coefficients[0].agreed_digits == 10);
  CHECK(decimals.coefficients[1].agreed_digits == 4);
  CHECK(decimals.coefficients[2].agreed_digits == 3);
  REQUIRE(decimals.profile.size() == 1);
  CHECK(decimals.profile.front().digits == 4);
  CHECK(decimals.profile.front().last == 2U);

  const auto fractions = answers::answer(query("[1/2, 7/18, 8/81]", CoefficientsOf::occupancy));
  CHECK_FALSE(fractions.first);
  CHECK(fractions.printed_digits == 0);
  CHECK(fractions.digits.count == 40);
  CHECK(fractions.coefficients[1].agreed_digits == 40);

  auto given = query("[1/2, 1/9]", CoefficientsOf::tail);
  given.digits = numeric::Digits{15};
  CHECK(answers::answer(given).digits.count == 15);
}

TEST_CASE("a mismatching list: the first disagreement and its most likely cause", "[answers][compare]") {
  const auto first = [](const std::string& list, CoefficientsOf of) {
    const auto found = answers::answer(query(list, of)).first;
    REQUIRE(found);
    return *found;
  };
  const auto omitted = first("0.5 + 0.0987654321*x^2", CoefficientsOf::occupancy);
  CHECK(omitted.at == 1);
  CHECK(omitted.diagnosis.cause == DisagreementCause::omitted);
  const auto last = first("[0.5000000000, 0.1111111119]", CoefficientsOf::tail);
  CHECK(last.at == 1);
  CHECK(last.diagnosis.cause == DisagreementCause::last_digits);
  CHECK(last.error >= rational("7.8e-10"));
  CHECK(last.error <= rational("7.9e-10"));
  const auto lost = first("[0.5000000000, 0.1111111111, 0.01234567901, 0.0013717400]", CoefficientsOf::tail);
  CHECK(lost.at == 3);
  CHECK(lost.diagnosis.cause == DisagreementCause::cancellation);
  CHECK(first("[0.5, 0.1111]", CoefficientsOf::occupancy).diagnosis.cause == DisagreementCause::not_rounding);
}

TEST_CASE("required digits, and the last index for each number of digits", "[answers][compare]") {
  auto requested = query("[0.5000000000, 0.1111111111, 0.01234567901, 0.0013717400]", CoefficientsOf::tail);
  requested.required = 6;
  CHECK_FALSE(answers::answer(requested).first);
  requested.required = 8;
  const auto found = answers::answer(requested);
  REQUIRE(found.first);
  CHECK(found.first->at == 3);
  REQUIRE(found.profile.size() == 2);
  CHECK(found.profile[0].digits == 10);
  CHECK(found.profile[0].last == 2U);
  CHECK(found.profile[1].digits == 5);
  CHECK(found.profile[1].last == 3U);
  const auto none = answers::answer(query("[0.9, 0.1111]", CoefficientsOf::tail));
  CHECK_FALSE(none.profile.front().last);
}

namespace {

/// P(Q > n) of the queue of query(), as doubles, n = 0 .. 60.
std::vector<double> nearest_doubles() {
  std::vector<double> values{0.5};
  Rational power = 1;
  for (int n = 1; n <= 60; ++n) values.push_back(numeric::nearest_double(power = power / 9));
  return values;
}

std::string shortest(double value) {
  std::array<char, 64> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}
std::string formatted(const char* format, double value) {
  std::array<char, 512> text{};
  const int size = std::snprintf(text.data(), text.size(), format, value);
  return {text.data(), static_cast<std::size_t>(size)};
}

std::string joined(const std::vector<std::string>& numbers) {
  std::string list;
  for (const std::string& number : numbers) list += (list.empty() ? "[" : ", ") + number;
  return list + "]";
}

}  // namespace

TEST_CASE("nearest doubles of the truth agree in every print", "[answers][compare]") {
  const auto agree = [](const auto& print, bool doubles) {
    std::vector<std::string> numbers;
    for (const double value : nearest_doubles()) numbers.push_back(print(value));
    CAPTURE(joined(numbers));
    const auto requested = query(joined(numbers), CoefficientsOf::tail);
    CHECK(requested.list.doubles == doubles);
    const auto found = answers::answer(requested);
    CHECK_FALSE(found.first);
    CHECK(found.profile.front().last == 60U);
    return found;
  };
  const auto python = agree(shortest, true);
  CHECK(python.printed_digits == 16);
  CHECK(python.coefficients[python.fewest].agreed_digits == 16);
  CHECK(python.coefficients[0].agreed_digits == python.digits.count);  // 0.5
  for (const char* format : {"%.17g", "%.16e", "%.20e", "%a", "%.13a"})
    agree([format](double value) { return formatted(format, value); }, true);
  // Fewer digits than a double has: only the printed ones count.
  for (const char* format : {"%.15g", "%.8e", "%.5g"})
    agree([format](double value) { return formatted(format, value); }, false);
}

TEST_CASE("an exact 0.1 has all required digits", "[answers][compare]") {
  answers::CompareQuery requested{
      .queue = {.arrivals = series::Arrivals::poisson(rational("9/10"))},
      .list = list_of("[0.1, 0.14596031111569496, 0.13764015532147417, 0.11505008845764043]"),
      .reading = {}};
  CHECK_FALSE(answers::answer(requested).first);
  requested.required = 16;
  CHECK_FALSE(answers::answer(requested).first);
  requested.list = list_of("0.1");
  CHECK_FALSE(answers::answer(requested).first);
}

TEST_CASE("a wrong digit is caught wherever it is", "[answers][compare]") {
  // A wrong digit in one number, up and down. The 16th and 17th digit of doubles are below their last bit,
  // and the last digit of decimals may be off by one.
  const auto wrong = [](std::vector<std::string> numbers, std::size_t which, std::size_t digit, int by) {
    std::string& text = numbers[which];
    std::size_t at = text.find_first_not_of("0.");
    for (; digit > 1; --digit)
      if (text[++at] == '.') ++at;
    if (text[at] + by < '0' || text[at] + by > '9') by = -by;
    text[at] = static_cast<char>(text[at] + by);
    const auto found = answers::answer(query(joined(numbers), CoefficientsOf::tail)).first;
    return found && found->at == which;
  };
  // Two bits off is wrong in each format: "%.17g" also omits trailing zeros.
  for (const char* format : {"%.17g", "%.16e", "%a"})
    for (std::size_t which = 0; which <= 60; ++which)
      for (const double away : {0.0, 1.0}) {
        CAPTURE(format, which, away);
        std::vector<std::string> numbers;
        for (double value : nearest_doubles()) {
          if (numbers.size() == which) value = std::nextafter(std::nextafter(value, away), away);
          numbers.push_back(formatted(format, value));
        }
        const auto found = answers::answer(query(joined(numbers), CoefficientsOf::tail)).first;
        CHECK((found && found->at == which));
      }
  std::vector<std::string> doubles, decimals;
  for (const double value : nearest_doubles()) {
    doubles.push_back(shortest(value));
    decimals.push_back(formatted("%.11e", value));
  }
  for (const std::size_t which : {std::size_t{1}, std::size_t{7}, std::size_t{60}})
    for (const int by : {1, -1}) {
      CAPTURE(which, by);
      for (std::size_t digit = 1; digit <= 15; ++digit) {
        CAPTURE(digit);
        CHECK(wrong(doubles, which, digit, by));
      }
      for (std::size_t digit = 1; digit <= 11; ++digit) CHECK(wrong(decimals, which, digit, by));
      CHECK(wrong(decimals, which, 12, 2 * by));
    }
}

TEST_CASE("compare rejects invalid input", "[answers][compare]") {
  auto requested = query("[0.5]", CoefficientsOf::tail);
  requested.required = 0;
  CHECK_THROWS_AS(answers::answer(requested), InvalidArgument);
  requested.required.reset();
  requested.queue.arrivals = series::Arrivals::equal_inputs(2, rational("1"));
  CHECK_THROWS_AS(answers::answer(requested), Unstable);
  const std::string deep = "0 0.5\n1000001 1e-40\n";
  CHECK_THROWS_AS(answers::answer(query(deep, CoefficientsOf::occupancy)), LimitExceeded);
  CHECK(answers::answer(query(deep, CoefficientsOf::tail)).first);  // almost nothing, and not 1e-40
  const std::string nothing = "0 0.5\n1000001 0.E-40\n";
  CHECK_FALSE(answers::answer(query(nothing, CoefficientsOf::tail)).first);  // 0 to 40 places, as printed
}
