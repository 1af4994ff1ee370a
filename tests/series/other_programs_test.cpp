#include <catch2/catch.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/series/files/coefficient_list.hpp>
#include <tests/support/rational.hpp>

#include <string>
#include <vector>

using tailbound::ParseError;
using tailbound::numeric::Rational;
using tailbound::series::CoefficientList;
using tailbound::series::parse_coefficient_list;
using tailbound::test::rational;

namespace {

CoefficientList read_print(const std::string& text) {
  return parse_coefficient_list(text, "file");
}

void check_print(const std::string& format, const std::string& text, const std::vector<std::string>& values) {
  INFO(format << "\n" << text);
  const CoefficientList list = read_print(text);
  CHECK(list.format == format);
  REQUIRE(list.coefficients.size() == values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    CHECK(list.coefficients[i].value == rational(values[i]));
    CHECK(list.coefficients[i].index == static_cast<std::int64_t>(i));
  }
}

TEST_CASE("lists of other programs") {
  const std::vector<std::string> values{"0.25", "1.5e-3", "2e-4"};
  check_print("Mathematica", "{0.25, 1.5*^-3, 2.*^-4}\n", values);
  check_print("Mathematica", "{0.25`, 1.5`15.95*^-3,\n 2.``20*^-4}\n", values);
  check_print("Mathematica", "{1/4, 3/2000, 1/5000}", values);
  check_print("numpy", "array([2.5e-01, 1.5e-03, 2.0e-04])\n", values);
  check_print("numpy", "array([2.5e-01, 1.5e-03,\n       2.0e-04], dtype=float32)\n", values);
  check_print("numpy", "[2.5e-01 1.5e-03\n 2.0e-04]\n", values);
  check_print("numpy", "[np.float64(0.25), np.float64(0.0015), np.float64(2e-04)]", values);
  check_print("Python", "[mpf('0.25'), mpf('1.5e-3'), mpf('2.0e-4')]", values);
  check_print("Python", "[mpmath.mpf('0.25'), mp.mpf('0.0015'), mpf(\"0.0002\")]\n", values);
  check_print("Python", "[Decimal('0.25'), Decimal('1.5E-3'), decimal.Decimal('0.0002')]", values);
  check_print("Python", "[Fraction(1, 4), Fraction(3, 2000), fractions.Fraction('1/5000')]", values);
  check_print("Python", "[Rational(1, 4), Float('0.0015', precision=53), mpq(1,5000)]", values);
  check_print("Python", "Fraction(1, 4)\nFraction(3, 2000)\nFraction(1, 5000)\n", values);
  check_print("Python", "[np.longdouble('0.25'), np.longdouble('0.0015'), mpfr('2.0e-4',100)]", values);
  check_print("Julia", "3-element Vector{Float64}:\n 0.25\n 0.0015\n 0.0002\n", values);
  check_print("Julia", "3-element Array{Float32,1}:\n 0.25\n 1.5f-3\n 2.0f-4\n", values);
  check_print("Julia", "3-element Vector{Rational{Int64}}:\n 1//4\n 3//2000\n 1//5000\n", values);
  check_print("Julia", "Rational{Int64}[1//4, 3//2000, 1//5000]", values);
  check_print("Julia", "1//4\n3//2000\n1//5000\n", values);
  check_print("", "Float64[0.25, 0.0015, 0.0002]", values);
  check_print("MATLAB",
              " Columns 1 through 2:\n\n   2.5000e-01   1.5000e-03\n\n Column 3:\n\n   2.0000e-04\n\n",
              values);
  check_print("MATLAB", "p =\n\n   2.5000e-01   1.5000e-03   2.0000e-04\n\n", values);
  check_print("R", "[1] 2.5e-01 1.5e-03 2.0e-04\n", values);
  check_print("R", " [1] 2.5e-01 1.5e-03\n [3] 2.0e-04\n", values);
  check_print("MATLAB", "\np =\n\n   1.0e-01 *\n\n    2.5000\n    0.0150\n    0.0020\n\n", values);
  check_print(
      "MATLAB",
      "p =\n   1.0e-03 *\n\n  Columns 1 through 2\n\n  250.0000    1.5000\n\n  Column 3\n\n    0.2000\n",
      values);
  check_print("Fortran", "2.5D-01\n1.5d-03\n2.0D-4\n", values);
  check_print("Maxima", "[2.5b-1, 1.5b-3, 2.0b-4]", values);
  check_print("JSON", "{\"p\": [0.25, 1.5e-3, 2e-4]}\n", values);
  check_print("assignments", "q[0] := .25;\nq[1] := .15e-2;\nq[2] := .2e-3;\n", values);
  check_print("assignments", "q[0] = 1/4\nq[1] = 3/2000\nq[2]=1/5000\n", values);
  check_print("decimal commas", "0,25\n0,0015\n0,0002\n", values);
  check_print("", "0.25 + 1.5e-3*z + 2e-4*z**2 + O(z**3)", values);
  check_print("", "[0.25, 1.5e-3, 2e-4]", values);
  check_print("", "0,0.25\n1,1.5e-3\n2,2e-4\n", values);
}

TEST_CASE("lists of other programs: printed digits are kept") {
  const CoefficientList list = read_print("{1.50*^-3, 0.250}");
  CHECK(list.coefficients[0].significant_digits == 3);
  CHECK(list.coefficients[0].last_place == -5);
  const CoefficientList scaled = read_print("p =\n   1.0e-02 *\n    1.5000\n    2.2500\n");
  CHECK(scaled.coefficients[0].value == rational("0.015"));
  CHECK(scaled.coefficients[0].last_place == -6);
}

TEST_CASE("lists of other programs: errors have positions") {
  for (const char* text : {"{0.1, x}", "array([0.1, nan])", "{\"p\": [0.1], \"q\": [0.2]}", "[0.1 0.2",
                           "q[0] := .1;\nq[0] := .2;", "{{0.1, 0.2}, {0.3}}", "[1] 0.1 y", "1.0e-01 *\n x",
                           "[mpf('0.1'), mpf('x')]", "[Fraction(1, 0)]", "[mpf('0.1'",
                           "p =\n 0.1 0.2\n 0.3 0.4\n", "3-element Vector{Float64}:\n 0.1\n nan\n"}) {
    INFO(text);
    CHECK_THROWS_AS(read_print(text), ParseError);
  }
  CHECK_THROWS_WITH(read_print("{0.1,\n 0.2, y}"), Catch::Contains("file:2:"));
  // Hexadecimal doubles keep their letters.
  CHECK(read_print("0x1.8p-3\n0x1d3p-9\n").format.empty());
}

}  // namespace
