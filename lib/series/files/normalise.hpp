#pragma once

#include <tailbound/numeric/rational.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

/// Probabilities as files have them: the sum of a distribution that was rounded when it was printed. Shared
/// by
/// all readers of probabilities.
///
/// TESTS     tests/series/pmf_file_test.cpp, tests/queue/arrivals/blocks_file_test.cpp,
///           tests/queue/priority/joint_file_test.cpp
namespace tailbound::series {

/// What to do with probabilities whose exact sum is not 1.
enum class Normalise {
  no,        ///< reject them; the error gives the sum
  rounding,  ///< divide each by the sum where that is within the rounding of what is printed (WrittenSum)
  yes,       ///< divide each by the sum
};

/// How numbers are written: the fewest digits of a float have at most 9 of them.
class WrittenKind {
 public:
  void add(const numeric::Rational& value, int digits);
  /// Are they printed floats (24 bits)? So if all numbers of 8 or 9 digits are, at least three of them, and
  /// none is longer.
  [[nodiscard]] bool floats() const { return long_ones_ >= 3 && long_ones_ == floats_ && !longer_; }

 private:
  std::size_t long_ones_ = 0, floats_ = 0;
  bool longer_ = false;
};

/// The sum of one distribution, and by how much rounding may have changed it: one unit in the last place of
/// each decimal, plus 2^-52 (the rounding of an addition) for those with the digits of doubles, at most 1e-9;
/// for floats 2^-23 each, at most 1e-6.
class WrittenSum {
 public:
  /// \param unit    one unit in its last place; 0 for fractions and whole numbers
  /// \param digits  of its precision
  void add(const numeric::Rational& value, const numeric::Rational& unit, int digits);
  /// The same for a number as written: "0.25", "2.5e-1", "1/4".
  void add(const numeric::Rational& value, std::string_view text);

  [[nodiscard]] const numeric::Rational& sum() const { return sum_; }
  /// Is the sum 1, or may the probabilities be divided by it?  \pre the sum is not 0 if not 1
  [[nodiscard]] bool accepted(Normalise normalise, bool floats) const;
  /// "the probabilities sum to 0.99, which is 0.01 below 1; they must .."
  [[nodiscard]] std::string complaint(Normalise normalise) const;

 private:
  numeric::Rational sum_ = 0, units_ = 0;
  long doubles_ = 0, all_ = 0;
};

}  // namespace tailbound::series
