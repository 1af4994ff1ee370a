#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/series/files/coefficient_list.hpp>

#include <catch2/catch.hpp>
#include <tests/support/rational.hpp>

#include <random>
#include <string>
#include <vector>

using namespace tailbound;
using series::Coefficient;
using series::CoefficientList;
using series::parse_coefficient_list;

namespace {

CoefficientList read(const std::string& text) {
  return parse_coefficient_list(text, "list.txt");
}

/// The values as fractions, checking that the indices are 0, 1, 2, ...
std::vector<std::string> values(const CoefficientList& list) {
  std::vector<std::string> fractions;
  for (const Coefficient& entry : list.coefficients) {
    REQUIRE(entry.index == static_cast<std::int64_t>(fractions.size()));
    fractions.push_back(numeric::to_fraction(entry.value));
  }
  return fractions;
}

std::string message(const std::string& text) {
  try {
    (void)read(text);
  } catch (const ParseError& error) {
    return error.what();
  }
  return "no error";
}

using Fractions = std::vector<std::string>;
using tailbound::test::rational;

}  // namespace

TEST_CASE("coefficient list: numbers keep their printed digits and last place",
          "[series][coefficient_list]") {
  struct Expected {
    const char* text;
    const char* value;
    int digits;
    std::optional<long> place;
  };
  const Expected table[] = {
      {"0.120", "0.12", 3, -3},
      {"8.7 E-16", "8.7e-16", 2, -17},           // PARI/GP
      {".87e-15", "8.7e-16", 2, -17},            // Maple
      {"0.87*10^(-15)", "8.7e-16", 2, -17},      // Maple, pretty
      {"0.87*10^-15", "8.7e-16", 2, -17},        //
      {"0.10000000000000e-3", "1e-4", 14, -17},  // Giac
      {"-2.50e+3", "-2500", 3, 1},               //
      {"12.", "12", 2, 0},                       //
      {"1/9", "1/9", 0, std::nullopt},           //
      {"-7", "-7", 0, std::nullopt},             //
      {"(-1/3)", "-1/3", 0, std::nullopt},       //
      {"3*10^(-2)", "3/100", 0, std::nullopt},   //
      {"0.", "0", 0, std::nullopt},              // Maple's zero
      {"0.E-40", "0", 0, -40},                   // PARI/GP's zero
      {"0.000", "0", 0, -3},                     //
      {"000123.40", "123.4", 5, -2},             //
  };
  for (const Expected& expected : table) {
    CAPTURE(expected.text);
    const CoefficientList list = read(expected.text);
    REQUIRE(list.coefficients.size() == 1);
    const Coefficient& entry = list.coefficients.front();
    CHECK(entry.value == rational(expected.value));
    CHECK(entry.significant_digits == expected.digits);
    CHECK(entry.last_place == expected.place);
    CHECK(
        series::unit_in_last_place(entry) ==
        (expected.place ? rational(("1e" + std::to_string(*expected.place)).c_str()) : numeric::Rational(0)));
  }
}

TEST_CASE("coefficient list: hexadecimal numbers are doubles", "[series][coefficient_list]") {
  struct Expected {
    const char* text;
    const char* value;
    long last_bit;
  };
  const Expected table[] = {
      {"0x1.8p-3", "3/16", -55},
      {"0x1.8000000000000p-3", "3/16", -55},
      {"-0X.Cp-2", "-3/16", -55},
      {"0xcp-6", "3/16", -55},
      {"0x1p+0", "1", -52},
      {"0x1.fffffffffffffp-1", "9007199254740991/9007199254740992", -53},
      {"0x1.80000000000000001p-3", "442721857769029238785/2361183241434822606848",
       -71},  // more than a double can represent
      {"0x0p+0", "0", -1074},
  };
  for (const Expected& expected : table) {
    CAPTURE(expected.text);
    const CoefficientList list = read(expected.text);
    const Coefficient& entry = list.coefficients.front();
    CHECK(list.doubles);
    CHECK(entry.value == rational(expected.value));
    CHECK_FALSE(entry.last_place);
    CHECK(entry.last_bit == expected.last_bit);
    CHECK(series::shown_digits(entry) == 16);
  }
  CHECK(values(read("0x1p-3 + 0x1.8p-3*z")) == Fractions{"1/8", "3/16"});
  CHECK_THAT(message("0x1.8"), Catch::Contains("'p'"));
  CHECK_THAT(message("0x1p-3*10^2"), Catch::Contains("power of 10"));
  CHECK_THAT(message("0x1p-99999"), Catch::Contains("20000"));
}

