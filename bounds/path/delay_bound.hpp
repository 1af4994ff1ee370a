#pragma once

#include <tailbound/bounds/path/path_delay.hpp>
#include <tailbound/network/queue_traffic.hpp>
#include <tailbound/network/tree.hpp>

#include <span>
#include <vector>

/// How long can packets take through several queues at most?
///
/// MODEL     E[z^D] <= W_1(z) prod_{h>1} V_h(z) (1 + B_h(z))/2 with B_h the other links' sources at hop h as if no
///           queue lay upstream, A_h(z) = (1 - p + p z) B_h(z), V_h what a queue that A_h feeds has left over: behind
///           the packet's own link the next queue is taken as if that link were never idle. P(D > t) is at most
///           z^-(t+1) times that, for any 1 < z < all roots of z = A_h(z).
/// RESULT    upper bounds, in interval arithmetic: whatever z is taken, the number is one.
/// SOURCE    docs/derivations/dependent_hops.md, (8): proved where the links into each queue on the way have
///           independent histories (a tree's way up, with the root); assumed where they have not
/// TESTS     tests/bounds/path/delay_bound_test.cpp
namespace tailbound::bounds {

struct BoundedHop {
  std::vector<network::SourceRate> others;  ///< whose packets reach the queue by other links
  numeric::Rational forwarded;              ///< p, of what the link before serves
};

struct BoundedRoute {
  std::vector<network::SourceRate> first;  ///< of the first queue
  std::vector<BoundedHop> later;
  numeric::Rational share = 1;
};

/// Routes of a tree's packets, in the order of TreeDelay::routes.
/// \throws as network::tree_paths()
[[nodiscard]] std::vector<BoundedRoute> bounded_tree(const network::Tree& tree, const numeric::Rational& load,
                                                     network::TreeRouting routing);

struct BoundedDelayAnswer {
  std::vector<ClaimedSlotProbability> above;  ///< P(D > t), each an upper bound
  std::vector<ClaimedPercentile> queueing;    ///< the least t for which the bound says P(D > t) <= 1 - p
  std::vector<ClaimedPercentile> latency;     ///< likewise
};

/// \throws InvalidArgument  no route, shares that do not sum to 1, a level below 0, a percentile outside ]0, 1[
/// \throws Unstable         a queue would be offered 1 packet a slot or more behind a busy link
/// \throws LimitExceeded    a percentile beyond 2^24 slots
[[nodiscard]] BoundedDelayAnswer delay_bound(std::span<const BoundedRoute> routes,
                                             const DelayQuestion& question);

}  // namespace tailbound::bounds
