#pragma once

#include <tailbound/numeric/rational.hpp>

#include <vector>

/// The exact mean rate of a Markov chain of phases. Internal to the queue module.
namespace tailbound::queue {

/// Maximum number of one-word products for phase_load(): takes seconds.
constexpr double max_phase_load_products = 4e8;

/// That number of products for a chain of `phases` phases whose probabilities have a common denominator of
/// `bits` bits.
[[nodiscard]] double phase_load_products(std::size_t phases, std::size_t bits);

/// rho = sum_i pi_i r_i, pi the stationary distribution of P.
///
/// METHOD    rho and h with rho + h_i - sum_j P(i, j) h_j = r_i, h_0 = 0 (Poisson's equation), solved modulo
///           one prime and lifted digit by digit until the rational number is determined (Dixon). Only rho is
///           reconstructed.
/// COST      phase_load_products(); memory O(n^2 bits)
/// SOURCE    Dixon 1982, "Exact solution of linear equations using p-adic expansions"
/// \param p            rows that sum to 1, of an irreducible chain
/// \param mean         r_i, mean packets sent in phase i
/// \param denominator  common denominator of all of them
[[nodiscard]] numeric::Rational phase_load(const std::vector<std::vector<numeric::Rational>>& p,
                                           const std::vector<numeric::Rational>& mean,
                                           const numeric::Integer& denominator);

}  // namespace tailbound::queue
