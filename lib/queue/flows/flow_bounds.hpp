#pragma once

#include <tailbound/queue/flows/flows.hpp>
#include <tailbound/queue/flows/never_exceeded.hpp>
#include <tailbound/queue/slotted/slotted_queue.hpp>

#include <cstdint>
#include <memory>
#include <vector>

/// Independent flows of any kinds: what their queue surely does not exceed, and traffic that shows how near that is.
///
/// MODEL     as queue/flows/flows.hpp; S_m packets of the last m + 1 slots
/// RESULT    From above, the least of
///             periodic of one period: exact (queue/flows/periodic_flows.hpp)
///             periodic: P(Q > q) <= sum_m P(S_m = q + 1 + m, no packet in the slot before), laws of S_m exact
///             any: P(Q > q) <= sum_k P(S_{m_k} >= q + 2 + m_{k-1}) over any windows -1 = m_0 < m_1 < ..; of sporadic flows
///             with the law of periodic ones, which is stochastically above; of regulated ones
///             P(S >= x) <= min over a < x of E(S* - a)^+/(x - a), S* the sum of numbers L or U of mean r n, n = m + 1,
///             L = max(0, r n - b), U = alpha(m): above the packets of a flow in the increasing convex order.
///             Steps m_k - m_{k-1} of 1, 2, 4, .. are tried (a step costs as many packets); longer ones where hardly anything
///             comes any more.
///           From below, the witness: the same flows as periodic ones, which send all they may at once, or behind a peak as
///             the greedy source does, and wait until their buckets are full again. Exactly where they send at once and have
///             one period, else P(Q > q) >= max_m P(S_m >= q + 1 + m).
///           A flow whose buckets hold one packet is sporadic.
/// CONTRACT  bounds rounded outward
/// SOURCE    docs/derivations/policed_traffic.md, section 2
/// TESTS     tests/queue/flows/flow_bounds_test.cpp
namespace tailbound::queue {

/// What proves that a level is enough.
enum class FlowProof {
  never,    ///< no behaviour ever exceeds it
  exact,    ///< periodic flows of one period
  periods,  ///< periodic flows, window by window
  windows,  ///< windows at a distance
};

/// Traffic that some of the flows may be, and what it does.
struct FlowWitness {
  std::vector<FlowGroup> flows;  ///< periodic; `batch` are the packets of a period
  /// Of each group, what a flow sends slot by slot from the start of its period: {batch} where all comes at once.
  std::vector<std::vector<std::int64_t>> sent;
  bool exact = false;  ///< of one period, all at once: its tail is known, not only from below
};

struct FlowLevel {
  std::int64_t level = 0;  ///< P(Q > level) <= target, whatever the flows do within their kinds
  numeric::UpperBound<unit::Probability> probability;
  FlowProof proof = FlowProof::never;
  /// P(Q > needed - 1) > target of `witness`: no lower level than this is enough for all such flows; 0: not even that.
  std::int64_t needed = 0;
  numeric::LowerBound<unit::Probability>
      witness_probability;  ///< P(Q > needed - 1) of the witness; 1 if needed is 0
  FlowWitness witness;
};

/// Not for use by several threads at a time: it remembers what it has computed.
class FlowBounds {
 public:
  /// \throws InvalidArgument  as check_flows()  \throws Unstable  load >= 1
  explicit FlowBounds(const std::vector<FlowGroup>& groups);
  ~FlowBounds();
  FlowBounds(const FlowBounds&) = delete;
  FlowBounds& operator=(const FlowBounds&) = delete;

  [[nodiscard]] const NeverExceeded& never_exceeded() const;
  /// Traffic from which lower() takes the greatest.
  [[nodiscard]] const std::vector<FlowWitness>& witnesses() const;

  /// P(Q > level) is at most this for all flows of these kinds.
  /// \throws InvalidArgument  a negative level  \throws LimitExceeded  more than some 10^10 products
  [[nodiscard]] numeric::UpperBound<unit::Probability> upper(std::int64_t level) const;
  /// P(Q > level) is at least this for some flows of these kinds.  \throws as upper()
  [[nodiscard]] numeric::LowerBound<unit::Probability> lower(std::int64_t level) const;
  /// \param target  0 < target < 1  \throws as upper()
  [[nodiscard]] FlowLevel least_level(const numeric::Rational& target) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tailbound::queue
