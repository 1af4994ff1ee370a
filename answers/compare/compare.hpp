#pragma once

#include <tailbound/answers/compare/diagnosis.hpp>
#include <tailbound/answers/compare/reading.hpp>
#include <tailbound/answers/points/run.hpp>
#include <tailbound/queue/slotted/slotted_queue.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/// Number of correct digits of another program's coefficients, by index.
///
/// MODEL     queue/slotted/slotted_queue.hpp
/// TESTS     tests/answers/compare/compare_test.cpp
namespace tailbound::answers {

struct CompareQuery {
  queue::SlottedQueue queue;
  series::CoefficientList list;
  Reading reading{};
  queue::Arithmetic arithmetic = queue::Arithmetic::automatic;
  /// Digits of the reference values (default: 5 more than the maximum printed or required, at least 10, and
  /// at least 40 if there are fractions, and 5 more than a fraction has in numerator and denominator: such a
  /// fraction can differ from the truth only within these).
  std::optional<numeric::Digits> digits{};
  std::optional<int> required{};  ///< digits that must agree, 1 .. 10 000; default: all printed digits
};

/// Reads CompareQuery::list as printed by Maple, PARI/GP or Giac, or one number per line
/// (series/files/coefficient_list.hpp).
/// \param name  of the file, for messages
/// \throws ParseError, LimitExceeded;  InvalidArgument  Maple's two-dimensional print
[[nodiscard]] series::CoefficientList parse_coefficients(const std::string& text, const std::string& name);

/// A number of the list with its true value.
struct ComparedCoefficient {
  numeric::Proved<unit::Probability> expected;  ///< the probability
  TrueValue value;                              ///< the same in the unit of the list
  int agreed_digits;
  bool agrees;  ///< in the required digits, or correct as printed
  bool right;   ///< correct as printed (answers::agrees())
};

struct Disagreement {
  std::size_t at;           ///< index in the list
  numeric::Rational error;  ///< maximum distance of that number from its true value
  Diagnosis diagnosis;
};

/// The last index up to which the given number of digits agrees, or a number is correct as printed.
struct DigitsUpTo {
  int digits;
  std::optional<std::size_t> last;  ///< index in the list; empty if the first number already has fewer
};

struct CompareAnswer {
  static constexpr bool stored = true;            ///< as bytes, for parts and ranks (points/stored.hpp)
  numeric::Digits digits;                         ///< of the reference enclosures
  std::vector<ComparedCoefficient> coefficients;  ///< as in the list; at least one
  int printed_digits = 0;             ///< maximum printed digits, 16 for doubles; 0: all are exact
  std::size_t fewest = 0;             ///< index of the fewest agreed digits, the first of them
  std::optional<Disagreement> first;  ///< if one does not agree
  std::optional<OtherReading> other;  ///< in which it agrees better
  std::vector<DigitsUpTo> profile;    ///< in order of decreasing digits, until all numbers have them
};

/// COST  that of the tails or probabilities
/// \throws InvalidArgument  digits or required out of range
/// \throws Unstable         the queue has no stationary distribution
/// \throws LimitExceeded    P(Q = n) beyond deepest_compared_occupancy; what the arithmetic cannot reach
[[nodiscard]] CompareAnswer answer(const CompareQuery& query, const Run& run = {});

}  // namespace tailbound::answers
