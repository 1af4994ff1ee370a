#pragma once

#include <tailbound/queue/matrix_bounds.hpp>
#include <tailbound/traffic/on_off.hpp>

/// G of equal on-off sources, computed with more bits than a long double has. Internal to the queue module.
namespace tailbound::queue {

/// G of the blocks times 1 + excess, for Passage to check.
///
/// COST  O(m^3) operations with 113 bits, 320 above 40 sources
/// \return nothing where the eigenvectors are not found
[[nodiscard]] std::optional<Matrix<long double>> on_off_candidate(const traffic::OnOff& source,
                                                                  std::int64_t sources, long double excess);

}  // namespace tailbound::queue
