#pragma once

#include <tailbound/bounds/sizing/buffer_size.hpp>
#include <tailbound/network/fabric/fabric_rates.hpp>
#include <tailbound/numeric/proved.hpp>
#include <tailbound/queue/delay/crowd.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// How long do packets take through a fabric of many hosts, and what must its buffers hold?
///
/// MODEL     path_delay.hpp: waits at successive queues independent, decoupled sources; T = waits + queues passed.
/// RESULT    P(T > t) of every pair that sends, by one pass over the shortest ways to each destination (of Valiant routes
///           one more to each group of switches that is drawn): at each node
///           the mixture, over the next links, of the wait there plus what is left from the next node. No way is listed.
///           Nodes whose next links have equal queues and lead to equal distributions are computed once; of
///           destinations alike by symmetry one.
/// SOURCE    docs/derivations/fabrics.md
/// EXCLUDES  what path_delay.hpp does; bursts
/// TESTS     tests/bounds/network/fabric_delay_test.cpp: against path_delay.hpp
namespace tailbound::bounds {

/// A percentile of latency over many pairs.
struct FabricPercentile {
  numeric::Rational probability;  ///< p
  Slots slots;                    ///< the least t with P(T <= t) >= p of all their packets together
  numeric::Enclosure<unit::Probability> at;  ///< P(T > t) <= 1 - p
  std::optional<numeric::Enclosure<unit::Probability>>
      before;                                      ///< P(T > t - 1) > 1 - p; none where t is least
  Slots worst;                                     ///< of the worst pair
  std::uint32_t from = 0, to = 0;                  ///< that pair (the first of those alike): nodes
  numeric::Enclosure<unit::Probability> worst_at;  ///< P(T > worst) of that pair
  Slots best;                                      ///< of the best pair
  numeric::Rational mean;                          ///< over all pairs of their own percentiles [slots]
};

/// Pairs and what is said of them.
struct FabricPairs {
  std::int64_t hops = 0;  ///< queues on their ways, of Valiant routes the fewest; 0: all pairs
  std::uint64_t pairs = 0;
  numeric::Enclosure<unit::Probability> share;  ///< of all packets
  std::vector<FabricPercentile> percentiles;    ///< in the order asked
  numeric::Enclosure<unit::Slot> mean_latency;  ///< of their packets
};

struct FabricDelayAnswer {
  FabricPairs all;
  std::vector<FabricPairs> by_hops;  ///< by rising number of queues
  /// Percentiles of pairs that lie within rounding of a boundary: the greater slot is given for them.
  std::uint64_t undecided = 0;
  std::size_t destinations = 0;   ///< whose ways were walked
  std::size_t distributions = 0;  ///< that were computed
};

/// The waits of all packets together, whichever their ways: D, which is T without a slot for each queue.
struct FabricQueueing {
  std::vector<numeric::Enclosure<unit::Probability>> above;  ///< [t]: P(D > t)
  numeric::Enclosure<unit::Slot> mean;
};

/// What one pair's packets take.
struct FabricPairDelay {
  std::int64_t hops = 0;
  std::vector<FabricPercentile> percentiles;  ///< `worst` and `best` are its own
  numeric::Enclosure<unit::Slot> mean_latency;
};

/// Who feeds one queue that a packet a slot leaves.
[[nodiscard]] std::vector<queue::CrowdSource> crowd_sources(const network::FabricRates& rates,
                                                            const network::FabricRates::Queue& queue);

class FabricDelay {
 public:
  /// All outlive this.
  /// \throws Overloaded  a link is offered at least what it takes; of several the one with the greatest share
  FabricDelay(const network::FabricGraph& graph, const network::FabricOrbits& orbits,
              const network::FabricRates& rates);
  ~FabricDelay();
  FabricDelay(const FabricDelay&) = delete;
  FabricDelay& operator=(const FabricDelay&) = delete;

  /// \param percentiles  p, 0 < p < 1, at most 1 - 1e-300
  /// \param pulse        called now and then; what it throws ends the work
  /// \throws InvalidArgument  a percentile out of range
  /// \throws LimitExceeded    delays beyond 2^16 slots, or more than 2e12 products
  [[nodiscard]] FabricDelayAnswer answer(const std::vector<numeric::Rational>& percentiles,
                                         const std::function<void()>& pulse = {});

  /// P(D > t) from t = 0 on, at so many levels at least, and until it is at most `least`.
  /// \param least  above 0
  /// \throws LimitExceeded  as answer()
  [[nodiscard]] FabricQueueing queueing(std::size_t levels, double least,
                                        const std::function<void()>& pulse = {});

  /// Of the packets from one node to another that it sends to.
  /// \throws InvalidArgument  it sends nothing there
  [[nodiscard]] FabricPairDelay pair(std::uint32_t from, std::uint32_t to,
                                     const std::vector<numeric::Rational>& percentiles);

  /// P(T > slots) of the packets from one node to another that it sends to.
  /// \throws InvalidArgument  it sends nothing there
  [[nodiscard]] numeric::Enclosure<unit::Probability> pair_above(std::uint32_t from, std::uint32_t to,
                                                                 std::int64_t slots);

  /// The least buffer of one queue, as buffer_size() has it.
  [[nodiscard]] BufferSize buffer(std::size_t queue, const DropTarget& target,
                                  numeric::Digits digits = {}) const;

  /// E[W] of one queue [slots].
  [[nodiscard]] numeric::Enclosure<unit::Slot> mean_wait(std::size_t queue) const;

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace tailbound::bounds
