#pragma once

#include <tailbound/core/quantity.hpp>
#include <tailbound/numeric/proved.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

/// A number by analysis or by a model beside its simulation, and the verdict: one for all families.
///
/// TESTS     tests/answers/comparison_test.cpp
namespace tailbound::answers {

/// What analysis or a model says: proved, a proved upper bound, computed without a proof, or of a model whose error is
/// not known.
/// Counts are whole numbers, such as percentiles in slots.
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

/// Between which doubles a number lies; both are the same where no more is known than one number.
struct Span {
  double lower = 0, upper = 0;
};

template <class Unit>
[[nodiscard]] Span span_of(const numeric::Enclosure<Unit>& enclosure) {
  return {static_cast<double>(enclosure.lower()), static_cast<double>(enclosure.upper())};
}
/// Where the bound is: to be above the truth is what it promises.
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

/// Where the prediction lies, seen from the simulation's interval.
enum class Verdict {
  inside,
  above,
  below,
  /// Not judged: the interval reaches down to 0, and from so few occurrences its upper end cannot be trusted
  /// either; they come in clusters.
  too_rare,
  saturated,  ///< not judged: the model has no answer where the simulation has one
};

/// On which side a prediction promises more than there is.
enum class Optimistic {
  below,  ///< latencies, delays, occupancies, their tails and percentiles
  above,  ///< throughputs, saturation loads
};

/// \param predicted  nothing where the model is saturated
/// \param simulated  ends of the interval; the upper one is infinite where nothing is known of it
/// \param count      of probabilities: how often it was seen
[[nodiscard]] Verdict verdict_of(const std::optional<Span>& predicted, const Span& simulated,
                                 const std::optional<std::uint64_t>& count = std::nullopt);

/// One quantity both ways.
template <class Unit>
struct Comparison {
  std::optional<Predicted<Unit>> predicted;  ///< nothing where the model is saturated
  /// Its upper end is infinite where nothing is known of it.
  numeric::Estimate<Unit> simulated;
  std::optional<std::uint64_t> count{};  ///< of probabilities: how often it was seen
  Optimistic optimistic_side = Optimistic::below;

  [[nodiscard]] std::optional<Span> span() const {
    return predicted ? std::optional(span_of(*predicted)) : std::nullopt;
  }
  [[nodiscard]] Verdict verdict() const {
    return verdict_of(span(), {simulated.lower, simulated.upper}, count);
  }
  /// Does the prediction promise more than the interval allows?
  [[nodiscard]] bool optimistic() const {
    return verdict() == (optimistic_side == Optimistic::below ? Verdict::below : Verdict::above);
  }
  /// Does it promise less than the interval allows?
  [[nodiscard]] bool conservative() const {
    return verdict() == (optimistic_side == Optimistic::below ? Verdict::above : Verdict::below);
  }
  /// prediction / simulation - 1, of an enclosure by its upper end; nothing where there is no prediction, or
  /// 0 was simulated.
  [[nodiscard]] std::optional<double> error() const {
    if (!predicted || simulated.value == 0) return std::nullopt;
    return span()->upper / simulated.value - 1;
  }
  /// Does the interval reach into [prediction / factor, prediction * factor]?  \pre factor >= 1
  [[nodiscard]] bool within(double factor) const {
    const std::optional<Span> said = span();
    return said && simulated.lower <= said->upper * factor && simulated.upper >= said->lower / factor;
  }
};

/// How often each verdict was given.
class Tally {
 public:
  template <class Unit>
  void add(const Comparison<Unit>& comparison) {
    const Verdict verdict = comparison.verdict();
    ++of_[static_cast<std::size_t>(verdict)];
    ++rows_;
    if (comparison.optimistic()) ++optimistic_;
    if (comparison.conservative()) ++conservative_;
  }

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t count(Verdict verdict) const { return of_[static_cast<std::size_t>(verdict)]; }
  [[nodiscard]] std::size_t optimistic() const { return optimistic_; }
  [[nodiscard]] std::size_t conservative() const { return conservative_; }
  /// Rows that were neither too rare nor saturated.
  [[nodiscard]] std::size_t judged() const {
    return count(Verdict::inside) + count(Verdict::above) + count(Verdict::below);
  }

 private:
  std::array<std::size_t, 5> of_{};  ///< [verdict]
  std::size_t rows_ = 0, optimistic_ = 0, conservative_ = 0;
};

/// Of each of so many intervals, so that all of them hold together with `of_all`.
[[nodiscard]] double confidence_of_each(std::size_t intervals, double of_all = 0.95);

}  // namespace tailbound::answers
