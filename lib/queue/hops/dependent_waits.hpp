#pragma once

#include <tailbound/queue/hops/queue_pair.hpp>

#include <span>
#include <vector>

/// The sum of the dependent waits at successive queues.
///
/// MODEL     The waits along a route are a Markov chain: each depends on the one before as in a pair of
///           queues (queue_pair.hpp), in which only the link between the two is smoothed by a queue. The
///           smoothing by all links into a queue is applied at the end, as a factor of the generating
///           function ("model E").
/// SOURCE    docs/derivations/dependent_hops.md, (4) and (5)
/// EXCLUDES  dependence two or more hops apart; dependence of the other links' smoothing on the wait
/// TESTS     tests/queue/hops/dependent_waits_test.cpp
namespace tailbound::queue {

/// Identical links that feed a queue, each from its own upstream queue.
struct SmoothedLinks {
  const std::vector<double>* second = nullptr;  ///< PairLaw::second() of one of them with this queue
  const std::vector<double>* alone = nullptr;   ///< lone_second().occupancy of that pair
  const std::vector<double>* wait = nullptr;    ///< wait_behind() of that pair
  double count = 1;
  double rate = 0;  ///< of each of them [packets/slot]
};

/// P(W = n) at a queue with smoothed links, by the input of the packet.
struct SmoothedWait {
  std::vector<double> of_sources;             ///< directly from a source
  std::vector<std::vector<double>> of_links;  ///< over one link of each kind
  std::vector<double> of_any_link;
};

/// P(W_T = n) of a pair's packets that come from U, n < kernel.size().
[[nodiscard]] std::vector<double> wait_behind(const QueuePair& pair, const PairKernel& kernel);

/// Q(z) = Q_dec(z) prod (Q_real(z)/Q_dec(z))^count, Q_dec of `alone`; of all packets together P(W = n) = P(Q
/// = n+1)/load. A packet directly from a source sees the time-stationary queue; one that arrives over a link
/// never sees other packets of that link in its slot.
/// \param straight  the sources that feed the queue over none of these links
/// \pre alone.occupancy is the shortest of all lists
[[nodiscard]] SmoothedWait smoothed_wait(const LoneQueue& alone, std::span<const LoneSource> straight,
                                         std::span<const SmoothedLinks> links);

struct DependentHop {
  const std::vector<double>* wait = nullptr;  ///< P(W = n)
  const PairKernel* from_before = nullptr;    ///< of the previous hop and this one; none at the first
};

/// P(D = t), t < size, D the sum of the waits.
/// COST  size^3/6 per hop
/// \pre all laws reach that far
[[nodiscard]] std::vector<double> sum_of_dependent(std::span<const DependentHop> hops, std::size_t size);

}  // namespace tailbound::queue
