#pragma once

#include <cli/options/options.hpp>
#include <tailbound/answers/crossbar/crossbar.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// Options of every command about input-queued switches.
namespace tailbound::cli {

/// Packets per slot of an input.
[[nodiscard]] Accepted<Rationals> crossbar_loads();
/// Whole numbers, and "all" as 0.
[[nodiscard]] Accepted<std::vector<std::int64_t>> iteration_counts();

struct SchedulerOptions {
  OptionTable rows{};
  OptionGroup group{rows, "Switch"};
  List<traffic::CrossbarScheduler> scheduler{group, "--scheduler", "NAME",
                                             names<traffic::CrossbarScheduler>().first_by_default(),
                                             "{names}\n(default {})"};
  Integers iterations{group, "--iterations", "N", iteration_counts(),
                      "of pim and islip (default log2 K, rounded up).\nall: until no pair is added"};
  Integers crosspoint{group, "--crosspoint", "B",
                      integers(1, answers::CrossbarQuery::max_crosspoint).by_default("1").slider(1, 4, 1),
                      "packets per crosspoint buffer (default {})"};
  Numbers speedup{
      group, "--speedup", "S",
      numbers().must_be("from 1 to 16, or in simulations to the number of inputs").slider(1, 2, 0.05),
      "scheduling phases per slot (default 1; ccf: 2)"};

  /// Is any of these requested?
  [[nodiscard]] bool any(std::initializer_list<traffic::CrossbarScheduler> wanted) const;
};

/// Of pim and islip.
[[nodiscard]] inline bool has_iterations(traffic::CrossbarScheduler scheduler) {
  return scheduler == traffic::CrossbarScheduler::islip || scheduler == traffic::CrossbarScheduler::pim;
}

/// Options of some schedulers are given with these.  \throws Misuse
void require_schedulers(const SchedulerOptions& options);

/// One for each combination of the entries that act on the scheduler.
[[nodiscard]] std::vector<answers::CrossbarQuery> with_schedulers(
    const std::vector<answers::CrossbarQuery>& queries, const SchedulerOptions& options);

}  // namespace tailbound::cli
