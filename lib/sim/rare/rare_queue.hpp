#pragma once

#include <tailbound/core/quantity.hpp>
#include <tailbound/network/queue_traffic.hpp>
#include <tailbound/numeric/truth.hpp>
#include <tailbound/sim/batches/batched_run.hpp>

/// Rare events of one slotted queue by importance sampling, down to 1e-280.
///
/// MODEL     Q[t+1] = max(Q[t] - 1, 0) + A[t+1], A from independent Bernoulli sources of total mean rho < 1;
///           Q[t] counts the packets just after the arrivals of slot t, those about to be served included.
///           With a buffer of B packets  Q[t+1] = min(max(Q[t] - 1, 0) + A[t+1], B).
/// METHOD    Cycles from one slot with Q = 0 to the next are independent and identically distributed. Each
///           starts with arrivals tilted by z0 > 1, the solution of A(z) = z, under which the queue grows;
///           from the first slot of the event, arrivals are plain to the end of the cycle. Counts of the
///           cycle are weighted by the likelihood ratio z0^(1-Q) of that slot, kept as its logarithm. The
///           mean length of a cycle is known: 1 / P(Q = 0).
/// RESULT    overflow and waits: unbiased for any number of cycles. Loss: a smooth function of such an
///           estimate; the relative bias is of the order of the probability itself.
/// SOURCE    docs/derivations/rare_events.md; Siegmund 1976, "Importance sampling in the Monte Carlo study of
///           sequential tests"; Asmussen and Glynn 2007, "Stochastic simulation", chapter VI
/// EXCLUDES  loads of 1 and above, queues that serve several packets per slot, correlated arrivals.
/// TESTS     tests/sim/rare_queue_test.cpp
namespace tailbound::sim {

enum class RareEvent {
  overflow,  ///< P(Q > level): fraction of the slots, infinite buffer
  loss,      ///< fraction of the packets lost with a buffer of `level` packets, including the one in service
  wait,      ///< P(W > level): fraction of the packets, infinite buffer; W = packets found ahead [slots]
};

struct RareQueueModel {
  std::vector<network::SourceRate> sources;
  RareEvent event = RareEvent::overflow;
  std::int64_t level = 1;  ///< overflow and loss: >= 1; wait: >= 0
};

/// Rows of the counts of a batch of cycles.
struct RareQueueRows {
  /// [o]: slots (or packets) counted by the cycles that reached the event with an excess of o packets.
  static constexpr std::size_t counted = 0;
  static constexpr std::size_t cycles = 1, hits = 2, slots = 3;  ///< [0]: number of cycles
};

struct RareQueueEstimate {
  numeric::Estimate<unit::Probability> probability;
  std::uint64_t cycles = 0;
  std::uint64_t hits = 0;   ///< cycles that reached the event
  std::uint64_t slots = 0;  ///< simulated
  /// Half the interval's width over the value.
  [[nodiscard]] double relative_width() const {
    return (probability.upper - probability.lower) / 2 / probability.value;
  }
};

/// One replication: its advance(n) simulates n cycles, and a RunPlan's `slots` are cycles.
///
/// COST   about (level + 1) / (1 - rho) slots up and as many down for each cycle that reaches the event, some
///        4 ns per slot; the fraction of cycles that reach it is about 1 - rho.
/// \throws InvalidArgument  sources or level out of range
/// \throws Unstable         rho >= 1
/// \throws NoAnswer         a single source: never more than one packet
/// \throws LimitExceeded    z0^-level is below 1e-280, or the load within some 1e-9 of 1
[[nodiscard]] std::unique_ptr<Replication> make_rare_queue_replication(const RareQueueModel& model,
                                                                       RandomKey key);

/// The plan for `cycles` cycles: 4 replications, 64 batches in total, no warm-up.
[[nodiscard]] RunPlan rare_queue_plan(std::int64_t cycles, std::uint64_t seed);

[[nodiscard]] RunResult run_rare_queue(const RareQueueModel& model, const RunPlan& plan,
                                       const RunControls& controls = {}, std::string_view resume = {});

/// \throws InvalidArgument  fewer than two batches were completed
/// \throws NoAnswer         no cycle reached the event
[[nodiscard]] RareQueueEstimate rare_queue_estimate(const RareQueueModel& model, const RunResult& result,
                                                    double confidence = 0.95);

struct RareQueueGoal {
  double relative_width = 0.02;  ///< half the interval's width over the value; 1e-4 .. 1
  double confidence = 0.95;
  std::int64_t max_cycles = 1'000'000'000;
};

/// Runs as many cycles as the goal requires. 16 384 pilot cycles give the spread, and a second run with other
/// random numbers gives the answer, so the stopping rule does not depend on its data. The goal is reached
/// except by chance (the second run has 1.6 times the cycles that the spread requires), or the limit of
/// cycles was reached.
/// \throws InvalidArgument  a goal out of range; the run was stopped with fewer than two batches completed
[[nodiscard]] RareQueueEstimate estimate_rare_queue(const RareQueueModel& model, std::uint64_t seed,
                                                    const RareQueueGoal& goal = {},
                                                    const RunControls& controls = {});

/// "one queue, overflow of 12, ": the start of the texts of models of one queue.
[[nodiscard]] std::string describe(RareEvent event, std::int64_t level);

/// The inputs as text, for checkpoints and messages.
[[nodiscard]] std::string describe(const RareQueueModel& model);

}  // namespace tailbound::sim
