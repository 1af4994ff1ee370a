#pragma once

#include <tailbound/queue/matrix_bounds.hpp>
#include <tailbound/traffic/on_off.hpp>

#include <array>
#include <optional>

/// G of equal on-off sources, computed with more bits than a long double has. Internal to the queue module.
namespace tailbound::queue {

/// G of the blocks times 1 + excess for each excess, for Passage to check; both at the same time where there
/// are processors for it.
///
/// COST  O(m^3) operations with 113 bits, 320 above 40 sources or where asked for: with bursts of a million slots the
///       least entries, all sources beginning at once, are below what 113 bits keep beside 1
/// \return nothing where the eigenvectors are not found
[[nodiscard]] std::optional<std::array<Matrix<long double>, 2>> on_off_candidates(
    const traffic::OnOff& source, std::int64_t sources, const std::array<long double, 2>& excess, bool wider);

}  // namespace tailbound::queue
