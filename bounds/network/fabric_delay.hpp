#pragma once

#include <tailbound/bounds/sizing/buffer_size.hpp>
#include <tailbound/network/fabric/fabric_rates.hpp>
#include <tailbound/numeric/proved.hpp>
#include <tailbound/queue/delay/small_sources.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// Packet delays through a fabric of many hosts, and its buffer sizes.
///
/// MODEL     path_delay.hpp: independent waits at successive queues, independent source arrivals, each queue
///           in packet times of its own link; T = waits + packet times of the links of the queues passed. All
///           are whole ticks: slots, if all used links have the same speed (network/clocks/link_clocks.hpp).
/// RESULT    P(T > t) of every pair that sends, by one pass over the shortest paths to each destination (for
///           Valiant routes one more to each possible intermediate group of switches): at each node the
///           mixture, over the next links, of the wait there plus the rest from the next node. Paths are not
///           enumerated. Nodes whose next links have equal queues and lead to equal distributions are
///           computed once, and so is one of several destinations that are identical by symmetry.
/// SOURCE    docs/derivations/fabrics.md
/// EXCLUDES  as path_delay.hpp; bursts; where links differ in speed, spacing of the packets of a slower link
/// TESTS     tests/bounds/network/fabric_delay_test.cpp: against path_delay.hpp
namespace tailbound::bounds {

/// A percentile of latency over many pairs. `slots`, `worst` and `best` are in ticks.
struct FabricPercentile {
  numeric::Rational probability;             ///< p
  Slots slots;                               ///< smallest t with P(T <= t) >= p over all their packets
  numeric::Enclosure<unit::Probability> at;  ///< P(T > t) <= 1 - p
  std::optional<numeric::Enclosure<unit::Probability>>
      before;                                      ///< P(T > t - 1) > 1 - p; none if t is the minimum
  Slots worst;                                     ///< of the worst pair
  std::uint32_t from = 0, to = 0;                  ///< that pair (the first of identical ones): nodes
  numeric::Enclosure<unit::Probability> worst_at;  ///< P(T > worst) of that pair
  Slots best;                                      ///< of the best pair
  numeric::Rational mean;                          ///< mean of the pairs' own percentiles [slots]
  /// The same times, with the latency of queues passed: smallest x with P(T + extra <= x) >= p over all their
  /// packets; of the worst pair, of the best one, and their mean [slots].
  numeric::Rational time, worst_time, best_time, mean_time;
};

/// A set of pairs and its results.
struct FabricPairs {
  std::int64_t hops = 0;  ///< queues on their paths (the minimum for Valiant routes); 0: all pairs
  std::uint64_t pairs = 0;
  numeric::Enclosure<unit::Probability> share;  ///< fraction of all packets
  std::vector<FabricPercentile> percentiles;    ///< in the order requested
  numeric::Enclosure<unit::Slot> mean_latency;  ///< of their packets
  numeric::Enclosure<unit::Slot> mean_time;     ///< with the latency of queues passed
};

struct FabricDelayAnswer {
  FabricPairs all;
  std::vector<FabricPairs> by_hops;  ///< by increasing number of queues
  /// Percentiles of pairs within rounding of a boundary, for which the larger slot is given.
  std::uint64_t undecided = 0;
  std::size_t destinations = 0;   ///< destinations processed
  std::size_t distributions = 0;  ///< distributions computed
};

/// The waits of all packets over all paths [ticks]: D, which is T less the packet times of the links.
struct FabricQueueing {
  std::vector<numeric::Enclosure<unit::Probability>> above;  ///< [t]: P(D > t)
  numeric::Enclosure<unit::Slot> mean;                       ///< [ticks]
};

/// Delays of one pair's packets.
struct FabricPairDelay {
  std::int64_t hops = 0;
  std::vector<FabricPercentile> percentiles;  ///< `worst` and `best` are its own
  numeric::Enclosure<unit::Slot> mean_latency;
  numeric::Enclosure<unit::Slot> mean_time;  ///< with the latency of queues passed
};

/// The sources of a queue in packet times of its link.
[[nodiscard]] std::vector<queue::SmallSource> small_sources_of(const network::FabricRates& rates,
                                                               const network::FabricRates::Queue& queue);

class FabricDelay {
 public:
  /// All arguments must outlive this.
  /// \throws Overloaded  a link is offered at least its capacity; of several the one with the highest
  ///                     utilization
  FabricDelay(const network::FabricGraph& graph, const network::FabricOrbits& orbits,
              const network::FabricRates& rates);
  ~FabricDelay();
  FabricDelay(const FabricDelay&) = delete;
  FabricDelay& operator=(const FabricDelay&) = delete;

  /// 1 where all used links have the same rate of 1 packet per slot.
  [[nodiscard]] std::int64_t ticks_per_slot() const;

  /// \param percentiles  p, 0 < p < 1, at most 1 - 1e-300
  /// \param pulse        called now and then; an exception that it throws ends the computation
  /// \param per_queue    latency added by each queue passed, at least 0 [slots]
  /// \throws InvalidArgument  a percentile out of range
  /// \throws LimitExceeded    delays beyond 2^16 ticks, or more than 2e12 products
  /// \throws NoAnswer         per_queue above 0, and paths of one pair pass different numbers of queues
  [[nodiscard]] FabricDelayAnswer answer(const std::vector<numeric::Rational>& percentiles,
                                         const std::function<void()>& pulse = {},
                                         const numeric::Rational& per_queue = 0);

  /// P(D > t) from t = 0, for at least that many levels [ticks] and until it is at most `minimum`.
  /// \param minimum  above 0
  /// \throws LimitExceeded  as answer()
  [[nodiscard]] FabricQueueing queueing(std::size_t levels, double minimum,
                                        const std::function<void()>& pulse = {});

  /// Delays of packets from one node to another that it sends to.
  /// \throws InvalidArgument  it sends nothing to that node;  others as answer()
  [[nodiscard]] FabricPairDelay pair(std::uint32_t from, std::uint32_t to,
                                     const std::vector<numeric::Rational>& percentiles,
                                     const numeric::Rational& per_queue = 0);

  /// P(T > ticks) of the packets from one node to another that it sends to.
  /// \throws InvalidArgument  it sends nothing to that node
  [[nodiscard]] numeric::Enclosure<unit::Probability> pair_above(std::uint32_t from, std::uint32_t to,
                                                                 std::int64_t ticks);

  /// Minimum buffer of one queue, in packet times of its link, as in buffer_size().
  [[nodiscard]] BufferSize buffer(std::size_t queue, const DropTarget& target,
                                  numeric::Digits digits = {}) const;

  /// E[W] of one queue [slots].
  [[nodiscard]] numeric::Enclosure<unit::Slot> mean_wait(std::size_t queue) const;

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace tailbound::bounds
