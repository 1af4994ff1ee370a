#pragma once

#include <tailbound/network/policed/policed_network.hpp>

#include <cstdint>
#include <vector>

/// What is never exceeded in a network of policed flows, in whole packets and slots.
///
/// MODEL     Packets of one size, every port serves one a slot in the order of arrival, Q[t] = max(Q[t-1] - 1, 0) + A[t];
///           what is served in a slot comes to the next port in the next one. Flows pass token buckets
///           (traffic/token_bucket.hpp) and are arbitrary otherwise. No port is passed by what has passed it.
/// RESULT    B = max over m of A(m) - m, while A(m) > m; A(m), the most that any m + 1 slots bring, is the sum over the
///           links into the port of the least of m + 1, what the flows of the link bring one by one, and together. What
///           a group g of flows brings to the next port, when x are all others of the port:
///             min( m + 1, max over v <= L < alpha_x(v) + alpha_g(v) of
///                         min( alpha_g(m + L - v), alpha_g(m + L) - max(0, L - alpha_x(v)) ) )
///           Groups are those that go on together, and in networks that are not large all that are left of one without
///           a flow. The delay of a flow is the sum of B over its ports, as a packet waits
///           B - 1 slots at most.
///           A port that is offered exactly 1 packet a slot may never be empty: there out(m) = min(m + 1, alpha_g(m + B - 1)).
/// COST      at load 0.9: 10 ports of 30 flows 0.3 s, 20 ports of 30 flows 25 s; 20 ports of 80 flows are refused
/// METHOD    whole numbers throughout; curves are kept to a length that shrinks by the longest busy period at each port,
///           and that is doubled until it lasts. Where a port is offered exactly 1, until all curves have repeated: each
///           grows by the same in every common period of the buckets, from some slot on.
/// EXCLUDES  networks with cycles, reshaping, other schedulers, rates and latencies
/// SOURCE    docs/derivations/policed_traffic.md
/// TESTS     tests/bounds/guarantee/slotted_guarantee_test.cpp
namespace tailbound::bounds {

struct SlottedGuarantee {
  std::vector<std::int64_t> backlog;  ///< [port]: B, most packets just after arrivals; 0 where no flow passes
  std::vector<std::int64_t> delay;    ///< [flow]: most slots from end to end, wait + 1 at each port
  std::vector<bool> attained;         ///< [port]: is B exact, as all of its flows begin there?
};

/// \throws InvalidArgument  not slotted: a rate, latency, wire, scheduler, packet size or regulator that the model has not;
///                          paths that are empty, name no port or go round in a circle; a bucket's numbers
/// \throws Unstable         a port is offered more than one packet a slot
/// \throws LimitExceeded    busy periods too long for curves slot by slot (thousands of slots)
/// \param most_steps  after which it gives up; some 10^8 a second
[[nodiscard]] SlottedGuarantee slotted_guarantee(const network::PolicedNetwork& network,
                                                 std::uint64_t most_steps = 2'000'000'000);

}  // namespace tailbound::bounds
