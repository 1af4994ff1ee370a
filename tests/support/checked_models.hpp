#pragma once

#include <tailbound/queue/slotted/slotted_queue.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <tests/support/fraction.hpp>
#include <tests/support/random_models.hpp>
#include <vector>

/// Compares the library's answers for random models with a second method that shares nothing with it.
namespace tailbound::test {

/// Counts of comparisons.
struct Tally {
  std::int64_t models = 0;
  std::int64_t enclosures = 0, exact = 0, rejected_double = 0, answered_double = 0, min_levels = 0;
  std::map<std::string, std::int64_t> kinds;  ///< models of each kind of traffic, for checked_model()
};

/// Compares the tails in this arithmetic with their references: too few, wrong, too wide, or rejected without
/// need. Empty if nothing is wrong.
[[nodiscard]] std::string wrong_tails(const RandomModel& model, const queue::SlottedQueue& slotted,
                                      queue::Arithmetic arithmetic, const std::vector<Reference>& references,
                                      Tally& tally);

/// One model of any kind, most of them cheap: a few milliseconds in all.
///
///   kind                            second method
///   binomial, unequal, Poisson,     the literal division of power series: exact fractions to level 60, fixed
///   PMF, formula                    point to 400 digits beyond and for Poisson (reference_tail.hpp)
///   2 .. 32 packets per slot        the chain of levels, eliminated state by state, in 19 or in 100 digits
///   on-off sources, per-burst       the chain of levels and phases, eliminated state by state, in 19 digits
///   destinations, blocks
///
/// Every exception counts as wrong.
/// \return what is wrong, with the model; empty if nothing
[[nodiscard]] std::string checked_model(std::uint64_t seed, Tally& tally);

}  // namespace tailbound::test
