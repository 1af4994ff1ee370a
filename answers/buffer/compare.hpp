#pragma once

#include <tailbound/answers/agreed_digits.hpp>
#include <tailbound/answers/points/run.hpp>
#include <tailbound/queue/slotted/slotted_queue.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/// How many digits of another program's coefficients are right, and up to where?
///
/// MODEL     queue/slotted/slotted_queue.hpp
/// TESTS     tests/answers/buffer/compare_test.cpp
namespace tailbound::answers {

/// What the numbers of a list are.
enum class CoefficientsOf {
  occupancy,  ///< P(Q = n)
  tail,       ///< P(Q > n)
};
[[nodiscard]] constexpr auto names_of(CoefficientsOf) {
  return std::array{"occupancy", "tail"};
}

struct CompareQuestion {
  queue::SlottedQueue queue;
  series::CoefficientList list;
  CoefficientsOf of = CoefficientsOf::occupancy;
  queue::Arithmetic arithmetic = queue::Arithmetic::automatic;
  /// To compare with. By default 5 more than the most that are printed or required, at least 10, and at least 40 where
  /// there are fractions.
  std::optional<numeric::Digits> digits{};
  std::optional<int> required{};  ///< digits that have to agree, 1 .. 10 000; default: all that are written
};

/// Reads CompareQuestion::list as Maple, PARI/GP or Giac print it, or one number a line
/// (series/files/coefficient_list.hpp).
/// \param name  of the file, for messages
/// \throws ParseError, LimitExceeded;  InvalidArgument  Maple's two-dimensional print
[[nodiscard]] series::CoefficientList parse_coefficients(const std::string& text, const std::string& name);

/// A number of the list beside its true value.
struct ComparedCoefficient {
  numeric::Proved<unit::Probability> expected;
  int agreed_digits;
  bool agrees;  ///< in the digits required, or within one unit of its last place
  bool right;   ///< within one unit of its last place: as far as it is written
};

/// What a disagreement most likely comes from.
enum class DisagreementCause {
  left_out,      ///< the series leaves this power out, which says 0
  last_digits,   ///< the program rounded its own last places
  cancellation,  ///< an absolute error of the size of the rounding near 1, in which the tail is lost
  not_rounding,  ///< other traffic, another first level, or the other kind of numbers
};

struct Disagreement {
  std::size_t at;           ///< place in the list
  numeric::Rational error;  ///< greatest distance of that number from its true value
  DisagreementCause cause;
};

/// Up to where so many digits agree, or a number is right as far as it is written.
struct DigitsUpTo {
  int digits;
  std::optional<std::size_t> last;  ///< place in the list; empty where already the first number has fewer
};

struct CompareAnswer {
  static constexpr bool stored = true;            ///< as bytes, for parts and ranks (points/stored.hpp)
  numeric::Digits digits;                         ///< of the enclosures compared with
  std::vector<ComparedCoefficient> coefficients;  ///< as in the list, at least one
  int printed_digits = 0;             ///< most that a number shows, of doubles 16; 0: all are exact
  std::size_t fewest = 0;             ///< place of the fewest agreed digits, the first of them
  std::optional<Disagreement> first;  ///< where one does not agree
  std::vector<DigitsUpTo> profile;    ///< of falling digits, until all numbers have them
};

/// The last index of a list of P(Q = n); all levels up to it are computed.
inline constexpr std::int64_t deepest_compared_occupancy = 1'000'000;

/// COST  that of the tails or probabilities
/// \throws InvalidArgument  digits or required out of range
/// \throws Unstable         the queue has no stationary distribution
/// \throws LimitExceeded    P(Q = n) beyond deepest_compared_occupancy; what the arithmetic cannot reach
[[nodiscard]] CompareAnswer answer(const CompareQuestion& question, const Run& run = {});

}  // namespace tailbound::answers
