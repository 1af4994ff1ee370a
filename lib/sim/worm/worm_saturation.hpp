#pragma once

#include <tailbound/sim/batches/batched_run.hpp>
#include <tailbound/sim/worm/source_shortfall.hpp>

#include <functional>
#include <limits>
#include <optional>
#include <vector>

/// The saturation load of a simulated wormhole network: the highest load at which its source queues do not
/// grow.
///
/// TESTS     tests/sim/worm_replication_test.cpp, tests/sim/broadcast_replication_test.cpp
namespace tailbound::sim {

/// Do the source queues grow?
///
/// METHOD    Messages waiting at the sources: the mean of the second half of the measured time less that of
///           the first, over the time between the midpoints, is the traffic that is not carried. Unstable:
///           more than 0.5 % of the messages generated, and growth in each replication; or some of the
///           sources fall short of their offered load (source_shortfall.hpp), which the total of all sources
///           may hide.
struct WormStability {
  double waiting_first = 0, waiting_second = 0;  ///< mean number of messages at a sending node
  double not_carried = 0;                        ///< of the messages generated
  bool stable = true;
  /// The sources with the most significant shortfall; nothing if all sources are equal by symmetry and none
  /// is tested alone.
  std::optional<SourceShortfall> shortfall{};
};

/// Rows of a simulation's counts: [0] cycles; messages generated; messages at sources, summed over cycles.
struct GrowthRows {
  std::size_t cycles = 0, generated = 0, waiting = 0;
};

/// \param senders  nodes that send
[[nodiscard]] WormStability stability_of(const RunResult& result, const GrowthRows& rows, double senders);

struct SaturationProbe {
  double load = 0;       ///< or another measure of the offered load
  double delivered = 0;  ///< flits/cycle/node while measured
  WormStability stability;
};

struct SimulatedSaturation {
  double max_stable = 0,
         min_unstable = 0;              ///< loads; the search ends when they differ by `precision`
  bool bounded = false;                 ///< min_unstable is the bound of the search, and was not simulated
  std::vector<SaturationProbe> probes;  ///< in the order in which they were made
  double messages = 0;                  ///< generated at each node while measured
  bool complete = true;                 ///< false if it was stopped
};

struct SaturationSearch {
  double first_guess = 0.1;  ///< a load near the expected saturation
  double precision = 0.01;   ///< relative
  /// Generated per node while measured, and half as many before; 0: 24 000 over the square root of the number
  /// of nodes, between 300 and 3000 (with more nodes, fewer messages per node give the same precision).
  double messages = 0;
  /// Nodes that share the busiest channels, for the number of messages; 0: all. With few such sources a
  /// saturation estimate does not improve with the total number of sources.
  double senders = 0;
  int replications = 4;
  std::uint64_t seed = 1;
  /// A load proved to exceed the capacity: nothing is simulated there. Infinite: none is known.
  double bound = std::numeric_limits<double>::infinity();
};

/// \param nodes  that send
[[nodiscard]] double messages_each(const SaturationSearch& search, double nodes);
/// The plan of a probe with the given measured cycles, after half as many of warm-up.
[[nodiscard]] RunPlan probe_plan(const SaturationSearch& search, double cycles);

/// By bracketing and bisection, up to load 1 or below the bound. The bound itself is never simulated, so no
/// load above it is found stable.
/// \param probe  simulates a load; nothing if it was stopped
/// \param on_progress   called with the number of probes made
/// \throws NoAnswer  stable up to load 1 although the bound is above, or unstable down to 1e-7
[[nodiscard]] SimulatedSaturation search_saturation(
    const SaturationSearch& search, const std::function<std::optional<SaturationProbe>(double)>& probe,
    const std::function<void(std::size_t)>& on_progress);

}  // namespace tailbound::sim
