#pragma once

#include <tailbound/bounds/path/computed_delay.hpp>
#include <tailbound/network/tree.hpp>

#include <compare>
#include <cstddef>
#include <span>
#include <vector>

/// Delays of bursts' packets through several queues, if a burst keeps its path.
///
/// MODEL     A packet's waits depend on each other through the age of its burst (queue/hops/aged_wait.hpp),
///           neighbouring ones slightly more; queues stretch the bursts. Computed for bursts of 16 packets;
///           all delays grow with the mean burst.
/// RESULT    numerical, not proved: eight constants are fitted to simulations of trees with 4, 8 and 16
///           ports, loads 0.4 to 0.85 and bursts of 4 to 64 slots. docs/derivations/aged_bursts.md gives the
///           accuracy for others.
/// EXCLUDES  packets of a burst that take different paths; links that take several packets per slot
/// TESTS     tests/bounds/path/aged_delay_test.cpp
namespace tailbound::bounds {

/// A queue and the bursts that pass it.
struct BurstQueue {
  double load = 0;          ///< [packets/slot], above 0, below 1
  double links = 1;         ///< effective number of identical links into it: (sum of their rates)^2 / sum of
                            ///< squares
  double sources = 1;       ///< that send through it
  bool of_sources = false;  ///< whether the sources have links of their own, `links` identical ones
  friend auto operator<=>(const BurstQueue&, const BurstQueue&) = default;
};

/// Packets that pass the same queues.
struct BurstPath {
  std::vector<std::size_t> queues;
  std::vector<double>
      forwarded;    ///< fraction of the packets served by the previous queue that goes on to this one; 0 at
                    ///< the first
  double rate = 0;  ///< of these packets, relative to the other paths
  friend auto operator<=>(const BurstPath&, const BurstPath&) = default;
};

/// Bursts and queues, each queue after those that feed it.
struct BurstPaths {
  double source_load = 0;  ///< of each source [packets/slot]
  double on_rate = 1;      ///< packets per slot within a burst
  std::vector<BurstQueue> queues;
  std::vector<BurstPath> paths;
  friend auto operator<=>(const BurstPaths&, const BurstPaths&) = default;
};

/// Paths in the order of TreeDelay::routes.
/// \throws as network::tree_paths()
[[nodiscard]] BurstPaths burst_tree(const network::Tree& tree, const numeric::Rational& load,
                                    network::TreeRouting routing, const numeric::Rational& on_rate);

/// Not thread-safe. Results are cached for all objects of the process.
class AgedDelay final : public DelayLaw {
 public:
  static constexpr double min_packets = 2;  ///< mean packets per burst; below this, ages explain little

  /// \param burst  mean length [slots]
  /// \throws InvalidArgument  a burst of less than `min_packets`; a queue listed before one upstream of it
  AgedDelay(BurstPaths paths, const numeric::Rational& burst);

  /// One per path.
  [[nodiscard]] const std::vector<Route>& routes() const { return routes_; }

  /// COST  some 40 ms per hop at load 0.6, in proportion to 1 / (1 - load), once per process; then
  ///       microseconds
  /// \throws InvalidArgument  as PathDelay::answer()
  /// \throws LimitExceeded    a load, or a delay, that needs more than 65 536 levels in units of bursts of 16
  [[nodiscard]] ClaimedDelayAnswer claims(std::span<const Route> routes, const DelayQuery& query) override;

 private:
  BurstPaths paths_;
  double slots_per_step_;  ///< of the distributions
  std::vector<Route> routes_;

  [[nodiscard]] std::vector<RouteLaw> laws(std::span<const Route> routes, double target,
                                           std::int64_t deepest) const;
};

}  // namespace tailbound::bounds
