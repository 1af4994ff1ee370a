#pragma once

#include <tailbound/answers/comparison.hpp>
#include <tailbound/answers/simulation/delays/cross_check.hpp>
#include <tailbound/bounds/path/path_delay.hpp>

#include <array>
#include <functional>
#include <optional>
#include <variant>
#include <vector>

/// The delay of a flow in the form in which it is answered: proved, convolved or simulated.
///
/// MODEL     A simulated tail is known down to its anchor, the rarest level that the samples resolve to 40 %.
///           Beyond, P(D > t) = P(D > a) (C(t) / C(a))^g with the convolved tail C, where g makes both fall
///           equally over the last two decades before the anchor (1 if they do within the interval);
///           without a convolved tail that falls like the simulated one, P(D > t) falls at the rate of these
///           decades.
/// RESULT    down to the anchor estimates with intervals; beyond it numbers of a model ("extrapolated").
/// TESTS     tests/answers/delay/stated_delay_test.cpp
namespace tailbound::answers {

/// A number of any kind.
template <class Unit>
using Stated = std::variant<numeric::Approximation<Unit>, numeric::Exact<Unit>, numeric::Enclosure<Unit>,
                            numeric::UpperBound<Unit>, numeric::Model<Unit>, numeric::Estimate<Unit>>;

template <class Unit>
[[nodiscard]] Stated<Unit> stated(const numeric::Claim<Unit>& claim) {
  return std::visit([](const auto& number) -> Stated<Unit> { return number; }, claim);
}
/// Its value, of an enclosure or interval both ends.
template <class Unit>
[[nodiscard]] Span span_of(const Stated<Unit>& number) {
  return std::visit(
      []<class Number>(const Number& its) -> Span {
        if constexpr (std::is_same_v<Number, numeric::Estimate<Unit>>)
          return {its.value, its.value};
        else
          return span_of(its);
      },
      number);
}

using StatedSlotProbability = bounds::SlotProbabilityOf<Stated>;

/// How times are counted: in steps, one slot where all links have the same speed.
struct DelaySteps {
  std::int64_t per_slot = 1;
  std::int64_t per_tick = 1;  ///< in one of those of the model (QueueTraffic::ticks)

  [[nodiscard]] std::int64_t ticks_per_slot() const { return per_slot / per_tick; }
  [[nodiscard]] bool are_slots() const { return per_slot == 1; }
  /// From slots to steps, and from steps to ticks, down to whole ones.
  [[nodiscard]] std::vector<Slots> of_slots(std::vector<Slots> levels) const;
  [[nodiscard]] std::vector<Slots> in_ticks(std::vector<Slots> levels) const;
};

/// Times in steps.
struct StatedPercentile {
  numeric::Rational probability;  ///< p
  Slots slots;                    ///< smallest t with P(delay <= t) >= p
  StatedSlotProbability at;       ///< P(delay > t)
  /// P(delay > t - 1); empty if t is the minimum delay, or steps are not slots.
  std::vector<StatedSlotProbability> before;
  /// Ends of the interval of `slots`, of a simulated percentile; none: beyond what was simulated.
  std::optional<Slots> at_least{}, at_most{};
};

/// Times in steps, means in slots.
struct StatedDelay {
  std::vector<StatedSlotProbability> above;         ///< P(D > t), in the order of the query's levels
  std::vector<StatedPercentile> queueing, latency;  ///< of D, of T, in the order of the query
  Stated<unit::Slot> mean_queueing, mean_latency;
};
/// \param claims  in ticks
[[nodiscard]] StatedDelay stated(const bounds::ClaimedDelayAnswer& claims, const DelaySteps& steps = {});

/// What answers.
enum class DelayBy {
  best,        ///< the convolution where it is proved or agrees with the simulation, otherwise the latter
  analysis,    ///< the convolution, without a simulation
  simulation,  ///< the simulation, except for delays that are proved
};

/// How the numbers of a flow's delay are known.
enum class DelayKind {
  proved,     ///< exact, enclosed or bounded
  convolved,  ///< by the model of its hops
  simulated,  ///< by simulation of this network, extrapolated beyond its samples
};
[[nodiscard]] constexpr auto names_of(DelayKind) {
  return std::array{"proved", "convolved", "simulated"};
}

/// Where extrapolation begins.
struct DelayAnchor {
  Slots slots;                                         ///< a [steps]
  numeric::Estimate<unit::Probability> probability{};  ///< P(D > a)
  /// The power g by which the convolved tail falls; none: it is not used.
  std::optional<double> power{};
};

/// Convolved P(D > t) at some levels [steps]; none if it is not known so far.
using ConvolvedTail = std::function<std::optional<std::vector<double>>(const std::vector<Slots>&)>;

/// A simulated tail and its continuation.
class ExtendedTail {
 public:
  /// \param seen    with at least one packet;  outlives this, as does `convolved`
  /// \param shift   of the times of `seen` against those of `convolved` [steps]
  /// \param stride  of the steps at which `convolved` is read, at least 1; geometric in between
  ExtendedTail(const SeenTimes& seen, const ConvolvedTail& convolved, double shift, std::int64_t stride = 1);

  /// P(X > t), an Estimate or beyond the anchor a Model.
  [[nodiscard]] Stated<unit::Probability> above(double t);
  /// A percentile in steps, and the ends of its interval.
  struct Percentile {
    double t = 0;
    std::optional<double> at_least{}, at_most{};
  };
  /// The smallest t with P(X > t) <= exceeded.  \throws LimitExceeded  more than 10^9 steps
  [[nodiscard]] Percentile percentile(double exceeded);
  [[nodiscard]] DelayAnchor anchor() const;

 private:
  [[nodiscard]] double beyond(std::int64_t steps);
  /// Logarithm of the convolved tail that many strides after `from_`; none if unknown.
  [[nodiscard]] std::optional<double> log_convolved(std::int64_t strides);

  const SeenTimes& seen_;
  const ConvolvedTail& convolved_;
  double shift_;
  std::int64_t stride_;
  double from_ = 0;  ///< the anchor
  numeric::Estimate<unit::Probability> at_{};
  double decay_ = 1;  ///< of log P, per step
  std::optional<double> power_{};
  std::vector<double> logs_{};  ///< of the convolved tail, [strides after the anchor]
  bool ended_ = false;          ///< is no more of it known?
};

/// What is requested of the delays of a flow.
struct DelayLevels {
  std::vector<Slots> levels;  ///< [steps]
  std::vector<numeric::Rational> percentiles;
};

/// The simulated delays of a group of flows, or of all packets.
/// \pre the group has packets
[[nodiscard]] StatedDelay simulated_delay(const SimulatedDelays& simulated, std::optional<std::size_t> group,
                                          const DelayLevels& requested, const ConvolvedTail& convolved,
                                          DelayAnchor& anchor);

/// Mean and percentiles of the latency [ns] with a constant time added by each queue passed.
struct SimulatedTimes {
  numeric::Estimate<unit::Time> mean{};
  std::vector<numeric::Rational> percentiles;
};
/// \param percentiles  of the query; \param hop  [ns]; \param slot  [ns]
[[nodiscard]] SimulatedTimes simulated_latency_ns(const SimulatedDelays& simulated,
                                                  std::optional<std::size_t> group,
                                                  const std::vector<numeric::Rational>& percentiles,
                                                  const ConvolvedTail& convolved,
                                                  const numeric::Rational& slot,
                                                  const numeric::Rational& hop);

}  // namespace tailbound::answers
