#pragma once

#include <tailbound/queue/slotted/slotted_queue.hpp>

/// The slotted queue with a buffer of B packets; packets that do not fit are lost.
///
/// MODEL     Q[t+1] = min(max(Q[t] - C, 0) + A[t+1], B).  loss(B) = E[packets lost in a slot] / rho.
/// RESULT    C = 1 and rho < 1: loss(B) = (1 - rho)/rho P(Q > B) / (1 - P(Q > B)), tails of the
///           infinite-buffer queue. C > 1, or rho >= C: the stationary vector of the chain by elimination
///           without subtraction (Grassmann, Taksar and Heyman), in intervals.
/// SOURCE    docs/derivations/loss.md
/// TESTS     tests/bounds/sizing/packet_loss_test.cpp
namespace tailbound::queue {

/// loss(capacity) [fraction of the packets], enclosed to accuracy.digits, or exact.
/// COST  C = 1 and rho < 1: as occupancy_tail(). Otherwise O(B K C) interval operations, K the arrivals'
///       support.
/// \param capacity  B >= 0 packets, including those in service
/// \throws LimitExceeded  as occupancy_tail(); by elimination also if B min(B, K) exceeds 4e6
[[nodiscard]] LevelProbability loss_probability(const SlottedQueue& queue, Packets capacity,
                                                const Accuracy& accuracy = {});

}  // namespace tailbound::queue
