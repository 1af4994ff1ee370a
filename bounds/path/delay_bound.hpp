#pragma once

#include <tailbound/bounds/path/path_delay.hpp>
#include <tailbound/network/queue_traffic.hpp>
#include <tailbound/network/tree.hpp>

#include <optional>
#include <span>
#include <vector>

/// Upper bounds of packet delays through several queues.
///
/// MODEL     E[z^D] <= W_1(z) prod_{h>1} V_h(z) (1 + B_h(z))/2 with B_h(z) = prod l_i(z) over the other
///           links' sources at hop h as if there were no queue upstream, A_h(z) = (1 - p + p z) B_h(z), V_h
///           the packets left over in a queue with arrivals A_h: behind the packet's own link the next queue
///           is modelled as if that link were never idle. P(D > t) is at most z^-(t+1) times that, for any 1
///           < z < all roots of z = A_h(z). Sources: Bernoulli, l(z) = 1 - r + r z; or on-off, l the larger
///           eigenvalue of [[1 - alpha, alpha y], [beta, (1 - beta) y]], y = 1 - r + r z, each packet with a
///           path of its own (traffic::Destination::per_packet), r the on-rate times the share of its packets
///           that go here.
/// RESULT    upper bounds, in interval arithmetic, valid for any choice of z. W_1 is exact for Bernoulli
///           sources and for up to queue::WaitTransform::max_sources identical on-off sources; for other
///           on-off sources (V_1(z) - 1 + rho)/rho is used, which is larger.
/// SOURCE    docs/derivations/dependent_hops.md, (8) to (10). Proved where the links into each queue on the
///           path have independent histories: in a random-root tree for the hops up to and including the root
///           (BoundedRoute::proved_hops). Assumed below the root, where links carry packets of the same
///           leaves.
/// EXCLUDES  bursts that keep their path; on-off sources with alpha + beta > 1, which are less likely to be
///           ON after a slot ON than after a slot OFF: the proof needs the opposite
/// TESTS     tests/bounds/path/delay_bound_test.cpp, bursty_delay_bound_test.cpp
namespace tailbound::bounds {

/// `count` identical sources of a queue.
struct BoundedSource {
  numeric::Rational rate;  ///< of each, to this queue [packets/slot]
  std::int64_t count = 1;
  /// None: Bernoulli. Its on_rate is the probability that a slot ON brings a packet to this queue.
  std::optional<traffic::Burst> burst{};
  friend bool operator==(const BoundedSource&, const BoundedSource&) = default;
};

struct BoundedHop {
  std::vector<BoundedSource> others;  ///< sources whose packets reach the queue over other links
  numeric::Rational forwarded;        ///< p, fraction of the packets of the previous link that go here
};

struct BoundedRoute {
  std::vector<BoundedSource> first;  ///< sources of the first queue
  std::vector<BoundedHop> later;
  numeric::Rational share = 1;
  /// Number of hops, from the first, for which the bound is proved; for later ones it is assumed. The bound
  /// over the whole route is proved if this is later.size() + 1.
  std::size_t proved_hops = 0;
  /// Upper bound of E[D]: the sum of mean_wait_bound() over the hops, set by bounded_tree() [slots].
  numeric::Rational mean_wait = 0;
};

/// Upper bound of E[W] of a queue in the network [slots]: E[W] = E[q]/rho, and E[z^q] <= V(z) gives E[q] <=
/// V'(1) = A''(1)/(2 (1 - rho)), with all sources of the queue as if there were no queue upstream. For
/// Bernoulli sources it is the mean wait of that queue. For on-off sources it is larger, and the mean wait of
/// that queue is not proved to be a bound.
/// \throws Unstable         their load is 1 or more
/// \throws InvalidArgument  an on-off source as in bounded_tree()
[[nodiscard]] numeric::Rational mean_wait_bound(const std::vector<BoundedSource>& sources);

/// Shortest mean burst for which the bound is proved [slots]: on_rate/(on_rate - load). There alpha + beta =
/// 1, and on-off sources are Bernoulli.
/// \pre 0 < load < on_rate
[[nodiscard]] numeric::Rational shortest_bounded_burst(const numeric::Rational& load,
                                                       const numeric::Rational& on_rate = 1);

/// Routes of a tree's packets, in the order of TreeDelay::routes.
/// \param burst  of the leaves, whose packets each draw their destination and path; none: Bernoulli leaves
/// \throws InvalidArgument  a burst below shortest_bounded_burst(), and as traffic::on_off()
/// \throws as network::tree_paths()
[[nodiscard]] std::vector<BoundedRoute> bounded_tree(
    const network::Tree& tree, const numeric::Rational& load, network::TreeRouting routing,
    const std::optional<traffic::Burst>& burst = std::nullopt);

struct BoundedDelayAnswer {
  std::vector<ClaimedSlotProbability> above;  ///< P(D > t), each an upper bound
  std::vector<ClaimedPercentile> queueing;    ///< smallest t for which the bound gives P(D > t) <= 1 - p
  std::vector<ClaimedPercentile> latency;     ///< the same for T
};

/// COST  milliseconds; with 64 on-off sources at the first queue 60 ms, and 8 ms more per further percentile
/// \throws InvalidArgument  no route, shares that do not sum to 1, a level below 0, a percentile outside ]0,
///                          1[, an on-off source as in bounded_tree()
/// \throws Unstable         a queue would be offered 1 packet per slot or more behind a busy link
/// \throws LimitExceeded    a percentile beyond 2^24 slots
[[nodiscard]] BoundedDelayAnswer delay_bound(std::span<const BoundedRoute> routes, const DelayQuery& query);

}  // namespace tailbound::bounds
