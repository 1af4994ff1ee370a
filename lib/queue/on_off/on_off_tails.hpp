#pragma once

#include <tailbound/traffic/on_off.hpp>

#include <cstdint>
#include <vector>

/// Tails of the queue of a few identical on-off sources, not proved, at a cost that depends neither on the
/// length of their bursts nor on the load.
///
/// MODEL     as MarkovQueue: Q[t+1] = max(Q[t] - 1, 0) + A[t+1]
/// METHOD    X = max(Q - 1, 0) moves down by at most one and up by at most m - 1, so m - 1 of its levels
///           together are a level of a quasi-birth-death process. Logarithmic reduction doubles the height of
///           the excursions taken into account in each step. P(Q > n) = P(X >= n) for n >= 1.
/// SOURCE    Latouche and Ramaswami 1993; docs/derivations/traces.md
/// TESTS     tests/queue/on_off/on_off_tails_test.cpp
namespace tailbound::queue {

constexpr std::int64_t max_sources_of_tails = 16;

/// P(Q > n) for increasing levels n >= 0.
/// COST  O(m^6) operations, and O(m^3) per level
/// \param sources  1 .. max_sources_of_tails
/// \throws Unstable  the load is 1 or more
[[nodiscard]] std::vector<double> on_off_tails(const traffic::OnOff& source, std::int64_t sources,
                                               const std::vector<std::int64_t>& levels);

}  // namespace tailbound::queue
