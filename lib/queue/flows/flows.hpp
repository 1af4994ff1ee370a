#pragma once

#include <tailbound/numeric/rational.hpp>
#include <tailbound/traffic/token_bucket.hpp>

#include <cstdint>
#include <vector>

/// Independent flows that meet at one port.
///
/// MODEL     Slots; the port serves one packet a slot: Q[t] = max(Q[t-1] - 1, 0) + A[t], just after the arrivals of slot t.
///           Flows are independent of each other, and seen at a random time. Of a flow nothing is known but its kind.
/// SOURCE    docs/derivations/policed_traffic.md, section 2
/// TESTS     tests/queue/flows/flows_test.cpp
namespace tailbound::queue {

enum class FlowKind {
  periodic,   ///< a batch every `period` slots, its phase uniform
  sporadic,   ///< batches at least `period` slots apart, nothing else
  regulated,  ///< whatever passes all of `buckets`
};

/// Flows that are alike.
struct FlowGroup {
  static constexpr std::int64_t most_flows = 1'000'000, longest_period = 1'000'000'000,
                                largest_batch = 1'000'000;
  FlowKind kind = FlowKind::periodic;
  std::int64_t count = 1;                       ///< N: flows, above 0
  std::int64_t period = 0;                      ///< T [slots], above 0; of regulated flows 0
  std::int64_t batch = 1;                       ///< s: packets at a time; of regulated flows 1
  std::vector<traffic::TokenBucket> buckets{};  ///< of regulated flows; a peak is a bucket more
  friend bool operator==(const FlowGroup&, const FlowGroup&) = default;
};

/// \throws InvalidArgument  no group, or a group out of range
void check_flows(const std::vector<FlowGroup>& groups);

/// The load that the flows can offer for ever [packets/slot]: of regulated ones what their buckets really let through; the
/// least of their rates where the greedy source repeats itself after too many slots only.
/// \throws InvalidArgument  as check_flows()
[[nodiscard]] numeric::Rational load(const std::vector<FlowGroup>& groups);

/// \throws InvalidArgument  as check_flows()  \throws Unstable  load >= 1
void require_stable(const std::vector<FlowGroup>& groups);

}  // namespace tailbound::queue
