#pragma once

#include <tailbound/queue/hops/queue_pair.hpp>

#include <span>
#include <vector>

/// The sum of the waits at successive queues that see one another.
///
/// MODEL     The waits along a route are a Markov chain: each depends on the one before as in a pair of queues
///           (queue_pair.hpp), in which only the link between the two is smoothed by a queue. What all links into a
///           queue take off its occupancy is put in at the end, as a factor of the generating function ("model E").
/// SOURCE    docs/derivations/dependent_hops.md, (4) and (5)
/// EXCLUDES  dependence two and more hops apart, and how the smoothing of other links depends on the wait
/// TESTS     tests/queue/hops/dependent_waits_test.cpp
namespace tailbound::queue {

/// Links alike that feed a queue through queues of their own.
struct SmoothedLinks {
  const std::vector<double>* second = nullptr;  ///< PairLaw::second() of one of them with the queue fed
  const std::vector<double>* alone = nullptr;   ///< lone_second().occupancy of that pair
  const std::vector<double>* wait = nullptr;    ///< wait_behind() of that pair
  double count = 1;
  double rate = 0;  ///< packets/slot of each of them
};

/// P(W = n) at a queue whose links are smoothed, by where packets come from.
struct SmoothedWait {
  std::vector<double> of_sources;             ///< straight from a source
  std::vector<std::vector<double>> of_links;  ///< by one of each kind of links
  std::vector<double> of_any_link;
};

/// P(W_T = n) of a pair's packets that come from U, n < kernel.size().
[[nodiscard]] std::vector<double> wait_behind(const QueuePair& pair, const PairKernel& kernel);

/// Q(z) = Q_dec(z) prod (Q_real(z)/Q_dec(z))^count, Q_dec of `alone`; of all packets together
/// P(W = n) = P(Q = n+1)/load. A packet straight from a source finds the queue as it is at any time; one that comes by a
/// link does not find those that would come by it too.
/// \param straight  the sources that feed the queue by no link listed
/// \pre alone.occupancy is the shortest of all lists
[[nodiscard]] SmoothedWait smoothed_wait(const LoneQueue& alone, std::span<const LoneSource> straight,
                                         std::span<const SmoothedLinks> links);

struct DependentHop {
  const std::vector<double>* wait = nullptr;  ///< P(W = n)
  const PairKernel* from_before = nullptr;    ///< of the hop before and this one; none at the first
};

/// P(D = t), t < size, D the sum of the waits.
/// COST  size^3/6 a hop
/// \pre all laws reach that far
[[nodiscard]] std::vector<double> sum_of_dependent(std::span<const DependentHop> hops, std::size_t size);

}  // namespace tailbound::queue
