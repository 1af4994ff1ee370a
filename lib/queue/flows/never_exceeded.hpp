#pragma once

#include <tailbound/queue/flows/flows.hpp>

#include <cstdint>
#include <vector>

/// The most packets that flows can ever queue at a port.
///
/// MODEL     as queue/flows/flows.hpp; flows need not be independent
/// RESULT    B = max over m >= 0 of sum_i alpha_i(m) - m, alpha_i(m) the most packets of flow i in m + 1 slots: exact, as all
///           flows may be greedy from the same slot on. A packet waits at most B - 1 slots before its own transmission.
///           Looked at are the slots where one of the greedy sources sends, between the ends that straight lines above the
///           alpha_i leave.
/// SOURCE    docs/derivations/policed_traffic.md, section 1
/// TESTS     tests/queue/flows/never_exceeded_test.cpp
namespace tailbound::queue {

struct NeverExceeded {
  std::int64_t packets = 0;  ///< B: no behaviour ever has more waiting, the packet in transmission included
  std::int64_t window = 0;   ///< m: slots after the first packets until B are there; the least one
  std::int64_t wait = 0;     ///< B - 1 [slots]
};

/// \throws InvalidArgument  as check_flows()  \throws Unstable  load >= 1
/// \throws LimitExceeded    more than 10^8 slots would have to be looked at
[[nodiscard]] NeverExceeded never_exceeded(const std::vector<FlowGroup>& groups);

}  // namespace tailbound::queue
