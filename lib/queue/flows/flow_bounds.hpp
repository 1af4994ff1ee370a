#pragma once

#include <tailbound/queue/flows/flows.hpp>
#include <tailbound/queue/flows/never_exceeded.hpp>
#include <tailbound/queue/slotted/slotted_queue.hpp>

#include <cstdint>
#include <memory>
#include <vector>

/// Independent flows of several kinds: upper bounds of their queue, and example traffic with lower bounds
/// that show how tight they are.
///
/// MODEL     as queue/flows/flows.hpp; S_m packets of the last m + 1 slots
/// RESULT    Upper bound, the smallest of
///             periodic of one period: exact (queue/flows/periodic_flows.hpp)
///             periodic: P(Q > q) <= sum_m P(S_m = q + 1 + m, no packet in the slot before), laws of S_m
///             exact
///             any: P(Q > q) <= sum_k P(S_{m_k} >= q + 2 + m_{k-1}) over any windows -1 = m_0 < m_1 < ..; for
///             sporadic flows with the distribution of periodic ones, which is stochastically larger; for
///             regulated ones
///             P(S >= x) <= min over a < x of E(S* - a)^+/(x - a), S* the sum of numbers L or U of mean r n,
///             n = m + 1, L = max(0, r n - b), U = alpha(m): above the packets of a flow in the increasing
///             convex order. Steps m_k - m_{k-1} of 1, 2, 4, .. are tried (a step costs that many packets);
///             longer ones where few packets arrive.
///           Lower bound, from example traffic: the same flows as periodic ones, which send all they may at
///             once (with a peak rate: as the greedy source does) and wait until their buckets are full
///             again.
///             Exact where they send at once and have one period, otherwise P(Q > q) >= max_m P(S_m >= q + 1
///             + m).
///           A flow whose buckets hold one packet is sporadic.
/// CONTRACT  bounds rounded outward
/// SOURCE    docs/derivations/policed_traffic.md, section 2
/// TESTS     tests/queue/flows/flow_bounds_test.cpp
namespace tailbound::queue {

/// How a level is proved sufficient.
enum class FlowProof {
  never,    ///< no arrival pattern ever exceeds it
  exact,    ///< periodic flows of one period
  periods,  ///< periodic flows, sum over all windows
  windows,  ///< sum over selected windows
};

/// Example traffic that the flows may send.
struct FlowPattern {
  std::vector<FlowGroup> flows;  ///< periodic; `batch` is the number of packets per period
  /// For each group, the packets of a flow slot by slot from the start of its period: {batch} where all come
  /// at once.
  std::vector<std::vector<std::int64_t>> sent;
  bool exact = false;  ///< one period, all at once: its tail is exact, not only a lower bound
};

struct FlowLevel {
  std::int64_t level = 0;  ///< P(Q > level) <= target for all flows of these kinds
  numeric::UpperBound<unit::Probability> probability;
  FlowProof proof = FlowProof::never;
  /// P(Q > needed - 1) > target for `pattern`, so no lower level suffices for all such flows. 0: level 0 may
  /// suffice.
  std::int64_t needed = 0;
  numeric::LowerBound<unit::Probability>
      pattern_probability;  ///< P(Q > needed - 1) of that traffic; 1 if needed is 0
  FlowPattern pattern;
};

/// Caches its results. Not thread-safe.
class FlowBounds {
 public:
  /// \throws InvalidArgument  as check_flows()  \throws Unstable  load >= 1
  explicit FlowBounds(const std::vector<FlowGroup>& groups);
  ~FlowBounds();
  FlowBounds(const FlowBounds&) = delete;
  FlowBounds& operator=(const FlowBounds&) = delete;

  [[nodiscard]] const NeverExceeded& never_exceeded() const;
  /// Example traffic; lower() is the maximum over it.
  [[nodiscard]] const std::vector<FlowPattern>& patterns() const;

  /// Upper bound of P(Q > level) for all flows of these kinds.
  /// \throws InvalidArgument  a negative level  \throws LimitExceeded  more than some 10^10 products
  [[nodiscard]] numeric::UpperBound<unit::Probability> upper(std::int64_t level) const;
  /// P(Q > level) is at least this for some flows of these kinds: a lower bound of the worst case.  \throws
  /// as upper()
  [[nodiscard]] numeric::LowerBound<unit::Probability> lower(std::int64_t level) const;
  /// \param target  0 < target < 1  \throws as upper()
  [[nodiscard]] FlowLevel min_level(const numeric::Rational& target) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tailbound::queue