TEST_CASE("coefficient list: doubles are recognized by their digits", "[series][coefficient_list]") {
  const auto doubles = [](const std::string& text) { return read(text).doubles; };
  CHECK(doubles("[0.1, 0.14596031111569496, 0.13764015532147417]"));
  CHECK(doubles("[0.10000000000000001, 0.14596031111569496, 0.13764015532147417]"));  // "%.17g"
  CHECK(doubles("[0.10000000000000000555, 0.14596031111569496286]"));                 // "%.20f"
  CHECK_FALSE(doubles("[0.5, 0.1111, 0.0123]"));
  CHECK_FALSE(doubles("[1/2, 1/9]"));
  CHECK_FALSE(doubles("[0.11111111111111111111, 0.012345679012345679012]"));  // 20 digits that are not a
                                                                              // double
  // One wrong value among ten does not spoil the rest.
  std::string list = "[0.1";
  for (int i = 0; i < 12; ++i) list += ", 0.14596031111569496";
  CHECK(doubles(list + ", 0.14596031111569491]"));
  // 0.1 is as precise as its neighbours; in a list of 16 digits it may be a decimal without trailing zeros.
  const Coefficient tenth = read("[0.1, 0.14596031111569496]").coefficients.front();
  CHECK(series::unit_in_last_place(tenth) == numeric::Rational(1) / (numeric::Integer(1) << 56));
  CHECK(series::unit_in_last_place(read("[0.1, 0.1459603111156949]").coefficients.front()) ==
        rational("1e-16"));
  CHECK(read("[0.0, 0.14596031111569496]").coefficients.front().last_bit == -1074);
}

TEST_CASE("coefficient list: lists, series and lines read the same", "[series][coefficient_list]") {
  const Fractions expected{"1/10", "-9/100", "1/9"};
  for (const char* text : {
           "[0.1, -0.09, 1/9]",
           "[0.1,\n -0.09\n, 1/9];\n",
           "L := [.1, -.9e-1, 1/9]:",
           "%12 = [0.10, -9.0 E-2, 1/9]~\n",
           "\x1B[0;36m%12 = \x1B[0;35m[0.10, -9.0 E-2, 1/9]\x1B[0m\n",
           "L:[0.1,-0.9e-1,1/9]",
           "poly1[0.1,-0.9e-1,1/9]",
           "\"Done\",\n\"Warning: 1\",\n[0.1,-0.9e-1,1/9]\n",
           "> L := 3*z;\n? Vec(Q)\n4>> L;\n[0.1, -0.09, 1/9]",
           "0.1 - 0.09*x + 1/9*x^2 + O(x^3)",
           "1/9*x^2 - 0.09*x + 0.1",
           ".1-.9e-1*z+1/9*z^2+O(z^3)",
           "0.1-0.9e-1*z+z^2/9+z^3*order_size(z)",
           "Q(z) = 0.1 - 9.0 E-2*z\n + (1/9)*z^(2)",
           "0.1+(-0.09)*z+z^2*1/9 +\n O(z^3)",
           "0.1\n-0.09\n1/9\n",
           "0.1\r\n-0.09\r\n1/9",
           "0.1, -0.09, 1/9",
           "0.1,\n-0.09,\n1/9",
           "# levels\n0.1 // first\n-0.0\\\n9 \\\\ second\n1/9",
           "0 0.1\n1 -0.09\n2 1/9",
           "2,1/9\n0,0.1\n1,-9 E-2",
           "\xEF\xBB\xBFlevel,P(Q>n)\n0,0.1\n1,-0.09\n2;1/9",
       }) {
    CAPTURE(text);
    CHECK(values(read(text)) == expected);
  }
}

