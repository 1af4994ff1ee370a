#pragma once

#include <tailbound/answers/buffer/shared_buffer.hpp>
#include <tailbound/answers/comparison.hpp>
#include <tailbound/answers/simulation/simulate_switch.hpp>

#include <cstdint>
#include <optional>
#include <vector>

/// Memory shared by the ports of a switch: bound and approximation compared with simulation.
///
/// MODEL     queue/finite/shared_memory.hpp and sim/switch/switch_replication.hpp, both with inputs of equal
/// load that send
///           packets independently from slot to slot to uniform destinations, all cells of a packet in one
///           slot.
/// RESULT    a bound below the simulation's interval is refuted, which `optimistic` counts. The approximation
/// is shown but
///           not counted.
/// TESTS     tests/golden/switch_test.cpp, tests/networks/random_switches.cpp
namespace tailbound::answers {

struct ValidateSwitchQuery {
  EqualSwitchInputs traffic;
  std::int64_t outputs = 1;
  /// loss: of a switch with the finite memory M; overflow: P(T > M) of one with unlimited memory.
  bounds::Criterion criterion = bounds::Criterion::overflow;
  std::optional<numeric::Rational> threshold{};  ///< alpha of a dynamic threshold; with loss
  std::optional<SwitchCells> cells{};  ///< default: one cell per packet; else all numbers are in cells
  /// M: for overflow the levels, in one simulation; for loss one per simulation. Default: where about
  /// simulable_tails() are.
  std::vector<Packets> memories{};
  double confidence = 0.95;  ///< joint confidence of all intervals, above 0 and below 1
  RunLength length{};
};

struct ComparedMemory {
  Packets memory;
  Comparison<unit::Probability> measure{};  ///< the bound, compared with the simulation
  /// Not proved; if there is one.
  std::optional<Comparison<unit::Probability>> about{};
  /// For loss with cells: packets that lose a cell, whereas `measure` counts cells.
  std::optional<Comparison<unit::Probability>> packets{};
};

struct ValidateSwitchAnswer {
  SimulateSwitchAnswer simulation{};
  std::vector<ComparedMemory> memories{};
  std::optional<Comparison<unit::Packet>> mean{};  ///< E[T], for overflow
  double confidence_of_each = 0;                   ///< of each comparison's interval
  Tally tally{};                                   ///< of the bounds and the mean

  [[nodiscard]] bool stopped() const { return simulation.stopped(); }
};

/// Enters the simulated P(T > M) or loss into `compared`, and its verdicts into `tally`.
/// \param cells  `measure` counts lost cells, not packets
void compare_tail(ComparedMemory& compared, const sim::LevelEstimate& seen, Tally& tally);
void compare_losses(ComparedMemory& compared, const sim::SwitchEstimates& seen, bool cells, Tally& tally);

/// Memories at which the measure is about `tails`, for `memories` of the query; in increasing order.
/// \throws InvalidArgument, Unstable  as answer()
[[nodiscard]] std::vector<Packets> usual_memories(const ValidateSwitchQuery& query,
                                                  const std::vector<numeric::Rational>& tails);

/// \throws InvalidArgument, Unstable, LimitExceeded, Stopped  as the underlying queries
[[nodiscard]] ValidateSwitchAnswer answer(const ValidateSwitchQuery& query, const Run& run = {});

}  // namespace tailbound::answers
