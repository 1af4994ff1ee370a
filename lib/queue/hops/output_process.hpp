#pragma once

#include <tailbound/queue/hops/queue_pair.hpp>

#include <span>
#include <vector>

/// The packets that a slotted queue sends over its link, as an alternating renewal process.
///
/// MODEL     Idle slots and busy runs alternate, independent of each other. An idle period is geometric. A
///           busy run is a mixture of two geometric laws with the first three moments of the queue's own
///           runs. In a busy slot the packet goes to the queue in question with probability `emit`,
///           independently.
/// RESULT    exact idle periods, three exact moments of the runs, hence the long-run variance; at most one
///           packet per slot
/// SOURCE    docs/derivations/any_network.md, (1) to (3)
/// EXCLUDES  dependence of the runs on the history of queues further upstream
/// TESTS     tests/queue/hops/output_process_test.cpp
namespace tailbound::queue {

struct OutputProcess {
  static constexpr int max_phases = 3;

  int phases = 1;           ///< 1: every slot is busy; 2: idle, busy; 3: idle, and two kinds of busy runs
  double start = 0;         ///< P(busy | idle before)
  double first = 1;         ///< fraction of runs of the first kind
  double stop[2] = {1, 1};  ///< P(idle | busy before) of either kind of run
  double emit = 0;          ///< packets/slot while busy, 0 .. 1

  [[nodiscard]] bool busy(int phase) const noexcept { return phases == 1 || phase > 0; }
  [[nodiscard]] double rate() const noexcept;  ///< packets/slot
  /// The process with one phase less. Keeps the mean run, and at last only the rate.  \pre phases > 1
  [[nodiscard]] OutputProcess simplified() const;
  friend bool operator==(const OutputProcess&, const OutputProcess&) = default;
  friend auto operator<=>(const OutputProcess&, const OutputProcess&) = default;
};

/// Moments E C(R-1, k), k = 1, 2, 3, of the length R of a busy run.
struct RunMoments {
  double load = 0, none = 1;  ///< packets/slot; P(no arrival in a slot)
  double f1 = 0, f2 = 0, f3 = 0;
};

/// For the queue of these sources, from the functional equation of its busy runs.
/// \throws Unstable  the probabilities sum to 1 or more
[[nodiscard]] RunMoments run_moments(std::span<const LoneSource> sources);

/// \param emit  fraction of the packets that go to the queue in question, 0 .. 1
[[nodiscard]] OutputProcess output_process(const RunMoments& runs, double emit);

/// Stationary probabilities of the phases.
[[nodiscard]] std::vector<double> stationary(const OutputProcess& process);

/// E[age of the current busy run in slots | v packets left over], v < size, for the queue of these
/// sources.
/// \throws as lone_queue()
[[nodiscard]] std::vector<double> mean_age_of_run(const std::vector<LoneSource>& sources, std::size_t size);

}  // namespace tailbound::queue
