#pragma once

#include <tailbound/core/quantity.hpp>
#include <tailbound/numeric/proved.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

/// A result of analysis or of a model compared with simulation, and the verdict; shared by all commands.
///
/// TESTS     tests/answers/comparison_test.cpp
namespace tailbound::answers {

/// A result of analysis or of a model: proved, a proved upper bound, computed without proof, or of a model
/// with unknown error.
/// Counts are integers, such as percentiles in slots.
template <class Unit>
using Predicted = std::variant<numeric::Exact<Unit>, numeric::Enclosure<Unit>, numeric::UpperBound<Unit>,
                               numeric::Approximation<Unit>, numeric::Model<Unit>, Count<Unit>>;

template <class Unit>
[[nodiscard]] Predicted<Unit> to_predicted(const numeric::Proved<Unit>& proved) {
  return std::visit([](const auto& truth) -> Predicted<Unit> { return truth; }, proved);
}
template <class Unit>
[[nodiscard]] Predicted<Unit> to_predicted(const numeric::Claim<Unit>& claim) {
  return std::visit([](const auto& truth) -> Predicted<Unit> { return truth; }, claim);
}

/// The range of a number in doubles; both ends are equal for a single number.
struct Span {
  double lower = 0, upper = 0;
};

template <class Unit>
[[nodiscard]] Span span_of(const numeric::Enclosure<Unit>& enclosure) {
  return {static_cast<double>(enclosure.lower()), static_cast<double>(enclosure.upper())};
}
/// The value of the bound; it may exceed the true value.
template <class Unit>
[[nodiscard]] Span span_of(const numeric::UpperBound<Unit>& bound) {
  return {static_cast<double>(bound.value), static_cast<double>(bound.value)};
}
template <class Unit>
[[nodiscard]] Span span_of(const numeric::Exact<Unit>& exact) {
  return span_of(numeric::enclose(exact, {128}));
}
template <class Unit>
[[nodiscard]] Span span_of(const numeric::Approximation<Unit>& approximation) {
  return {static_cast<double>(approximation.value), static_cast<double>(approximation.value)};
}
template <class Unit>
[[nodiscard]] Span span_of(const numeric::Model<Unit>& model) {
  return {model.value, model.value};
}
template <class Unit>
[[nodiscard]] Span span_of(Count<Unit> count) {
  return {static_cast<double>(count.value), static_cast<double>(count.value)};
}
template <class Unit>
[[nodiscard]] Span span_of(const Predicted<Unit>& predicted) {
  return std::visit([](const auto& number) { return span_of(number); }, predicted);
}

/// Position of the prediction relative to the simulation's interval.
enum class Verdict {
  inside,
  above,
  below,
  /// Not judged: the interval reaches down to 0, and its upper end cannot be trusted with so few occurrences,
  /// which come in clusters.
  too_rare,
  saturated,  ///< not judged: the model saturates where the simulation does not
};
[[nodiscard]] constexpr auto names_of(Verdict) {
  return std::array{"inside", "above", "below", "too rare", "saturated"};
}

/// The side on which a prediction is too favorable.
enum class UnsafeSide {
  below,  ///< latencies, delays, occupancies, their tails and percentiles
  above,  ///< throughputs, saturation loads
};

/// \param predicted  nothing if the model is saturated
/// \param simulated  ends of the interval; the upper one is infinite if unknown
/// \param count      for probabilities: number of occurrences
[[nodiscard]] Verdict verdict_of(const std::optional<Span>& predicted, const Span& simulated,
                                 const std::optional<std::uint64_t>& count = std::nullopt);

/// One quantity, predicted and simulated.
template <class Unit>
struct Comparison {
  std::optional<Predicted<Unit>> predicted;  ///< nothing if the model is saturated
  /// Its upper end is infinite if unknown.
  numeric::Estimate<Unit> simulated;
  std::optional<std::uint64_t> count{};  ///< for probabilities: number of occurrences
  UnsafeSide unsafe_side = UnsafeSide::below;

