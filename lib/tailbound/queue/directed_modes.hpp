#pragma once

#include <tailbound/queue/markov_arrivals.hpp>
#include <tailbound/queue/silent_passage.hpp>

/// Many equal sources whose bursts go here or elsewhere, by a few modes. Internal to the queue module.
///
/// MODEL     as directed_blocks.hpp with one packet in every slot ON here. Measures of one source are written in the
///           basis H: ON here; 0: OFF or ON elsewhere as in the stationary law; 1: ON elsewhere less OFF. The law of
///           m sources is a sum of symmetric products H^i 1^j 0^(m-i-j): i are ON here, and the number ON elsewhere
///           is bent j times. A slot takes such a product to one of the images of the three. Few j do, since the
///           number ON elsewhere matters to this queue by how many are OFF, of very many.
/// RESULT    steps for i up to where fewer than 1e-45 of the law are beyond, and j < modes; the mass of a row is its
///           entries with j = 0.
/// EXCLUDES  a bound of what the modes left out add: results are approximations.
/// SOURCE    docs/derivations/bursts_to_one_output.md
namespace tailbound::queue {

struct DirectedModes {
  PhaseSteps<long double> steps;
  Matrix<long double> k;  ///< of silent_passage.hpp, from eigenvectors
};

/// \param modes  1 .. sources + 1; fewer where more than sources + 1 - modes are ON here
/// \throws LimitExceeded  no eigenvectors
[[nodiscard]] DirectedModes directed_modes(const OnOffGroup& group, Eigen::Index modes);

}  // namespace tailbound::queue
