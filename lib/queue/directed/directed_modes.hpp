#pragma once

#include <tailbound/queue/directed/directed_blocks.hpp>
#include <tailbound/queue/passage/silent_passage.hpp>

/// Many equal sources whose bursts go here or elsewhere, by a few modes. Internal to the queue module.
///
/// MODEL     as directed_blocks.hpp. Measures of one source are written in the basis H: ON here; 0: OFF or ON elsewhere
///           as in the stationary law; 1: ON elsewhere less OFF. The law of m sources is a sum of symmetric products
///           H^i 1^j 0^(m-i-j): i are ON here, and the number ON elsewhere is bent j times. A slot takes such a product
///           to one of the images of the three. Few j do, since the number ON elsewhere matters to this queue by how
///           many are OFF, of very many.
/// RESULT    steps for i up to where fewer than 1e-45 of the law are beyond (with on-rates below 1 about 1e-20), and
///           j < modes; the mass of a row is its entries with j = 0.
/// EXCLUDES  a bound of what the modes left out add: results are approximations.
/// SOURCE    docs/derivations/bursts_to_one_output.md
namespace tailbound::queue {

struct DirectedModes {
  PhaseSteps<long double> steps;
  Eigen::Index modes;

  [[nodiscard]] Eigen::Index here() const { return static_cast<Eigen::Index>(steps.first.size()) - 1; }
};

/// \param modes  1 .. sources + 1; fewer where more than sources + 1 - modes are ON here
[[nodiscard]] DirectedModes directed_modes(const DirectedGroup& group, Eigen::Index modes);

/// K of silent_passage.hpp in these coordinates, or with on-rates below 1 G of passage.hpp, from eigenvectors; with
/// on-rates below 1 by iteration where there are none, which bursts so short allow (alpha + beta of 1 and more).
/// \throws LimitExceeded  neither
[[nodiscard]] Matrix<long double> directed_modes_passage(const DirectedGroup& group,
                                                         const DirectedModes& modes);

/// D_0, D_1, .. in these coordinates.
[[nodiscard]] Blocks<long double> directed_modes_blocks(const DirectedGroup& group,
                                                        const DirectedModes& modes);

}  // namespace tailbound::queue
