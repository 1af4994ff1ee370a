#pragma once

#include <tailbound/queue/passage/matrix_bounds.hpp>
#include <tailbound/traffic/on_off.hpp>

#include <optional>

/// G of identical on-off sources, computed with more bits than a long double has.
/// Internal to the queue module.
namespace tailbound::queue {

/// G of the blocks times 1 + excess for each excess, to be checked by Passage. The two run in parallel where
/// processors allow.
///
/// COST  O(m^3) operations with 113 bits, or with 320: with bursts of a million slots, or with more than
///       about 40 sources, the smallest entries (all sources beginning at once) are below the resolution of
///       113 bits relative to 1
/// \param bits  quad_bits or wide_bits; candidate_bits() chooses (wide.hpp)
/// \return nothing where the eigenvectors are not found
[[nodiscard]] std::optional<Both<Matrix<long double>>> on_off_candidates(const traffic::OnOff& source,
                                                                         std::int64_t sources,
                                                                         const Both<long double>& excess,
                                                                         int bits);

}  // namespace tailbound::queue