  [[nodiscard]] std::optional<Span> span() const {
    return predicted ? std::optional(span_of(*predicted)) : std::nullopt;
  }
  [[nodiscard]] Verdict verdict() const {
    return verdict_of(span(), {simulated.lower, simulated.upper}, count);
  }
  /// Is the prediction more favorable than the interval allows?
  [[nodiscard]] bool underestimates() const {
    return verdict() == (unsafe_side == UnsafeSide::below ? Verdict::below : Verdict::above);
  }
  /// Is it less favorable than the interval allows?
  [[nodiscard]] bool conservative() const {
    return verdict() == (unsafe_side == UnsafeSide::below ? Verdict::above : Verdict::below);
  }
  /// prediction / simulation - 1, for an enclosure with its upper end; nothing without a prediction, or if 0
  /// was simulated.
  [[nodiscard]] std::optional<double> error() const {
    if (!predicted || simulated.value == 0) return std::nullopt;
    return span()->upper / simulated.value - 1;
  }
  /// Does the interval overlap [prediction / factor, prediction * factor]?  \pre factor >= 1
  [[nodiscard]] bool within(double factor) const {
    const std::optional<Span> computed = span();
    return computed && simulated.lower <= computed->upper * factor &&
           simulated.upper >= computed->lower / factor;
  }
};

/// Where a prediction is that a simulation excludes beyond chance: farther from the interval's middle than
/// three times its half-width, from at least a hundred occurrences. Otherwise inside.
/// \param value  middle of the interval `simulated`
[[nodiscard]] Verdict beyond_chance(const Span& predicted, double value, const Span& simulated,
                                    const std::optional<std::uint64_t>& count = std::nullopt);

/// Is a proved prediction contradicted beyond chance (a bound only if it is too low)? Times are not judged:
/// percentiles of a few batches have intervals without width, and delays in slots say the same.
template <class Unit>
[[nodiscard]] bool refuted(const Comparison<Unit>& comparison) {
  if (std::is_same_v<Unit, unit::Time> || !comparison.predicted) return false;
  const numeric::Estimate<Unit>& simulated = comparison.simulated;
  const Verdict found = beyond_chance(*comparison.span(), simulated.value, {simulated.lower, simulated.upper},
                                      comparison.count);
  if (found == Verdict::inside) return false;
  return std::visit(
      [&]<class Number>(const Number& number) {
        if constexpr (requires { number.proof(); })
          return number.proof().assumptions().may_be_shown() &&
                 (found == Verdict::below || !std::is_same_v<Number, numeric::UpperBound<Unit>>);
        else
          return false;
      },
      *comparison.predicted);
}

/// \throws std::logic_error  always: a proved number that a simulation excludes is a mistake of this program
[[noreturn]] void report_refuted(const Span& proved, const Span& simulated);

/// Number of rows per verdict.
class Tally {
 public:
  /// \throws std::logic_error  a proved prediction is refuted by the simulation
  template <class Unit>
  void add(const Comparison<Unit>& comparison) {
    if (refuted(comparison))
      report_refuted(*comparison.span(), {comparison.simulated.lower, comparison.simulated.upper});
    const Verdict verdict = comparison.verdict();
    ++of_[static_cast<std::size_t>(verdict)];
    ++rows_;
    if (comparison.underestimates()) ++underestimates_;
    if (comparison.conservative()) ++conservative_;
  }

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t count(Verdict verdict) const { return of_[static_cast<std::size_t>(verdict)]; }
  [[nodiscard]] std::size_t underestimates() const { return underestimates_; }
  [[nodiscard]] std::size_t conservative() const { return conservative_; }
  /// Rows that are neither too rare nor saturated.
  [[nodiscard]] std::size_t judged() const {
    return count(Verdict::inside) + count(Verdict::above) + count(Verdict::below);
  }

 private:
  std::array<std::size_t, 5> of_{};  ///< [verdict]
  std::size_t rows_ = 0, underestimates_ = 0, conservative_ = 0;
};

/// Confidence of each of `intervals` intervals, such that all hold together with `of_all`.
[[nodiscard]] double confidence_of_each(std::size_t intervals, double of_all = 0.95);

}  // namespace tailbound::answers
