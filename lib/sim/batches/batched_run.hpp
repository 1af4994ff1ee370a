#pragma once

#include <tailbound/run/executor.hpp>
#include <tailbound/sim/batches/replication.hpp>
#include <tailbound/sim/sources/on_off_slots.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

/// Runs independent replications of a simulation, batch by batch, with progress, stop, checkpoint and resume:
/// on threads, or with any other executor (run/executor.hpp).
///
/// RESULT    the counts of each batch of each replication: bit for bit the same for any executor, and for a
///           run that was stopped and resumed.
namespace tailbound::sim {

/// What is simulated, apart from the model. Every field is part of the result's identity.
struct RunPlan {
  std::uint64_t seed = 1;
  int replications = 4;     ///< 1 .. 1024
  std::int64_t warmup = 0;  ///< slots of each replication before measuring
  std::int64_t slots = 0;   ///< measured slots of each replication; rounded up to whole batches
  int batches = 16;         ///< per replication; batches * replications at most 4096

  [[nodiscard]] std::int64_t batch_slots() const { return (slots + batches - 1) / batches; }
  [[nodiscard]] std::int64_t replication_slots() const { return warmup + batch_slots() * batches; }
};

/// A plan with at least this warm-up, a multiple of 64 slots. Batches: 16 per replication, or fewer so that
/// each lasts at least `min_batch` slots, but in total at least 8. \throws InvalidArgument  replications
/// out of range
[[nodiscard]] RunPlan make_plan(double warmup, double min_batch, std::int64_t slots, int replications,
                                std::uint64_t seed);

/// The automatic plan: length of the warm-up and number of batches.
///
/// METHOD    The relaxation time of a queue at utilization rho is taken as that of the reflected Brownian
///           motion with drift 1 - rho and variance rho, its limit in heavy traffic: tau = 2 rho / (1 -
///           rho)^2 slots, at least 4. Sources with bursts increase it: the variance is rho + v, where v is
///           the excess variance of sums over many slots compared with independent slots, and tau is longer
///           by the relaxation time of a source: tau = max(4, 2 (rho + v) / (1 - rho)^2) + 1 / (1 - |1 -
///           alpha - beta|). Warm-up: (10 + 2 hops) tau, which leaves e^-10 of the difference between an
///           empty start and the stationary state, and two tau per hop for the traffic to pass. Batches: 16
///           per replication, or fewer so that each lasts at least 50 tau, but in total at least 8 (then they
///           may be shorter than the rule, and intervals too narrow).
/// \param utilization  of the busiest queue, 0 < utilization; at 1 and above (finite buffers) as most_busy
/// \param hops         queues on the longest route
/// \param memory       of the sources of the queue with the longest
/// \throws LimitExceeded  automatic_plan(): a warm-up of over 1e12 slots
[[nodiscard]] double relaxation_slots(double utilization, const SourceMemory& memory = {});
/// Queues of finite buffers relax no slower than at this utilization.
inline constexpr double most_busy = 0.99;
[[nodiscard]] RunPlan automatic_plan(double utilization, int hops, std::int64_t slots, int replications,
                                     std::uint64_t seed, const SourceMemory& memory = {});

/// The default length of a run, for every simulation: slots of each replication such that all together take a
/// given number of work steps; up to 10 times more if that would be less than 100 relaxation times. Two
/// significant digits, from 1000 to 10^9.
/// \param relaxation  relaxation time of the system [slots]
[[nodiscard]] std::int64_t affordable_slots(double steps, double steps_per_slot, double relaxation,
                                            int replications);

using run::Progress;

/// Finished replications of a run, to continue it with more of them.
struct FinishedReplications {
  std::string of;  ///< all inputs except their number
  std::vector<run::Piece> pieces;
};

/// How the run is executed. Nothing here changes the result.
struct RunControls {
  int threads = 1;                                  ///< without an executor
  std::stop_token stop{};                           ///< ends the run at the next opportunity
  std::function<void(const Progress&)> progress{};  ///< called on the thread that called run()
  std::chrono::milliseconds progress_interval{500};
  std::function<void(const std::string&)> checkpoint{};   ///< called the same way, with bytes to resume from
  std::chrono::milliseconds checkpoint_interval{60'000};  ///< and once more when the run is stopped
  /// Called first, with the inputs that checkpoints of this run belong to; may throw to reject them.
  std::function<void(const std::string& fingerprint)> checkpoint_of{};
  run::Executor* executor = nullptr;  ///< runs the replications; its results are the same
  /// Before the run: replications already finished, if they are of the same run with fewer replications.
  /// Afterwards: all replications, if the run is complete.
  FinishedReplications* finished = nullptr;
};

struct RunResult {
  std::vector<std::vector<Counts>> batches;  ///< [replication][batch]: whole batches only
  bool complete = false;                     ///< false if the run was stopped
  run::WorkerGroup worker_group{};           ///< that executed it
  double seconds = 0;                        ///< of wall time

  /// All batches of all replications, one after the other.
  [[nodiscard]] std::vector<const Counts*> all() const;
};

/// \param model   the inputs as text, without those of the plan; checkpoints of other inputs are rejected
/// \param resume  bytes from a checkpoint, or empty
/// \throws InvalidArgument  a plan or number of threads out of range; a checkpoint of other inputs
/// \throws ParseError       a damaged checkpoint, or not a checkpoint
/// \throws run::MissingPart    results of another part are missing
/// \throws the exceptions of replications
[[nodiscard]] RunResult run(const RunPlan& plan, std::string_view model, const ReplicationFactory& factory,
                            const RunControls& controls = {}, std::string_view resume = {});

}  // namespace tailbound::sim
