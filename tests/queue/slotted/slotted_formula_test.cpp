#include <catch2/catch.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/queue/slotted/slotted_formula.hpp>
#include <tailbound/series/expand.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <tuple>

#include <unistd.h>

using namespace tailbound;
using namespace tailbound::symbolic;
using numeric::Rational;
using queue::slotted_formula;
using queue::wait_formula;

namespace {

const std::array<const char*, 4> formulas{"(1-p+p*z)^k", "exp(rho*(z-1))", "(1-p+p*z)*(1-q+q*z)^2",
                                          "(1-p)/(1-p*z)"};
const std::array<const char*, 4> numbers{"(1/10+1/20*z+17/20*z)^1", "exp(9/10*(z-1))", "(19/20+1/20*z)^16",
                                         "(3/5)/(1-2/5*z)"};

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::array<char, 4096> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) text += buffer.data();
  pclose(pipe);
  return text;
}

bool installed(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
}

/// A file of its own in the temporary folder, removed at the end of the scope.
class Scratch {
 public:
  Scratch(const std::string& ending, const std::string& text) {
    std::string name = (std::filesystem::temp_directory_path() / "slotted_formula_XXXXXX").string();
    const int file = mkstemp(name.data());
    REQUIRE(file >= 0);
    close(file);
    std::filesystem::remove(name);
    path_ = name + ending;
    std::ofstream(path_) << text;
  }
  ~Scratch() { std::filesystem::remove(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Value of `expression` at z, as a Real of 300 bits.
numeric::Real value_at(const Expression& expression, const Rational& z) {
  return series::evaluate<numeric::Real>(to_program(expression, "z"),
                                         numeric::to_real(z, numeric::Rounding::nearest));
}

/// The last number printed by a program; its precision is that of the scope.
numeric::Real last_number(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  const std::size_t start =
      text.find_last_of(" \n=,") == std::string::npos ? 0 : text.find_last_of(" \n=,") + 1;
  REQUIRE_FALSE(text.empty());
  return numeric::Real(text.substr(start));
}

}  // namespace

TEST_CASE("the mean is rho + A''(1) / (2 (1 - rho)), symbolically") {
  for (const char* text : formulas) {
    INFO(text);
    const Pgf a = parse_pgf(text);
    const Expression rho = a.mean(), second = a.factorial_moment(2);
    const auto formula = slotted_formula(a);
    CHECK(formula.mean.equals(rho + second / (2 * (1 - rho))));
    CHECK(formula.empty.equals(1 - rho));
    CHECK(formula.empty.equals(limit(formula.occupancy.expression(), "z", 0)));
    CHECK(formula.occupancy.is_normalised() == Verdict::yes);
    const auto wait = wait_formula(a);
    CHECK(wait.mean.equals(formula.mean / rho - 1));
    CHECK(wait.wait.is_normalised() == Verdict::yes);
    // (1.7): Q(z) = P(Q=0) + rho z W(z)
    const Expression z = Expression::symbol("z");
    CHECK(formula.occupancy.expression().equals(formula.empty + rho * z * wait.wait.expression()));
  }
}

TEST_CASE("for equal inputs with free k and p, the mean is that of the paper") {
  const auto formula = slotted_formula(Pgf::equal_inputs(Expression::symbol("k"), parse_expression("k*p")));
  CHECK(formula.mean.equals(parse_expression("k*p + k*(k-1)*p^2/(2*(1-k*p))")));
}

TEST_CASE("Q(z), cancelled or as derived, has the same expansion and satisfies the balance equations") {
  const auto a = Pgf::equal_inputs(4, parse_expression("4/5"));
  const auto formula = slotted_formula(a);
  const auto cancelled = queue::cancelled_occupancy(formula);
  REQUIRE(cancelled);
  const auto q = series::expand<Rational>(formula.occupancy.program(), 40);
  CHECK(q == series::expand<Rational>(cancelled->program(), 40));
  CHECK(cancelled->expression().substitute("z", 1).equals(1));
  // Q' = max(Q-1, 0) + A
  const auto p = series::expand<Rational>(a.program(), 40);
  for (std::size_t n = 0; n < 39; ++n) {
    Rational next = q[0] * p[n];
    for (std::size_t j = 1; j <= n + 1; ++j) next = next + q[j] * p[n + 1 - j];
    CHECK(next == q[n]);
  }
  const auto wait = wait_formula(a);
  const auto cancelled_wait = queue::cancelled_wait(formula, wait);
  REQUIRE(cancelled_wait);
  const auto w = series::expand<Rational>(cancelled_wait->program(), 39);
  for (std::size_t n = 0; n < 39; ++n) CHECK(w[n] == q[n + 1] * 5 / 4);
}

TEST_CASE("two packets per slot: with y inserted, Q(z) is a power series of mass 1") {
  // A = z^3 with probability 1/3, otherwise 0: y^2 = (2 + y^3)/3 has the inner root y = 1 - sqrt(3); checked
  // numerically.
  const auto formula = slotted_formula(parse_pgf("2/3+z^3/3"), 2);
  REQUIRE(formula.inner_roots == std::vector<std::string>{"y1"});
  const numeric::PrecisionScope scope({300});
  const numeric::Real y = 1 - sqrt(numeric::Real(3));
  const auto put_in = [&](const Expression& e) { return e.substitute("y1", numeric::to_rational(y)); };
  const auto q = series::expand<numeric::Real>(to_program(put_in(formula.occupancy.expression()), "z"),
                                               200);  // longer: y^-n amplifies rounding
  numeric::Real mass = 0, mean = 0, square = 0;
  for (std::size_t n = 0; n < q.size(); ++n) {
    CHECK(q[n] > -1e-30);
    mass += q[n];
    mean += q[n] * n;
    square += q[n] * n * n;
  }
  CHECK(abs(mass - 1) < 1e-20);
  CHECK(abs(mean - value_at(put_in(formula.mean), 0)) < 1e-17);
  CHECK(abs(square - mean * mean - value_at(put_in(formula.variance), 0)) < 1e-15);
  CHECK(abs(q[0] - value_at(put_in(formula.empty), 0)) < 1e-60);
}

TEST_CASE("unstable queues and invalid PGFs are rejected") {
  CHECK_THROWS_AS(slotted_formula(Pgf::equal_inputs(4, 4)), Unstable);
  CHECK_THROWS_AS(slotted_formula(parse_pgf("(exp(z)-1)/(exp(1)-1)")), Unstable);
  CHECK_THROWS_AS(slotted_formula(parse_pgf("z/2")), InvalidArgument);
  CHECK_THROWS_AS(slotted_formula(parse_pgf("1/2+z/2"), 65), InvalidArgument);
  CHECK_THROWS_AS(wait_formula(parse_pgf("1")), InvalidArgument);
}

TEST_CASE("PARI/GP and Giac's Maple mode read the printed formulas and find the same 50 digits") {
  const numeric::PrecisionScope scope({300});
  const std::array<std::array<const char*, 2>, 3> points{
      {{"1/3", "1/3"}, {"21/20", "21/20"}, {"-4/5", "-4/5"}}};
  for (const char* text : numbers) {
    const auto formula = slotted_formula(parse_pgf(text));
    const auto wait = wait_formula(parse_pgf(text));
    for (const auto& [definition_of, name, expression] :
         {std::tuple(queue::occupancy_definition(formula, Language::gp), "Q", formula.occupancy.expression()),
          std::tuple(queue::wait_definition(formula, wait, Language::gp), "W", wait.wait.expression())})
      for (const auto& point : points) {
        const Rational z = numeric::parse_rational(point[0], "z");
        const numeric::Real expected = value_at(expression, z);
        INFO(text << " " << name << "(" << point[0] << ")");
        if (installed("gp")) {
          const Scratch script(".gp", "default(realprecision, 60);\n" + print(definition_of, Language::gp) +
                                          "print(" + name + "(1.0*" + point[1] + "));\nquit\n");
          const auto found = last_number(output_of("gp -q -f " + script.path() + " 2>&1"));
          CHECK(abs(found / expected - 1) < 1e-50);
        } else
          WARN("PARI/GP is not installed: its output is not tested");
        if (installed("giac")) {
          const Scratch script(".mpl", "maple_mode(1):\nDigits := 60:\n" +
                                           print(definition_of, Language::maple) + "evalf(" + name + "(" +
                                           point[1] + "), 60);\n");
          // Giac leaves a file in its working directory.
          const std::string folder = std::filesystem::temp_directory_path().string();
          const std::string output =
              output_of("cd '" + folder + "' && giac < " + script.path() + " 2>/dev/null");
          // the session is echoed; the value is on the line after the input
          INFO(output);
          const std::size_t query = output.find("evalf(");
          REQUIRE(query != std::string::npos);
          const std::size_t value = output.find('\n', query) + 1;
          const auto found = last_number(output.substr(value, output.find('\n', value) - value));
          CHECK(abs(found / expected - 1) < 1e-50);
        } else
          WARN("Giac is not installed: its Maple mode is not tested");
      }
  }
}

TEST_CASE("the C code compiles without warnings and is accurate to double, also at and near z = 1") {
  if (!installed("cc")) {
    WARN("no C compiler: the C code is not tested");
    return;
  }
  const numeric::PrecisionScope scope({400});
  std::vector<std::string> texts(numbers.begin(), numbers.end());
  texts.emplace_back("(z^3-1)/(3*(z-1))*1/2+1/2");
  for (const std::string& text : texts) {
    const auto formula = slotted_formula(parse_pgf(text));
    const auto wait = wait_formula(parse_pgf(text));
    for (const auto& [definition, expression] :
         {std::pair(queue::occupancy_definition(formula, Language::c), formula.occupancy.expression()),
          std::pair(queue::wait_definition(formula, wait, Language::c), wait.wait.expression())}) {
      std::vector<double> points{0.0, 0.5, 0.99, 1.0, 1.0 + 0x1p-40, 1.0 - 0x1p-20, 1.01, -0.75};
      std::string source = print(definition, Language::c) + "#include <stdio.h>\nint main(void)\n{\n";
      for (const double z : points) {
        std::array<char, 64> line{};
        std::snprintf(line.data(), line.size(), "%a", z);
        source += "    printf(\"%.17g\\n\", " + definition.name + "(" + line.data() + "));\n";
      }
      source += "    return 0;\n}\n";
      const Scratch file(".c", source), program(".out", "");
      const std::string complaints = output_of("cc -std=c99 -Wall -Wextra -pedantic -o " + program.path() +
                                               " " + file.path() + " -lm 2>&1");
      INFO(source << complaints);
      REQUIRE(complaints.empty());
      std::istringstream output(output_of(program.path()));
      for (const double z : points) {
        double found = 0;
        REQUIRE(output >> found);
        const numeric::Real expected =
            z == 1.0 ? numeric::Real(1) : value_at(expression, numeric::to_rational(z));
        INFO("z = " << z);
        CHECK(found == Approx(static_cast<double>(expected)).epsilon(1e-12));
      }
    }
  }
}

TEST_CASE("Q(z) and W(z) cancelled as polynomials where GiNaC's factoring is slow") {
  for (const char* load : {"1/3", "4/5"}) {
    const auto a = Pgf::equal_inputs(40, parse_expression(load));
    const auto formula = slotted_formula(a);
    const auto q = queue::cancelled_occupancy(formula);
    REQUIRE(q);
    CHECK(series::expand<Rational>(formula.occupancy.program(), 60) ==
          series::expand<Rational>(q->program(), 60));
    CHECK(q->value_at_one().equals(1));
    const auto wait = wait_formula(a);
    const auto w = queue::cancelled_wait(formula, wait);
    REQUIRE(w);
    CHECK(series::expand<Rational>(wait.wait.program(), 60) == series::expand<Rational>(w->program(), 60));
    CHECK(w->value_at_one().equals(1));
  }
}
