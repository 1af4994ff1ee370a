#include <tailbound/bounds/programs/linear_program.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <optional>
#include <random>
#include <tests/support/rational.hpp>
#include <thread>
#include <utility>
#include <vector>

using namespace tailbound;
using bounds::LinearProgram;
using bounds::Multiplier;
using bounds::proved_bound;
using bounds::proved_maximum;
using numeric::Rational;
using numeric::to_fraction;
using tailbound::test::ratio;

namespace {

/// Rows as lists of all factors, then the limit.
LinearProgram program(const std::vector<Rational>& objective, const std::vector<std::vector<Rational>>& rows,
                      bool signs = true) {
  LinearProgram all;
  all.columns = objective.size();
  for (std::size_t j = 0; j < objective.size(); ++j)
    if (objective[j] != 0) all.objective.push_back({j, objective[j]});
  for (const auto& row : rows) {
    std::vector<LinearProgram::Term> terms;
    for (std::size_t j = 0; j < objective.size(); ++j) terms.push_back({j, row[j]});
    all.add_row(std::move(terms), row.back());
  }
  for (std::size_t j = 0; signs && j < objective.size(); ++j) all.add_row({{j, -1}}, 0);
  return all;
}

std::string value(const LinearProgram& program) {
  const auto maximum = proved_maximum(program);
  if (!maximum) return "none";
  CHECK(proved_bound(program, maximum->multipliers) == maximum->value);
  return to_fraction(maximum->value);
}

/// Three equations in three unknowns, by Cramer's rule.
std::optional<std::array<Rational, 3>> corner(const std::array<std::vector<Rational>, 3>& rows) {
  const auto determinant = [&](std::size_t replaced) {
    const auto at = [&](std::size_t i, std::size_t j) { return rows[i][j == replaced ? 3 : j]; };
    Rational sum = 0;
    for (std::size_t j = 0; j < 3; ++j)
      sum += at(0, j) * (at(1, (j + 1) % 3) * at(2, (j + 2) % 3) - at(1, (j + 2) % 3) * at(2, (j + 1) % 3));
    return sum;
  };
  const Rational whole = determinant(9);
  if (whole == 0) return std::nullopt;
  return std::array{determinant(0) / whole, determinant(1) / whole, determinant(2) / whole};
}

}  // namespace

TEST_CASE("linear programs: maxima as fractions, with multipliers") {
  const LinearProgram two = program({3, 2}, {{1, 3, 7}, {5, 1, 11}});
  CHECK(value(two) == "9");  // at (13/7, 12/7)
  const auto multipliers = proved_maximum(two)->multipliers;
  REQUIRE(multipliers.size() == 2);
  CHECK(multipliers[0].factor == ratio(1, 2));
  CHECK(multipliers[1].factor == ratio(1, 2));
  CHECK(value(program({1, 0}, {{3, 1, 1}, {7, -1, 1}})) == "1/5");
  CHECK(value(program({1, 0}, {{3, 1, ratio(1, 1'000'003)}, {7, -1, 1}})) == "1/3000009");
  // Of either sign; a row and its opposite; terms of one column are added.
  CHECK(value(program({-1, 0}, {{-1, 0, ratio(7, 3)}, {0, 1, 0}, {0, -1, 0}}, false)) == "7/3");
  LinearProgram repeated{.columns = 1, .rows = {}, .objective = {{0, 1}}};
  repeated.add_row({{0, 1}, {0, 2}, {0, -1}}, 5);
  CHECK(value(repeated) == "5/2");
}