TEST_CASE("coefficient list: omitted powers of a series are 0", "[series][coefficient_list]") {
  const CoefficientList list = read("0.5*x + x^3 + O(x^6)");
  CHECK(values(list) == Fractions{"0", "1/2", "0", "1", "0", "0"});
  CHECK(list.order == 6);
  CHECK(list.coefficients[1].line == 1);
  CHECK(list.coefficients[2].line == 0);
  CHECK(list.coefficients[2].is_exact());
  CHECK_FALSE(read("0.5*x").order.has_value());
}

TEST_CASE("coefficient list: two columns keep their indices", "[series][coefficient_list]") {
  const CoefficientList list = read("1000000000000000 8.7 E-16\n7 0.5\n");
  REQUIRE(list.coefficients.size() == 2);
  CHECK(list.coefficients[0].index == 7);
  CHECK(list.coefficients[1].index == 1'000'000'000'000'000);
  CHECK(list.coefficients[1].line == 1);
  CHECK(list.coefficients[1].column == 18);
}

TEST_CASE("coefficient list: numbers outside a list are counted", "[series][coefficient_list]") {
  CHECK(read("38,\n[0.5,0.5],\n0").lone_numbers == 2);
  CHECK(read("[0.5,0.5]").lone_numbers == 0);
}

TEST_CASE("coefficient list: errors have line and column", "[series][coefficient_list]") {
  struct Rejected {
    std::string text;
    const char* says;
  };
  const Rejected table[] = {
      {"", "1:1: no coefficients"},
      {"> L;\n", "read as commands"},
      {"[0.1, 0.2", "1:10: expected ',' or ']', but the text ends"},
      {"[0.1,\n0.2,, 0.3]", "2:5: expected a number, found ','"},
      {"[]", "1:1: an empty list"},
      {"[1, z]", "1:5: a list must contain only numbers"},
      {"[[1, 2]]", "1:2: expected a number, found '['"},
      {"[1]\n[2]", "2:1: a second list or series"},
      {"0.1\nhalf\n", "2:1: expected a number, found 'half'"},
      {"0.1\nnan\n", "2:1: nan is not a finite real number"},
      {"0.1\n0.2 \xFF", "2:5: expected a number, found the byte 0xff"},
      {"0.1\n\"Done", "2:1: an unterminated quoted text"},
      {"0.1 + 0.2", "1:1: a sum of plain numbers"},
      {"0.1 0.2 0.3", "1:1: 3 numbers in a line"},
      {"0.1\n0.2\n3 0.4", "3:1: 2 numbers in a line"},
      {"index,value\n0.1\n", "2:1: 1 numbers in a line"},
      {"0 0.1\n0 0.2", "2:3: index 0 appears twice, first in line 1"},
      {"1+2*z+3*z", "1:6: index 1 appears twice"},
      {"1+z+y", "1:5: a second variable 'y' after 'z'"},
      {"2*z*z", "a product of two variables"},
      {"2z", "1:2: expected a number, ',' or the end of the line, found 'z'"},
      {"1/z", "1:3: a negative power of z"},
      {"z^-1", "1:3: a negative power"},
      {"1/0", "1:3: a denominator of 0"},
      {"0.3/2", "1:1: a decimal multiplied or divided by another number"},
      {"0.1*0.2", "1:5: a product of two decimals"},
      {"2^3", "only 10 may have a power"},
      {"O(z^3)", "an order term without coefficients"},
      {"1+z^3+O(z^3)", "1:2: a term beyond the order term"},
      {"1+O(z^3)+O(z^4)", "1:9: a second order term"},
      {"z^1000001", "1:3: the power of the variable is 1000001; it must be at most 1000000"},
      {"z^99999999999999999999999999", "it must be at most 1000000"},
      {"1e-10001", "1:4: a decimal exponent is 10001"},
      {"1*10^10000*10^10000", "a decimal exponent beyond 10000"},
      {"1*1*1*1*1*1*1*1*1", "a term of more than 8 factors"},
      {"1000000000000001 0.5", "1:1: an index beyond 10^15"},
      {std::string(10'001, '7'), "1:1: a number of more than 10000 characters"},
  };
  for (const Rejected& rejected : table) {
    CAPTURE(rejected.text.substr(0, 60));
    CHECK_THAT(message(rejected.text), Catch::Contains(rejected.says));
  }
}

TEST_CASE("coefficient list: memory is bounded", "[series][coefficient_list]") {
  std::string many;
  for (int i = 0; i <= 1'000'000; ++i) many += "1\n";
  CHECK_THAT(message(many), Catch::Contains("more than 1000000 numbers"));

  std::string large = "[";
  for (int i = 0; i < 40'000; ++i) large += "1e9999,";
  CHECK_THAT(message(large), Catch::Contains("need more than 2^30 bits"));
}

TEST_CASE("coefficient list: printed lists read back in every format", "[series][coefficient_list]") {
  std::mt19937_64 random(20041205);
  const auto below = [&](std::uint64_t bound) { return random() % bound; };
  for (int round = 0; round < 300; ++round) {
    const std::size_t count = 1 + below(12);
    std::vector<std::string> digits;  // the significand
    std::vector<long> exponents;
    std::vector<numeric::Rational> expected;
    for (std::size_t i = 0; i < count; ++i) {
      std::string text = std::to_string(1 + below(9));
      for (std::uint64_t n = below(40); n > 0; --n) text += static_cast<char>('0' + below(10));
      digits.push_back(text);
      exponents.push_back(static_cast<long>(below(200)) - 150);
      expected.push_back(rational((text + "e" + std::to_string(exponents.back())).c_str()));
    }
    // The same numbers as each program would write them.
    std::string maple = "[", gp = "%1 = ", giac, lines;
    for (std::size_t i = 0; i < count; ++i) {
      const long size = static_cast<long>(digits[i].size());
      const std::string power = "z^" + std::to_string(i);
      const std::string point = digits[i].substr(0, 1) + "." + digits[i].substr(1);
      maple += (i > 0 ? ", ." : ".") + digits[i] + "e" + std::to_string(exponents[i] + size);
      gp += (i > 0 ? " + " : "") + point + " E" + std::to_string(exponents[i] + size - 1) +
            (i > 0 ? "*" + power : "");
      giac += (i > 0 ? "+" : "") + ("0." + digits[i]) + "e" + std::to_string(exponents[i] + size) +
              (i > 0 ? "*" + power : "");
      lines += std::to_string(i) + "\t" + point + "e" + std::to_string(exponents[i] + size - 1) + "\n";
    }
    maple += "]:";
    gp += " + O(z^" + std::to_string(count) + ")";
    giac += "+z^" + std::to_string(count) + "*order_size(z)";
    for (const std::string& text : {maple, gp, giac, lines}) {
      CAPTURE(text);
      const CoefficientList list = read(text);
      REQUIRE(list.coefficients.size() == count);
      for (std::size_t i = 0; i < count; ++i) {
        REQUIRE(list.coefficients[i].value == expected[i]);
        REQUIRE(list.coefficients[i].significant_digits == static_cast<int>(digits[i].size()));
        REQUIRE(list.coefficients[i].last_place == exponents[i]);
      }
      // Broken anywhere by a backslash, the text is the same.
      const std::size_t at = text == lines ? 0 : below(text.size());
      const CoefficientList broken = read(text.substr(0, at) + (at > 0 ? "\\\n" : "") + text.substr(at));
      for (std::size_t i = 0; i < count; ++i) REQUIRE(broken.coefficients[i].value == expected[i]);
    }
  }
}
