#pragma once

#include <tailbound/sim/batches/batched_run.hpp>
#include <tailbound/sim/splitting/splitting.hpp>
#include <tailbound/sim/switch/switch_replication.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// A switch whose memory is rarely full, by multilevel splitting: P(T > n), or the loss of a shared memory.
///
/// MODEL     that of sim/switch/switch_replication.hpp. T counts the cells of all queues just after the
///           arrivals of a slot; a packet is lost iff it finds T = memory.
/// METHOD    splitting (splitting.hpp) at each T. The state is the lengths of the queues; with bursts and
///           trains also the state of each input. Slots are drawn one by one here, from other random numbers
///           and by other code than in SwitchReplication. The numbers of copies come from pilot runs, each
///           round of which reaches as deep as the previous one allows: they are a function of the switch
///           alone, not of the run's seed.
/// RESULT    unbiased in the stationary state, whatever the result of the pilot runs.
/// COST      some 2 ns for each cell, queue and slot of a path; pilot runs about a second.
/// SOURCE    docs/derivations/rare_events.md
/// EXCLUDES  dynamic thresholds and buffers of single queues, whose losses occur at any T; losses of packets
///           of several cells
/// TESTS     tests/sim/rare_switch_test.cpp
namespace tailbound::sim {

struct RareSwitchModel {
  SwitchModel traffic;     ///< with `memory`: the losses are estimated, and the level is the memory
  std::int64_t level = 1;  ///< n of P(T > n)
  /// [i], i = 0 .. level + 1 (with a memory: level): R_i, R_0 = 1.
  std::vector<std::int64_t> copies{};
  /// approximate number of slots of all paths per slot of the main path: for the length of a run
  double paths = 1;

  [[nodiscard]] bool loses() const { return traffic.memory.has_value(); }
};

/// n of P(T > n); or a target probability for P(T > n): the smallest n at which the pilot runs saw no more.
using RareTotal = RareLevelSought;

/// The model with its copies, by pilot runs.
/// \param rare  for a switch with unlimited memory; otherwise omitted, as the memory is the level
/// \throws InvalidArgument  a field out of range, or an excluded feature; n outside 1 .. 10^6; a probability
///                          that is not above 0 and below 1
/// \throws Unstable         the offered load of an output is 1 cell per slot or more
/// \throws NoAnswer         no pilot run came near n: T never gets so large, or with a probability far below
///                          1e-280
/// \throws LimitExceeded    a probability below 1e-280
/// \throws Stopped          at `stop`
[[nodiscard]] RareSwitchModel rare_switch_model(const SwitchModel& traffic,
                                                const std::optional<RareTotal>& rare = std::nullopt,
                                                const std::stop_token& stop = {});

/// \pre a model from rare_switch_model(), or one with all copies 1: plain simulation
[[nodiscard]] std::unique_ptr<Replication> make_rare_switch_replication(const RareSwitchModel& model,
                                                                        RandomKey key);

[[nodiscard]] RunResult run_rare_switch(const RareSwitchModel& model, const RunPlan& plan,
                                        const RunControls& controls = {}, std::string_view resume = {});

/// Fraction of the arriving packets that are lost.
/// \throws InvalidArgument  fewer than two batches were completed
struct RareSwitchLoss {
  numeric::Estimate<unit::Ratio> loss;
  std::uint64_t count = 0;  ///< lost packets, of all paths
};
[[nodiscard]] RareSwitchLoss rare_switch_loss(const RareSwitchModel& model, const RunResult& result,
                                              double confidence = 0.95);

/// The inputs as text, for checkpoints and messages.
[[nodiscard]] std::string describe(const RareSwitchModel& model);

}  // namespace tailbound::sim
