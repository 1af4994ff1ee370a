#pragma once

#include <tailbound/network/policed/policed_network.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

/// The worst case that policed flows can cause in a small network, by exhaustive search.
///
/// MODEL     In each slot every queue that is not empty serves one packet, which joins the next queue of its
///           path. Every flow sends any number of packets that its buckets admit; packets that arrive at a
///           queue in one slot join it in any order. Then the slot is counted, Q[t] = max(Q[t-1] - 1, 0) +
///           A[t]. All reachable states are visited; a tagged packet is followed from each of them. Chains
///           and rings are supported.
/// RESULT    maximum Q of each port, maximum delay of each flow, attained
/// EXCLUDES  schedulers other than fifo, rates other than 1, latencies
/// TESTS     tests/bounds/guarantee/slotted_guarantee_test.cpp
namespace tailbound::test {

struct PolicedTruth {
  std::vector<std::int64_t> backlog;  ///< [port]: Q, including the packet in service
  std::vector<std::int64_t> delay;    ///< [flow]: slots end to end, wait + 1 at each port
  bool finished = false;  ///< false: the limit was reached; the values are attained but may be exceeded
};

struct AdversaryLimits {
  std::size_t states = 2'000'000;
  std::size_t steps = 100'000'000;  ///< number of state transitions
};

/// \param network  rates 1, fifo, no latency; up to 200 packets in a queue, buckets with small denominators
[[nodiscard]] PolicedTruth policed_truth(const network::PolicedNetwork& network,
                                         const AdversaryLimits& limits = {});

}  // namespace tailbound::test
