#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Names of many nodes in compact form, and links between them as formulas.
///
/// MODEL     docs/networks.md describes both for users of network files. Texts come from files, so sizes are
///           checked before any memory is allocated.
/// TESTS     tests/network/demands/demands_test.cpp, tests/fuzz/fuzz_fabric.cpp
/// Internal to the network module.
namespace tailbound::network {

/// "h[0..7], edge[0..3]_[0..1]": h0, .. h7, edge0_0, edge0_1, edge1_0, ...; the last range changes fastest.
/// \param maximum  maximum number of names
/// \throws InvalidArgument  "the list of names": not of that form, a descending range or more than `maximum`
///                          names
[[nodiscard]] std::vector<std::string> expand_names(std::string_view text, std::size_t maximum);

/// A whole-number formula of variables: sums, differences, products, quotients and remainders, brackets.
/// Quotients are rounded down and remainders are not negative, so (i-1)%8 is 7 for i = 0.
class WholeFormula {
 public:
  /// \param variables  one letter or word each, in the order of their values
  /// \throws InvalidArgument  "the formula": not a formula, or an unknown variable
  WholeFormula(std::string_view text, std::span<const std::string> variables);

  /// \throws InvalidArgument  "the formula": a division by 0 or below, or an intermediate number beyond
  ///                          +-10^15
  [[nodiscard]] std::int64_t of(std::span<const std::int64_t> values) const;

 private:
  friend class FormulaReader;
  struct Step {
    enum class Kind { number, variable, plus, minus, times, over, modulo, negative } kind;
    std::int64_t number = 0;  ///< or the position of a variable
  };
  std::string text_;
  std::vector<Step> steps_;  ///< in the order of a stack machine
};

/// A name with formulas in brackets: "edge[i/4]_[i%4]".
class NamePattern {
 public:
  /// \throws InvalidArgument  brackets that do not match, or as WholeFormula
  NamePattern(std::string_view text, std::span<const std::string> variables);

  /// \throws InvalidArgument  as WholeFormula
  [[nodiscard]] std::string of(std::span<const std::int64_t> values) const;

 private:
  std::vector<std::string> between_;  ///< one more than formulas
  std::vector<WholeFormula> formulas_;
};

/// "i = 0..7, j = i+1..7": all values of all variables, the last changing fastest. Bounds may depend on
/// earlier variables; a range with its end below its start is empty.
class Ranges {
 public:
  /// \throws InvalidArgument  "the list of ranges": not of that form, more than 8, or as WholeFormula
  explicit Ranges(std::string_view text);

  [[nodiscard]] const std::vector<std::string>& variables() const { return variables_; }

  /// Calls `take` for all values; returns the number of steps.
  /// \param maximum  number of steps over all ranges
  /// \throws InvalidArgument  "the list of ranges": more than that
  template <class Take>
  std::size_t for_each(std::size_t maximum, Take take) const {
    std::vector<std::int64_t> values;
    std::size_t steps = 0;
    walk(values, steps, maximum, take);
    return steps;
  }

 private:
  template <class Take>
  void walk(std::vector<std::int64_t>& values, std::size_t& steps, std::size_t maximum, Take& take) const {
    const std::size_t depth = values.size();
    if (depth == variables_.size()) return take(std::span<const std::int64_t>(values));
    const std::int64_t last = bounds_[2 * depth + 1].of(values);
    for (std::int64_t value = bounds_[2 * depth].of(values); value <= last; ++value) {
      if (++steps > maximum) too_many(maximum);
      values.push_back(value);
      walk(values, steps, maximum, take);
      values.pop_back();
    }
  }
  [[noreturn]] static void too_many(std::size_t maximum);

  std::vector<std::string> variables_;
  std::vector<WholeFormula> bounds_;  ///< two bounds for each variable
};

}  // namespace tailbound::network
