#pragma once

#include <tailbound/numeric/rational.hpp>
#include <tailbound/traffic/token_bucket.hpp>

#include <cstdint>
#include <vector>

/// Independent flows that meet at one port.
///
/// MODEL     Slots; the port serves one packet per slot: Q[t] = max(Q[t-1] - 1, 0) + A[t], just after the
///           arrivals of slot t. Flows are independent of each other, and observed at a random time. Only the
///           kind of a flow is known.
/// SOURCE    docs/derivations/policed_traffic.md, section 2
/// TESTS     tests/queue/flows/flows_test.cpp
namespace tailbound::queue {

enum class FlowKind {
  periodic,   ///< a batch every `period` slots, its phase uniform
  sporadic,   ///< batches at least `period` slots apart
  regulated,  ///< any traffic that conforms to all of `buckets`
};

/// Identical flows.
struct FlowGroup {
  static constexpr std::int64_t max_flows = 1'000'000, longest_period = 1'000'000'000,
                                largest_batch = 1'000'000;
  FlowKind kind = FlowKind::periodic;
  std::int64_t count = 1;                       ///< N: flows, above 0
  std::int64_t period = 0;                      ///< T [slots], above 0; 0 for regulated flows
  std::int64_t batch = 1;                       ///< s: packets per batch; 1 for regulated flows
  std::vector<traffic::TokenBucket> buckets{};  ///< of regulated flows; a peak rate is another bucket
  friend bool operator==(const FlowGroup&, const FlowGroup&) = default;
};

/// \throws InvalidArgument  no group, or a group out of range
void check_flows(const std::vector<FlowGroup>& groups);

/// The load that the flows can sustain [packets/slot]. Regulated flows: the rate that their buckets let
/// through.
/// \throws InvalidArgument  as check_flows()
[[nodiscard]] numeric::Rational load(const std::vector<FlowGroup>& groups);

/// \throws InvalidArgument  as check_flows()  \throws Unstable  load >= 1
void require_stable(const std::vector<FlowGroup>& groups);

}  // namespace tailbound::queue
