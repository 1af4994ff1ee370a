#pragma once

#include <tailbound/queue/passage/passage.hpp>
#include <tailbound/traffic/on_off.hpp>

/// Spectral approximation for many identical on-off sources. Internal to the queue module.
///
/// MODEL     as on_off_blocks.hpp. The distribution of the number of ON sources is w_j sum_k a_k K_k(j), w
///           the stationary binomial law and K_k the orthonormal Krawtchouk polynomials. A change of state
///           takes a_k to (1 - alpha - beta)^k a_k, and sending mixes neighbouring modes by about sqrt((1 -
///           p) / (p m)), p the fraction of sources that is ON: few modes suffice.
/// RESULT    D_b(k, k') = (1 - alpha - beta)^k' sum_j w_j K_k(j) Binomial(j, r)(b) K_k'(j), k, k' below
///           `modes`. The mass of a row is its first entry.
/// EXCLUDES  a bound on the contribution of the omitted modes: results are approximations.
/// SOURCE    docs/derivations/bursty_queue.md
namespace tailbound::queue {

/// \param modes  1 .. sources + 1
[[nodiscard]] Blocks<long double> modal_blocks(const traffic::OnOff& source, std::int64_t sources,
                                               Eigen::Index modes);

}  // namespace tailbound::queue
