#pragma once

#include <tailbound/queue/directed/directed_blocks.hpp>
#include <tailbound/queue/passage/silent_passage.hpp>

/// Spectral approximation for many identical sources whose bursts go here or elsewhere.
/// Internal to the queue module.
///
/// MODEL     as directed_blocks.hpp. Measures on one source's states are written in the basis H: ON here; 0:
///           OFF or ON elsewhere as in the stationary law; 1: ON elsewhere less OFF. The distribution of m
///           sources is a sum of symmetric products H^i 1^j 0^(m-i-j): i are ON here, and j is the order of
///           the perturbation of the number ON elsewhere. A slot maps such a product to the product of the
///           images of the three. A few j suffice: the number ON elsewhere affects this queue only through
///           the number OFF, which is large.
/// RESULT    steps for i up to where less than 1e-45 of the probability lies beyond (about 1e-20 with
///           on-rates below 1), and j < modes. The mass of a row is the sum of its entries with j = 0.
/// EXCLUDES  a bound on the contribution of the omitted modes: results are approximations.
/// SOURCE    docs/derivations/bursts_to_one_output.md
namespace tailbound::queue {

struct DirectedModes {
  PhaseSteps<long double> steps;
  Eigen::Index modes;

  [[nodiscard]] Eigen::Index here() const { return static_cast<Eigen::Index>(steps.first.size()) - 1; }
};

/// \param modes  1 .. sources + 1; fewer where more than sources + 1 - modes are ON here
[[nodiscard]] DirectedModes directed_modes(const DirectedGroup& group, Eigen::Index modes);

/// K of silent_passage.hpp in these coordinates, or G of passage.hpp with on-rates below 1, from
/// eigenvectors. With on-rates below 1 and no such eigenvectors (alpha + beta of 1 or more), by iteration,
/// which converges for such short bursts.
/// \throws LimitExceeded  both fail
[[nodiscard]] Matrix<long double> directed_modes_passage(const DirectedGroup& group,
                                                         const DirectedModes& modes);

/// D_0, D_1, .. in these coordinates.
[[nodiscard]] Blocks<long double> directed_modes_blocks(const DirectedGroup& group,
                                                        const DirectedModes& modes);

}  // namespace tailbound::queue