TEST_CASE("linear programs: degenerate, unbounded, infeasible") {
  // Beale's example, in which the simplex method can run in circles.
  CHECK(value(program({ratio(3, 4), -150, ratio(1, 50), -6}, {{ratio(1, 4), -60, ratio(-1, 25), 9, 0},
                                                              {ratio(1, 2), -90, ratio(-1, 50), 3, 0},
                                                              {0, 0, 1, 0, 1}})) == "1/20");
  // More rows through the maximum than unknowns.
  CHECK(value(program({1, 1}, {{1, 0, 1}, {0, 1, 1}, {1, 1, 2}, {2, 1, 3}, {1, 2, 3}})) == "2");
  CHECK(value(program({0, 0}, {{1, 1, 1}})) == "0");
  CHECK(value(program({1, 1}, {{1, -1, 1}})) == "none");
  CHECK(value(program({1, 1}, {{1, 1, -1}})) == "none");
  CHECK(value(program({1, 0}, {{1, 0, 1}, {-1, 0, -2}}, false)) == "none");
  CHECK(value(program({1, 1}, {})) == "none");
  CHECK(value({}) == "none");
  // Not in doubles.
  CHECK(value(program({1}, {{1, numeric::pow(Rational(10), 400)}})) == "none");
}

TEST_CASE("linear programs: a wrong proof is rejected") {
  const LinearProgram two = program({3, 2}, {{1, 3, 7}, {5, 1, 11}});
  const Rational half = ratio(1, 2);
  CHECK(proved_bound(two, {{0, half}, {1, half}}) == Rational(9));
  CHECK(proved_bound(two, {{1, 2}, {2, 7}}) == Rational(22));  // x = 11/5, y = 0 is not the maximum
  CHECK_FALSE(proved_bound(two, {{0, half}}));
  CHECK_FALSE(proved_bound(two, {{0, half}, {1, ratio(499'999'999'999, 1'000'000'000'000)}}));
  CHECK_FALSE(proved_bound(two, {}));
  // A negative factor that gives the objective.
  CHECK_FALSE(proved_bound(two, {{0, ratio(2, 3)}, {2, ratio(-7, 3)}}));
}

TEST_CASE("linear programs: random maxima are those of the best corner") {
  std::mt19937 random(7);
  const auto pick = [&](int low, int high) {
    return Rational(std::uniform_int_distribution<int>(low, high)(random));
  };
  int found = 0;
  for (int i = 0; i < 60; ++i) {
    std::vector<std::vector<Rational>> rows;
    for (int r = 0; r < 5; ++r) rows.push_back({pick(-4, 4), pick(-4, 4), pick(-4, 4), pick(-2, 9)});
    for (std::size_t j = 0; j < 3; ++j)
      for (const int sign : {1, -1}) {
        rows.push_back({0, 0, 0, ratio(20, 3)});
        rows.back()[j] = sign;
      }
    const std::vector<Rational> objective{pick(-5, 5), pick(-5, 5), pick(-5, 5)};
    std::optional<Rational> best;
    for (std::size_t a = 0; a < rows.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        for (std::size_t c = 0; c < b; ++c) {
          const auto x = corner({rows[a], rows[b], rows[c]});
          if (!x) continue;
          const auto at = [&](const std::vector<Rational>& factors) {
            return Rational(factors[0] * (*x)[0] + factors[1] * (*x)[1] + factors[2] * (*x)[2]);
          };
          if (std::all_of(rows.begin(), rows.end(), [&](const auto& row) { return at(row) <= row[3]; }))
            best = best ? std::max(*best, at(objective)) : at(objective);
        }
    CHECK(value(program(objective, rows, false)) == (best ? to_fraction(*best) : "none"));
    found += best ? 1 : 0;
  }
  CHECK(found >= 30);
}

TEST_CASE("linear programs: several threads at a time") {
  const LinearProgram two = program({3, 2}, {{1, 3, 7}, {5, 1, 11}});
  std::vector<int> right(4, 0);
  std::vector<std::thread> threads;
  for (int& count : right)
    threads.emplace_back([&two, &count] {
      for (int i = 0; i < 50; ++i)
        if (const auto maximum = proved_maximum(two); maximum && maximum->value == 9) ++count;
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(right == std::vector<int>(4, 50));
}
