#pragma once

#include <tailbound/numeric/rational.hpp>

#include <cstddef>
#include <vector>

/// A formula in one variable z as a list of steps, independent of any algebra system, so that the series
/// module can expand it over any number type.
namespace tailbound::symbolic {

/// Straight-line program. Step i may use only earlier steps; the last step is the value.
struct Program {
  enum class Operation {
    constant,     ///< `constant`
    variable,     ///< z
    add,          ///< left + right
    multiply,     ///< left * right
    power,        ///< left ^ exponent, any integer exponent
    exponential,  ///< exp(left)
  };

  struct Step {
    Operation operation = Operation::constant;
    std::size_t left = 0, right = 0;
    long exponent = 0;
    numeric::Rational constant = 0;
  };

  std::vector<Step> steps;
};

}  // namespace tailbound::symbolic
