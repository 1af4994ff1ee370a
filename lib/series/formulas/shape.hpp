#pragma once

#include <tailbound/numeric/real.hpp>
#include <tailbound/symbolic/program.hpp>

#include <optional>
#include <vector>

/// What the steps of a formula say about its coefficients, without computing these.
///
/// TESTS     tests/series/pgf_check_test.cpp
namespace tailbound::series {

/// Properties of a step's series that follow from the steps alone.
struct Shape {
  std::optional<numeric::Interval> constant;  ///< c_0, if an interval contains it
  bool rest_up = false, rest_down = false;    ///< c_1, c_2, ... all >= 0, all <= 0
  bool rational = true;                       ///< no exp of a formula in z
  bool irrational_constant = false;           ///< exp of a constant
  double top = 0, bottom = 0;                 ///< maximum degrees of numerator and denominator

  [[nodiscard]] bool is_polynomial() const { return bottom == 0 && rational; }
  [[nodiscard]] bool is_constant() const { return top == 0 && bottom == 0 && rational; }
  [[nodiscard]] bool non_negative() const { return rest_up && constant && numeric::lower(*constant) >= 0; }
  [[nodiscard]] bool positive_minus() const { return rest_down && constant && numeric::lower(*constant) > 0; }
};

/// Of each step, with the precision in force.
[[nodiscard]] std::vector<Shape> shapes_of(const symbolic::Program& program);

/// Whether the series of the formula, computed as it is written, never subtracts and multiplies no two long
/// series: enclosures then keep their digits at little cost. Not so for 1/(6-7*z+2*z^2), or exp of a
/// quotient.
[[nodiscard]] bool is_plain(const symbolic::Program& program);

}  // namespace tailbound::series
