#pragma once

#include <tailbound/numeric/rational.hpp>

#include <vector>

/// The exact mean of what a Markov chain of phases sends. Internal to the queue module.
namespace tailbound::queue {

/// Most products of one word that phase_load() may take: seconds.
constexpr double most_phase_load_products = 4e8;

/// Those products, of a chain of `phases` whose probabilities have a common denominator of so many bits.
[[nodiscard]] double phase_load_products(std::size_t phases, std::size_t bits);

/// rho = sum_i pi_i r_i, pi the stationary law of P.
///
/// METHOD    rho and h with rho + h_i - sum_j P(i, j) h_j = r_i, h_0 = 0 (Poisson's equation), solved modulo one prime
///           and lifted digit by digit to so many that the rational number is told from every other (Dixon): rho
///           alone is put together again.
/// COST      phase_load_products(); memory O(n^2 bits)
/// SOURCE    Dixon 1982, "Exact solution of linear equations using p-adic expansions"
/// \param p            rows that sum to 1, of an irreducible chain
/// \param mean         r_i, what phase i sends in the mean
/// \param denominator  a common one of all of them
[[nodiscard]] numeric::Rational phase_load(const std::vector<std::vector<numeric::Rational>>& p,
                                           const std::vector<numeric::Rational>& mean,
                                           const cln::cl_I& denominator);

}  // namespace tailbound::queue
