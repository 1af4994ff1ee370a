#pragma once

#include <tailbound/queue/flows/flow_bounds.hpp>
#include <tailbound/queue/flows/periodic_flows.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <variant>
#include <vector>

/// Backlog of flows at one port: never exceeded, exceeded for at most a fraction of time, or in at most a
/// fraction of start-ups.
///
/// MODEL     queue/flows/flows.hpp
/// TESTS     tests/answers/guarantee/port_guarantee_test.cpp
namespace tailbound::answers {

/// Never exceeded, for arbitrary behavior of the flows, also if they are dependent.
struct Never {};
/// Exceeded for at most this fraction of time, for independent flows.
struct ShareOfTime {
  numeric::Rational target;  ///< above 0, below 1
};
/// Exceeded in at most this fraction of start-ups, for periodic flows of equal period with phases drawn once.
struct ShareOfStarts {
  numeric::Rational target;  ///< above 0, below 1
};
using Assurance = std::variant<Never, ShareOfTime, ShareOfStarts>;

/// The parameter to solve for, so that the buffer just suffices.
enum class PortSolve { buffer, flows, rate };
[[nodiscard]] constexpr auto names_of(PortSolve) {
  return std::array{"buffer", "flows", "rate"};
}

struct PortGuaranteeQuery {
  std::vector<queue::FlowGroup> flows;
  Assurance assurance{};
  std::optional<std::int64_t>
      capacity{};  ///< of the port's buffer [packets], including the one in transmission
  /// flows: maximum number of `varied`; rate: maximum rate of its first bucket up to the peak rate, or
  /// minimum period.
  PortSolve solve = PortSolve::buffer;
  std::size_t varied = 0;  ///< position in `flows`
  numeric::Digits digits{};
};

/// Results for the flows as they are.
struct PortLevel {
  std::int64_t buffer = 0;  ///< sufficient [packets]
  /// P(Q > buffer), or the fraction of start-ups that ever exceed it; none for "never". May be an upper
  /// bound.
  std::optional<numeric::Claim<unit::Probability>> probability{};
  queue::FlowProof proof = queue::FlowProof::never;
  bool minimum = true;  ///< proved to be the minimum sufficient buffer
  /// Some flows of this description need this much: less does not suffice for all.
  std::optional<std::int64_t> needed{};
  std::optional<queue::FlowPattern> pattern{};
};

struct PortGuaranteeAnswer {
  std::vector<queue::FlowGroup> flows;  ///< as given, or with the solution
  numeric::Rational load;               ///< [packets/slot]
  queue::NeverExceeded never;
  std::optional<PortLevel> level{};  ///< without a capacity, or for a solution
  /// With a capacity: upper bound of P(Q > capacity); lower bound for some such flows; fraction of start-ups
  /// that ever exceed it.
  std::optional<numeric::UpperBound<unit::Probability>> maximum{};
  std::optional<numeric::LowerBound<unit::Probability>> witnessed{};
  std::optional<numeric::Proved<unit::Probability>> exact{};  ///< of periodic flows of one period
  std::optional<numeric::Claim<unit::Probability>> ever{};    ///< for periodic flows of equal period
  /// solve = flows: maximum number of flows; one more needs a larger buffer by this analysis.
  std::optional<std::int64_t> max_flows{};
  /// solve = rate: rounded down to 4 digits [packets/slot], or the minimum period [slots].
  std::optional<numeric::Rational> max_rate{};
  std::optional<std::int64_t> min_period{};
};

/// \throws InvalidArgument  as queue::check_flows(); start-ups of flows that are not periodic with equal
///                          period
/// \throws Unstable         the flows offer more than 1 packet per slot
/// \throws NoAnswer         nothing fits the capacity; the flows offer exactly 1 packet per slot
/// \throws LimitExceeded
[[nodiscard]] PortGuaranteeAnswer answer(const PortGuaranteeQuery& query);

/// Is the rate of the first bucket above that of another one, a peak rate? Then it changes nothing.
[[nodiscard]] bool is_above_peak(const queue::FlowGroup& group);

/// log10 of P(Q > level): upper bound for all such flows, and lower bound for some; for a plot.
struct FlowTail {
  double log10_max = 0, log10_witnessed = 0;
};
[[nodiscard]] std::function<FlowTail(std::int64_t level)> flow_tail(
    const std::vector<queue::FlowGroup>& flows);

}  // namespace tailbound::answers
