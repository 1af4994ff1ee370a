#pragma once

#include <tailbound/sim/rare/rare_queue.hpp>

/// Rare events of one slotted queue with equal on-off sources, by importance sampling.
///
/// MODEL     Q[t+1] = max(Q[t] - 1, 0) + A[t+1] as in sim/rare/rare_queue.hpp, but A[t] ~ Binomial(J[t], r),
///           J the number of m equal on-off sources that are ON (sim/rare/on_count.hpp), rho < 1. With a
///           share below 1 each burst comes here, as a whole, with that probability: J counts the sources ON
///           here, and the number ON elsewhere is part of the state.
/// METHOD    A plain simulation runs in parallel. Each of its slots with Q = 0 starts a cycle with the J of
///           the next slot, simulated with tilted sources until the queue is empty again or the event is
///           reached, then with plain sources until it is empty. Counts of a cycle are weighted by the
///           likelihood ratio z0^(1-Q) f^(J - J') of that moment (times h^(E - E') for sources ON elsewhere).
/// RESULT    Cycles are identically distributed but not independent, as their start states are correlated:
///           unbiased once the plain simulation is stationary (it has a warm-up), with intervals from batches
///           much longer than its relaxation time (sim/batches/batched_run.hpp).
/// SOURCE    docs/derivations/rare_events.md; Chang, Heidelberger, Juneja and Shahabuddin 1994, "Effective
///           bandwidth and fast simulation of ATM intree networks" (the cycles)
/// EXCLUDES  sources that differ, queues that serve several packets per slot.
/// TESTS     tests/sim/rare_bursty_queue_test.cpp
namespace tailbound::sim {

struct RareBurstyQueueModel {
  network::BurstySource sources;  ///< count 2 .. 4096
  RareEvent event = RareEvent::overflow;
  std::int64_t level = 1;  ///< overflow and loss: >= 1; wait: >= 0
};

/// Rows of the counts of a batch of cycles.
struct RareBurstyRows {
  static constexpr std::size_t cycles = 0, hits = 1, slots = 2;  ///< [0]: number of cycles
  /// Row 3 + o: the cycles that reached the event with an excess of o packets; in it [2 d] for d = J' - J >=
  /// 0, [-2 d - 1] for d < 0: slots (or packets) counted. With a share below 1, a the index of J' - J and b
  /// that of E' - E: [(a + b)(a + b + 1) / 2 + b].
  static constexpr std::size_t counted = 3;
};

/// One replication: its advance(n) simulates n cycles, and a RunPlan's `slots` and `warmup` are cycles.
///
/// COST   as make_rare_queue_replication(), twice as much per slot, five times with a share below 1; and 1 /
///        (1 - rho) slots of the plain simulation for each cycle.
/// \throws InvalidArgument  sources or level out of range
/// \throws Unstable         rho >= 1
/// \throws NoAnswer         a single source: never more than one packet
/// \throws LimitExceeded    z0^-level is below 1e-280, or the load within some 1e-9 of 1
[[nodiscard]] std::unique_ptr<Replication> make_rare_bursty_queue_replication(
    const RareBurstyQueueModel& model, RandomKey key);

/// The plan for `cycles` cycles: 4 replications, warm-up and batches by the rule of
/// sim/batches/batched_run.hpp with 1 / (1 - rho) slots per cycle.
[[nodiscard]] RunPlan rare_bursty_queue_plan(const RareBurstyQueueModel& model, std::int64_t cycles,
                                             std::uint64_t seed);

[[nodiscard]] RunResult run_rare_bursty_queue(const RareBurstyQueueModel& model, const RunPlan& plan,
                                              const RunControls& controls = {}, std::string_view resume = {});

/// \throws InvalidArgument  fewer than two batches were completed
/// \throws NoAnswer         no cycle reached the event
[[nodiscard]] RareQueueEstimate rare_bursty_queue_estimate(const RareBurstyQueueModel& model,
                                                           const RunResult& result, double confidence = 0.95);

/// The level with a probability near `probability`, given that tails fall by 1/z0 per packet; 0 < probability
/// < 1
[[nodiscard]] std::int64_t likely_level(const network::BurstySource& sources, double probability);

/// The inputs as text, for checkpoints and messages.
[[nodiscard]] std::string describe(const RareBurstyQueueModel& model);

}  // namespace tailbound::sim
