#pragma once

#include <tailbound/queue/flows/flow_bounds.hpp>
#include <tailbound/queue/flows/periodic_flows.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

/// How much can flows queue at one port: never, in all but a share of time, or in all but a share of start-ups?
///
/// MODEL     queue/flows/flows.hpp
/// TESTS     tests/answers/guarantee/port_guarantee_test.cpp
namespace tailbound::answers {

/// Never more, whatever the flows do; they need not be independent.
struct Never {};
/// In all but this share of time, for flows that are independent of each other.
struct ShareOfTime {
  numeric::Rational target;  ///< above 0, below 1
};
/// In all but this share of start-ups, for periodic flows of one period: phases are drawn once.
struct ShareOfStarts {
  numeric::Rational target;  ///< above 0, below 1
};
using HowSure = std::variant<Never, ShareOfTime, ShareOfStarts>;

/// What is varied until a buffer is just enough.
enum class PortSolve { buffer, flows, rate };
[[nodiscard]] constexpr auto names_of(PortSolve) {
  return std::array{"buffer", "flows", "rate"};
}

struct PortGuaranteeQuestion {
  std::vector<queue::FlowGroup> flows;
  HowSure how_sure{};
  std::optional<std::int64_t>
      capacity{};  ///< of the port's buffer [packets], the one in transmission included
  /// flows: of `varied` the most of them; rate: the greatest rate of its first bucket, or the least period.
  PortSolve solve = PortSolve::buffer;
  std::size_t varied = 0;  ///< position in `flows`
  numeric::Digits digits{};
};

/// What is enough for flows as they are.
struct PortLevel {
  std::int64_t buffer = 0;  ///< enough [packets]
  /// P(Q > buffer), or the share of start-ups that ever have more; none for "never". An upper bound, where it is no more.
  std::optional<numeric::Claim<unit::Probability>> probability{};
  queue::FlowProof proof = queue::FlowProof::never;
  bool least = true;  ///< proved to be the least buffer that is enough
  /// Some such flows need so much: less is not enough for all.
  std::optional<std::int64_t> needed{};
  std::optional<queue::FlowWitness> witness{};
};

struct PortGuaranteeAnswer {
  std::vector<queue::FlowGroup> flows;  ///< as asked, or with what was found
  numeric::Rational load;               ///< [packets/slot]
  queue::NeverExceeded never;
  std::optional<PortLevel> level{};  ///< without a capacity, or of a solution
  /// With a capacity, P(Q > capacity): at most; at least for some such flows; the share of start-ups that ever have more.
  std::optional<numeric::UpperBound<unit::Probability>> most{};
  std::optional<numeric::LowerBound<unit::Probability>> witnessed{};
  std::optional<numeric::Proved<unit::Probability>> exact{};  ///< of periodic flows of one period
  std::optional<numeric::Claim<unit::Probability>> ever{};    ///< likewise
  /// solve = flows: the most flows; one more needs a larger buffer by this analysis.
  std::optional<std::int64_t> most_flows{};
  /// solve = rate: rounded down to 4 digits [packets/slot], or the least period [slots].
  std::optional<numeric::Rational> greatest_rate{};
  std::optional<std::int64_t> least_period{};
};

/// \throws InvalidArgument  as queue::check_flows(); start-ups of flows that are not periodic of one period
/// \throws Unstable         the flows offer 1 packet a slot or more
/// \throws NoAnswer         nothing fits the capacity
/// \throws LimitExceeded
[[nodiscard]] PortGuaranteeAnswer answer(const PortGuaranteeQuestion& question);

/// P(Q > level), level by level from 0, at most and at least for some such flows; for a picture.
struct FlowTails {
  std::vector<double> log10_most, log10_witnessed;
};
[[nodiscard]] FlowTails flow_tails(const std::vector<queue::FlowGroup>& flows, std::int64_t last_level,
                                   std::int64_t step);

}  // namespace tailbound::answers
