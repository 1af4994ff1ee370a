#pragma once

#include <cstddef>
#include <memory>
#include <vector>

/// How long a packet of a burst waits, given how many packets of the same burst were sent before it: its age. An old
/// burst has waited behind others at every queue of its path, so that the age is what a packet's waits have in common.
///
/// MODEL     A queue that serves one packet per slot, fed by M two-state sources (M need not be whole) whose bursts hold
///           `grid_burst` packets on average and are sent at `on_rate` packets per slot, one draw per slot. Phases: how many
///           sources are ON, at most 14. Bursts of other lengths: docs/derivations/aged_bursts.md, (1).
/// RESULT    numerical, in doubles; not proved.
/// SOURCE    docs/derivations/aged_bursts.md, (5) to (7)
/// TESTS     tests/queue/hops/aged_wait_test.cpp
namespace tailbound::queue {

/// Mean packets of a burst of this model: part of it, not an option.
inline constexpr double grid_burst = 16;

/// Ages of packets, in bins: the first of 4 packets each, later of 8, and all that is older.
struct BurstAges {
  std::vector<double> weights;  ///< of the packets, summing to 1
  std::vector<double> ages;     ///< on average, of each bin
};
[[nodiscard]] const BurstAges& burst_ages();

/// What feeds a queue: M sources, r, and rho.
struct AgedArrivals {
  double sources = 2;  ///< above load / on_rate
  double on_rate = 1;  ///< above load / sources, at most 1
  double load = 0.5;   ///< [packets/slot], above 0, below 1
};

/// Decay rate of the queue of `count` equal sources of which each burst comes here with probability `share`, per packet.
/// \param leaf_load  of each of the sources, all that it sends  [packets/slot]
[[nodiscard]] double burst_decay(double count, double share, double leaf_load, double on_rate = 1);

/// M two-state sources of this load and on-rate with that decay rate; fewer decay faster.
/// \return at least load / on_rate, at most 1e9
[[nodiscard]] double sources_of_decay(double decay, double load, double on_rate = 1);

/// P(W = w) at the ages of burst_ages(), each of `levels` entries.
struct AgedWait {
  std::vector<std::vector<double>> of_age;
  double mean = 0;           ///< of all packets [slots]
  double mean_of_first = 0;  ///< of those of age 0

  [[nodiscard]] std::vector<double> of_any_age() const;
  /// How much further apart two packets of a burst are behind the queue than before it [slots].
  [[nodiscard]] double stretch() const;
};

/// The queue as an arbitrary slot finds it.
class AgedQueue {
 public:
  /// COST  15^2 operations for each of 15 levels before it, per level
  /// \pre levels >= 2
  AgedQueue(const AgedArrivals& arrivals, std::size_t levels);

  /// Of packets that come `distance` slots apart on average. Some 19 grid_burst distance slots are followed.
  /// COST  15^2 levels per slot
  [[nodiscard]] AgedWait wait(double distance) const;
  /// P(W = w) of all packets, from the occupancy alone.
  [[nodiscard]] std::vector<double> wait_of_any() const;
  /// Rate at which P(W > w) falls at the end of what is looked at.
  [[nodiscard]] double decay() const;

 private:
  struct Chain;
  std::shared_ptr<const Chain> chain_;
};

/// A hop of a path: the waits there, and how much the wait depends on the one before beyond what the age explains.
struct AgedHop {
  const AgedWait* wait = nullptr;
  double dependence = 0;  ///< s of docs/derivations/aged_bursts.md, (9), wanted; 0 at the first
};

/// P(D = d), D the sum of the waits of a path: hops given the age, neighbours dependent, then all ages together. Beyond
/// the levels of the waits too few.
/// \param decay  at which the slowest of the waits falls; relative errors are some 1e-9 where P(D = d) > 1e-12
/// \pre laws of equal length
[[nodiscard]] std::vector<double> sum_of_aged(const std::vector<AgedHop>& hops, double decay);

}  // namespace tailbound::queue
