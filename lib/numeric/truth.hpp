#pragma once

#include <tailbound/core/error.hpp>
#include <tailbound/numeric/proof.hpp>
#include <tailbound/numeric/real.hpp>

#include <utility>

/// The kind of a number as its type. Guarantees of each kind: docs/contract.md. `Unit` is a tag of
/// core/quantity.hpp. The kinds do not convert into one another silently, and the proved ones are made with a
/// Proof only.
namespace tailbound::numeric {

/// A closed interval [lower, upper] that contains the true value; both ends rounded outward.
template <class Unit>
class Enclosure {
 public:
  /// \throws InvalidArgument  lower > upper, or an end is not a number
  Enclosure(Proof proof, Real lower, Real upper)
      : lower_(std::move(lower)), upper_(std::move(upper)), proof_(proof) {
    if (!(lower_ <= upper_))
      throw InvalidArgument("enclosure", "[" + lower_.str(17) + ", " + upper_.str(17) + "]",
                            "an interval with lower <= upper");
  }
  Enclosure(Proof proof, const Interval& interval)
      : Enclosure(proof, numeric::lower(interval), numeric::upper(interval)) {}

  [[nodiscard]] const Real& lower() const noexcept { return lower_; }
  [[nodiscard]] const Real& upper() const noexcept { return upper_; }
  [[nodiscard]] Proof proof() const noexcept { return proof_; }

  /// Upper bound of (upper - lower) / min |value|.
  [[nodiscard]] double relative_width() const { return numeric::relative_width(lower_, upper_); }

  [[nodiscard]] bool contains(const Rational& value) const {
    return to_rational(lower_) <= value && value <= to_rational(upper_);
  }

 private:
  Real lower_, upper_;
  Proof proof_;
};

/// A proved number that is a single value.
template <class Unit, class Number>
class ProvedValue {
 public:
  ProvedValue(Proof proof, Number number) : value(std::move(number)), proof_(proof) {}

  [[nodiscard]] Proof proof() const noexcept { return proof_; }

  Number value;

 private:
  Proof proof_;
};

/// The true value itself, a rational number.
template <class Unit>
struct Exact : ProvedValue<Unit, Rational> {
  using ProvedValue<Unit, Rational>::ProvedValue;
};

/// The true value is at most this.
template <class Unit>
struct UpperBound : ProvedValue<Unit, Real> {
  using ProvedValue<Unit, Real>::ProvedValue;
};

/// The true value is at least this.
template <class Unit>
struct LowerBound : ProvedValue<Unit, Real> {
  using ProvedValue<Unit, Real>::ProvedValue;
};

/// The ratio to the true value tends to 1 in the limit that the function's contract names; no guarantee at a
/// finite point.
template <class Unit>
struct Asymptote {
  double value;
};

/// Computed without a proof: two computations of different depth agree to `digits` digits.
template <class Unit>
struct Approximation {
  Real value;
  int agreed_digits = 0;
};

/// The result of an approximate model: its arithmetic has converged; its error relative to the real system is
/// not proved.
template <class Unit>
struct Model {
  double value;
};

/// A statistical estimate with a confidence interval.
template <class Unit>
struct Estimate {
  double value;
  double lower, upper;       ///< ends of the confidence interval
  double confidence = 0.95;  ///< coverage of [lower, upper], 0 to 1
};

/// `exact` as the narrowest enclosure with Reals of `precision`.
template <class Unit>
[[nodiscard]] Enclosure<Unit> enclose(const Exact<Unit>& exact, Precision precision) {
  const PrecisionScope scope(precision);
  return Enclosure<Unit>(exact.proof(), to_real(exact.value, Rounding::down),
                         to_real(exact.value, Rounding::up));
}

}  // namespace tailbound::numeric
