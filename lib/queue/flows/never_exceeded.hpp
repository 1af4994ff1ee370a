#pragma once

#include <tailbound/queue/flows/flows.hpp>

#include <cstdint>
#include <vector>

/// The maximum queue that flows can ever cause at a port.
///
/// MODEL     as queue/flows/flows.hpp; flows need not be independent
/// RESULT    B = max over m >= 0 of sum_i alpha_i(m) - m, alpha_i(m) the most packets of flow i in m + 1
///           slots: exact, as all flows may be greedy from the same slot on. A packet waits at most B - 1
///           slots before its own transmission. Only the slots in which a greedy source sends are examined,
///           up to a limit given by straight lines above the alpha_i.
/// SOURCE    docs/derivations/policed_traffic.md, section 1
/// TESTS     tests/queue/flows/never_exceeded_test.cpp
namespace tailbound::queue {

struct NeverExceeded {
  std::int64_t packets = 0;  ///< B: no arrival pattern ever queues more, the packet in transmission included
  std::int64_t window = 0;   ///< smallest m: slots from the first packets until B are queued
  std::int64_t wait = 0;     ///< B - 1 [slots]
};

/// \throws InvalidArgument  as check_flows()  \throws Unstable  load >= 1
/// \throws LimitExceeded    more than 10^8 slots to be examined
[[nodiscard]] NeverExceeded never_exceeded(const std::vector<FlowGroup>& groups);

}  // namespace tailbound::queue
