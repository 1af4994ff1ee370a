#pragma once

#include <cstddef>
#include <memory>
#include <vector>

/// How long a packet of a burst waits, given how many packets of the same burst were sent before it: its age.
/// An old burst has waited behind others at every queue of its path, so the waits of a packet are correlated
/// through its age.
///
/// MODEL     A queue that serves one packet per slot, with M two-state sources (M need not be whole) whose
///           bursts have `grid_burst` packets on average and are sent at `on_rate` packets per slot, one draw
///           per slot. Phases: how many sources are ON, at most 14. Bursts of other lengths:
///           docs/derivations/aged_bursts.md, (1).
/// RESULT    numerical, in doubles; not proved.
/// SOURCE    docs/derivations/aged_bursts.md, (5) to (7)
/// TESTS     tests/queue/hops/aged_wait_test.cpp
namespace tailbound::queue {

/// Mean packets per burst in this model. A constant of the model, not an option.
inline constexpr double grid_burst = 16;

/// Ages of packets in bins: first of 4 packets each, then of 8, and one for all older ones.
struct BurstAges {
  std::vector<double> weights;  ///< fraction of the packets, summing to 1
  std::vector<double> ages;     ///< mean age of each bin
};
[[nodiscard]] const BurstAges& burst_ages();

/// The arrivals of a queue: M sources, r, and rho.
struct AgedArrivals {
  double sources = 2;  ///< above load / on_rate
  double on_rate = 1;  ///< above load / sources, at most 1
  double load = 0.5;   ///< [packets/slot], above 0, below 1
};

/// Decay rate per packet of the queue of `count` identical sources, each burst of which comes here with
/// probability `share`.
/// \param leaf_load  total rate of each source  [packets/slot]
[[nodiscard]] double burst_decay(double count, double share, double leaf_load, double on_rate = 1);

/// The number M of two-state sources of this load and on-rate whose queue has that decay rate; fewer decay
/// faster.
/// \return at least load / on_rate, at most 1e9
[[nodiscard]] double sources_of_decay(double decay, double load, double on_rate = 1);

/// P(W = w) at the ages of burst_ages(), each of `levels` entries.
struct AgedWait {
  std::vector<std::vector<double>> of_age;
  double mean = 0;           ///< over all packets [slots]
  double mean_of_first = 0;  ///< over those of age 0

  [[nodiscard]] std::vector<double> of_any_age() const;
  /// Mean increase of the distance between two packets of a burst at the queue [slots].
  [[nodiscard]] double stretch() const;
};

/// The queue in an arbitrary slot.
class AgedQueue {
 public:
  /// COST  15^2 operations for each of 15 levels before it, per level
  /// \pre levels >= 2
  AgedQueue(const AgedArrivals& arrivals, std::size_t levels);

  /// Waits of packets that arrive `distance` slots apart on average. Follows some 19 grid_burst distance
  /// slots.
  /// COST  15^2 levels per slot
  [[nodiscard]] AgedWait wait(double distance) const;
  /// P(W = w) over all packets, from the occupancy alone.
  [[nodiscard]] std::vector<double> wait_of_any() const;
  /// Decay rate of P(W > w) at the last levels computed.
  [[nodiscard]] double decay() const;

 private:
  struct Chain;
  std::shared_ptr<const Chain> chain_;
};

/// A hop of a path: the waits there, and the dependence on the previous wait that the age does not explain.
struct AgedHop {
  const AgedWait* wait = nullptr;
  double dependence = 0;  ///< the wanted s of docs/derivations/aged_bursts.md, (9); 0 at the first hop
};

/// P(D = d), D the sum of the waits of a path: hops given the age, with dependent neighbours, then averaged
/// over ages. Underestimated beyond the levels of the waits.
/// \param decay  the smallest decay rate of the waits; relative errors are some 1e-9 where P(D = d) > 1e-12
/// \pre laws of equal length
[[nodiscard]] std::vector<double> sum_of_aged(const std::vector<AgedHop>& hops, double decay);

}  // namespace tailbound::queue
