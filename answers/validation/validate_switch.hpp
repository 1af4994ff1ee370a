#pragma once

#include <tailbound/answers/buffer/shared_buffer.hpp>
#include <tailbound/answers/simulation/simulate_switch.hpp>
#include <tailbound/answers/validation/compared.hpp>

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

/// The bound at each memory, with the approximation if there is one; for losses with cells that of cells,
/// then of packets. For overflow the mean.
using ValidateSwitchAnswer = Validated<SimulateSwitchAnswer>;

/// A bound or a value at one memory or level, and what accompanies it.
struct PredictedMemory {
  Packets memory;
  std::optional<Predicted<unit::Probability>> measure{};
  std::optional<Predicted<unit::Probability>> about{};    ///< not proved
  std::optional<Predicted<unit::Probability>> packets{};  ///< for losses, where `measure` counts cells
};
/// Its row.
void add_tail(Comparisons& to, ComparedQuantity quantity, const PredictedMemory& predicted,
              const sim::LevelEstimate& seen);
/// One or two rows.  \param cells  `measure` counts lost cells
void add_losses(Comparisons& to, const PredictedMemory& predicted, const sim::SwitchEstimates& seen,
                bool cells);

/// Memories at which the measure is about `tails`, for `memories` of the query; in increasing order.
/// \throws InvalidArgument, Unstable  as answer()
[[nodiscard]] std::vector<Packets> usual_memories(const ValidateSwitchQuery& query,
                                                  const std::vector<numeric::Rational>& tails);

/// \throws InvalidArgument, Unstable, LimitExceeded, Stopped  as the underlying queries
[[nodiscard]] ValidateSwitchAnswer answer(const ValidateSwitchQuery& query, const Run& run = {});

}  // namespace tailbound::answers
