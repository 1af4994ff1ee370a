#pragma once

#include <tailbound/network/policed/policed_network.hpp>

#include <cstdint>
#include <vector>

/// Guarantees in a network of policed flows, in whole packets and slots.
///
/// MODEL     Packets of one size, every port serves one per slot in order of arrival, Q[t] = max(Q[t-1] - 1,
///           0) + A[t]; a packet served in a slot arrives at the next port in the next slot. Flows conform to
///           token buckets (traffic/token_bucket.hpp) and are otherwise arbitrary. The network has no cycles.
/// RESULT    B = max over m of A(m) - m, while A(m) > m; A(m), the maximum arrivals in any m + 1 slots, is
///           the sum over the links into the port of the minimum of m + 1, the sum of the curves of the
///           link's flows, and the curve of its group. Arrivals of a group g of flows at the next port, x
///           being all others of the port:
///             min( m + 1, max over v <= L < alpha_x(v) + alpha_g(v) of
///                         min( alpha_g(m + L - v), alpha_g(m + L) - max(0, L - alpha_x(v)) ) )
///           Groups are those that go on together, and in networks that are not large all that are left of
///           one without a flow. The delay of a flow is the sum of B over its ports, as a packet waits B - 1
///           slots at most. A port that is offered exactly 1 packet per slot may never be empty: there out(m)
///           = min(m + 1, alpha_g(m + B - 1)).
/// COST      at load 0.9: 10 ports of 30 flows 0.3 s, 20 ports of 30 flows 25 s; 20 ports of 80 flows exceed
///           the limit
/// METHOD    whole numbers throughout; curves are computed to a length that shrinks by the longest busy
///           period at each port; the initial length is doubled until it suffices. Where a port is offered
///           exactly 1, until all curves have repeated: each grows by the same in every common period of the
///           buckets, from some slot on.
/// EXCLUDES  networks with cycles, reshaping, other schedulers, rates and latencies
/// SOURCE    docs/derivations/policed_traffic.md
/// TESTS     tests/bounds/guarantee/slotted_guarantee_test.cpp
namespace tailbound::bounds {

struct SlottedGuarantee {
  std::vector<std::int64_t> backlog;  ///< [port]: B, maximum number of packets just after arrivals; 0 where
                                      ///< no flow passes
  std::vector<std::int64_t> delay;    ///< [flow]: maximum end-to-end slots, wait + 1 at each port
  std::vector<bool> attained;         ///< [port]: whether B is exact because all of its flows begin there
};

/// \throws InvalidArgument  not slotted: a rate, latency, propagation delay, scheduler, packet size or
///                          regulator outside the model; paths that are empty, name an unknown port or
///                          contain a cycle; invalid buckets
/// \throws Unstable         a port is offered more than one packet per slot
/// \throws LimitExceeded    busy periods too long for curves slot by slot (thousands of slots)
/// \param max_steps  limit of the number of steps; some 10^8 per second
[[nodiscard]] SlottedGuarantee slotted_guarantee(const network::PolicedNetwork& network,
                                                 std::uint64_t max_steps = 2'000'000'000);

}  // namespace tailbound::bounds
