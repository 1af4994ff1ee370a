#pragma once

#include <tailbound/answers/buffer/shared_buffer.hpp>
#include <tailbound/answers/comparison.hpp>
#include <tailbound/answers/simulation/simulate_switch.hpp>

#include <cstdint>
#include <optional>
#include <vector>

/// The memory that the ports of a switch share: what is proved of it and what it is about, beside a simulation.
///
/// MODEL     queue/finite/shared_memory.hpp and sim/switch/switch_replication.hpp, both with inputs of one load that send
///           packets independently from slot to slot to every output alike, all cells of one in one slot.
/// RESULT    a bound that lies below the simulation's interval is refuted: that is what `optimistic` counts. The
///           approximation beside it promises nothing and is not counted.
/// TESTS     tests/golden/switch_test.cpp, tests/networks/random_switches.cpp
namespace tailbound::answers {

struct ValidateSwitchQuestion {
  EqualSwitchInputs traffic;
  std::int64_t outputs = 1;
  /// loss: of a switch with the memory M, which loses; overflow: P(T > M) of one with unlimited room.
  bounds::Criterion criterion = bounds::Criterion::overflow;
  std::optional<numeric::Rational> threshold{};  ///< alpha of a dynamic threshold; with loss
  std::optional<SwitchCells> cells{};  ///< unless told, every packet is one; else all numbers are in cells
  /// M: the levels of overflow, in one simulation; of loss, one. Unless told, where about simulable_tails() are.
  std::vector<Packets> memories{};
  double confidence = 0.95;  ///< with which all intervals hold together, above 0 and below 1
  RunLength length{};
};

struct ComparedMemory {
  Packets memory;
  Comparison<unit::Probability> measure{};  ///< the bound, beside the simulation
  /// Not proved; where there is one.
  std::optional<Comparison<unit::Probability>> about{};
  /// Of losses with cells: the packets that lose one, where `measure` is of the cells.
  std::optional<Comparison<unit::Probability>> packets{};
};

struct ValidateSwitchAnswer {
  SimulateSwitchAnswer simulation{};
  std::vector<ComparedMemory> memories{};
  std::optional<Comparison<unit::Packet>> mean{};  ///< E[T], of overflow
  double confidence_of_each = 0;                   ///< of each comparison's interval
  Tally tally{};                                   ///< of the bounds and the mean

  [[nodiscard]] bool stopped() const { return simulation.stopped(); }
};

/// What was simulated of P(T > M), or of losses, into `compared`, and its verdicts into `tally`.
/// \param cells  `measure` is of the cells lost, not of the packets
void see_tail(ComparedMemory& compared, const sim::LevelEstimate& seen, Tally& tally);
void see_losses(ComparedMemory& compared, const sim::SwitchEstimates& seen, bool cells, Tally& tally);

/// Memories at which the measure is about `tails`, for `memories` of the question; rising.
/// \throws InvalidArgument, Unstable  as answer()
[[nodiscard]] std::vector<Packets> usual_memories(const ValidateSwitchQuestion& question,
                                                  const std::vector<numeric::Rational>& tails);

/// \throws InvalidArgument, Unstable, LimitExceeded, Stopped  as the answers to the questions that it is made of
[[nodiscard]] ValidateSwitchAnswer answer(const ValidateSwitchQuestion& question, const Run& run = {});

}  // namespace tailbound::answers
