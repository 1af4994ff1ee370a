#pragma once

#include <tailbound/network/policed/policed_network.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

/// The worst that policed flows can do to a small network, found by trying everything.
///
/// MODEL     In each slot every queue that is not empty has served one packet, which joins the next queue of its path;
///           every flow sends any number of packets that its buckets let through; what comes to a queue in one slot joins it
///           in any order. Then the slot is counted, Q[t] = max(Q[t-1] - 1, 0) + A[t]. All states that can be reached are
///           visited; a tagged packet is followed from each of them. Chains and rings alike.
/// RESULT    greatest Q of each port, greatest delay of each flow, attained
/// EXCLUDES  schedulers other than fifo, rates other than 1, latencies
/// TESTS     tests/bounds/guarantee/slotted_guarantee_test.cpp
namespace tailbound::test {

struct PolicedTruth {
  std::vector<std::int64_t> backlog;  ///< [port]: Q, the packet in service too
  std::vector<std::int64_t> delay;    ///< [flow]: slots from end to end, wait + 1 at each port
  bool finished = false;  ///< false: the limit was reached, what is seen is attained but may be exceeded
};

struct AdversaryLimits {
  std::size_t states = 2'000'000;
  std::size_t steps = 100'000'000;  ///< from state to state
};

/// \param network  rates 1, fifo, no latency; up to 200 packets in a queue, buckets of small denominators
[[nodiscard]] PolicedTruth policed_truth(const network::PolicedNetwork& network,
                                         const AdversaryLimits& limits = {});

}  // namespace tailbound::test
