#pragma once

#include <tailbound/core/error.hpp>
#include <tailbound/sim/splitting/splitting.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// Numbers of copies for splitting, by pilot runs, each round of which reaches as deep as the previous one
/// allows. Internal to the sim module.
///
/// RESULT    a function of the system alone, not of the seed of a run.
/// SOURCE    docs/derivations/rare_events.md
/// TESTS     tests/sim/rare_switch_test.cpp, crossbar/rare_crossbar_test.cpp
///
/// The estimate of P(q >= i) from a pilot run gives the number of copies of the next one. The main run makes
/// somewhat fewer, and so starts more often at low levels: states with one occupancy are not equivalent (for
/// a switch: packets in one long queue stay longer than in many), and those from which it rises far may be
/// rare where it starts. Measured with shared memories in variance times time, for P of some 1e-9 to 1e-11: a
/// third with 16 ports, half with bursts, 1.4 with 4 ports, 2 with two.
namespace tailbound::sim {

/// Results of a pilot run.
struct PilotSeen {
  std::vector<std::uint64_t> slots;  ///< [T]: of all paths
  std::uint64_t all = 0;             ///< of the main path
  std::vector<double> deep;          ///< [i]: -log P(T >= i), as far as enough slots were seen
};

/// Length of a pilot run.
struct PilotLength {
  std::int64_t warmup;   ///< slots
  std::uint64_t slots;   ///< of all paths, about
  std::uint64_t enough;  ///< of all paths with T >= i, required to trust level i
};

/// Some tenths of a second; more if the relaxation time is long.
[[nodiscard]] inline PilotLength pilot_length(double relaxation, double steps_per_slot) {
  const double slots =
      std::clamp(300 * relaxation, 1e7 / steps_per_slot, std::max(1e5, 1e9 / steps_per_slot));
  return {.warmup = static_cast<std::int64_t>(std::min(20 * relaxation, slots)),
          .slots = static_cast<std::uint64_t>(slots),
          .enough = static_cast<std::uint64_t>(std::clamp(10 * relaxation, 400.0, slots / 20))};
}

template <class System>
PilotSeen pilot(const System& system, const std::vector<std::int64_t>& copies, const PilotLength& length,
                std::uint64_t round, const std::stop_token& stop) {
  constexpr std::int64_t at_once = 256;
  constexpr std::uint64_t pilot_seed = 0x70696c6f74;
  Splitting<System> run(system, copies, {pilot_seed, round});
  const auto go_on = [&] {
    if (stop.stop_requested()) throw Stopped("stopped in the pilot runs");
    run.advance(at_once);
  };
  for (std::int64_t slot = 0; slot < length.warmup; slot += at_once) go_on();
  static_cast<void>(run.take_counts());
  while (run.path_slots() < length.slots) go_on();
  Counts counts = run.take_counts();
  PilotSeen seen{.slots = std::move(counts[SplittingRows::occupancy]),
                 .all = counts[SplittingRows::slots].front(),
                 .deep = {}};
  const std::vector<double> factors = splitting_factors(copies);
  std::vector<double> deep(seen.slots.size());
  double sum = 0;
  std::uint64_t count = 0;
  std::size_t trusted = 0;
  for (std::size_t i = deep.size(); i-- > 0;) {
    sum += static_cast<double>(seen.slots[i]) / factors[std::min(i, factors.size() - 1)];
    count += seen.slots[i];
    deep[i] = std::log(static_cast<double>(seen.all) / sum);
    if (count >= length.enough) trusted = std::max(trusted, i + 1);
  }
  deep.resize(trusted);
  seen.deep = std::move(deep);
  return seen;
}

/// Slots of all paths per slot of the main path, for other numbers of copies.
[[nodiscard]] inline double paths_with(const PilotSeen& seen, const std::vector<std::int64_t>& before,
                                       const std::vector<std::int64_t>& after) {
  const std::vector<double> old = splitting_factors(before), now = splitting_factors(after);
  double sum = 0;
  for (std::size_t i = 0; i < seen.slots.size(); ++i)
    sum += static_cast<double>(seen.slots[i]) * now[std::min(i, now.size() - 1)] /
           old[std::min(i, old.size() - 1)];
  return sum / static_cast<double>(seen.all);
}

/// The target level, once it is known; 0 before.
[[nodiscard]] inline std::int64_t level_of(const RareLevelSought& rare, const std::vector<double>& deep) {
  if (const auto* level = std::get_if<std::int64_t>(&rare)) return *level;
  const double wanted = -std::log(std::get<double>(rare));
  for (std::size_t i = 2; i < deep.size(); ++i)
    if (deep[i] >= wanted) return static_cast<std::int64_t>(i) - 1;
  return 0;
}

/// \param numbers  in a state
/// \param lost     are packets lost at the level? Otherwise copies are also made one above it
/// \param name     of the occupancy, for messages
/// \throws NoAnswer       no pilot run came near the level
/// \throws LimitExceeded  a probability below 1e-280; states too large
/// \throws Stopped        at `stop`
template <class System>
[[nodiscard]] SplittingPlan pilot_runs(const System& system, std::size_t numbers, PilotLength length,
                                       const RareLevelSought& sought, bool lost, const std::string& name,
                                       const std::stop_token& stop) {
  constexpr std::size_t max_numbers = std::size_t{1} << 27U;  // in the states of copies, at all levels
  int longer = 3;                                             // pilot runs without progress
  SplittingPlan plan;
  plan.copies = {1, 1};
  for (std::uint64_t round = 0;; ++round) {
    const PilotSeen seen = pilot(system, plan.copies, length, round, stop);
    std::vector<double> wanted = seen.deep;
    plan.level = level_of(sought, wanted);
    const auto deepest = static_cast<std::size_t>(plan.level + (lost ? 0 : 1));
    const bool enough = plan.level > 0 && deepest < wanted.size();
    if (enough) {
      wanted.resize(std::max<std::size_t>(2, deepest + 1));
      for (double& its : wanted) its -= std::min(0.15 * its, 3.0);
    }
    if (numbers * wanted.size() > max_numbers)
      throw LimitExceeded("storing states of " + std::to_string(numbers) + " numbers at " +
                          std::to_string(wanted.size()) + " levels needs more than 2^27 numbers, the limit");
    if (!enough && wanted.size() <= plan.copies.size() && round > 0) {
      const bool nothing = seen.slots.size() <= plan.copies.size();
      if (longer-- == (nothing ? 2 : 0))
        throw NoAnswer(name + " > " + std::to_string(plan.copies.size() - 1) +
                       " was hardly ever reached in pilot runs with any number of copies");
      length.slots *= 4;
      continue;
    }
    const std::vector<std::int64_t> copies = copies_near(wanted);
    plan.paths = paths_with(seen, plan.copies, copies);
    plan.copies = copies;
    if (enough) return plan;
  }
}

}  // namespace tailbound::sim
