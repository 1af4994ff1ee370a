#pragma once

#include <tailbound/numeric/rational.hpp>

#include <vector>

/// Covariance of the queues of two outputs of one switch.
///
/// MODEL     slotted queues with one packet served per slot at two outputs; input j sends a packet to the one
///           with probability h_j in a slot, to the other with h_j, else to neither; slots independent.
/// RESULT    Cov(Q_1, Q_2) = Var Q - E[Q] + (f - c)/(1 - rho),  c = e_2/(1 - rho),  e_2 = sum_{i<j} h_i h_j.
///           f is the derivative at y = 1 of the function that is analytic where |y|^2 < A(y, conj y), real
///           on the real axis, and has the real part -(1 - rho) Re 1/(y - 1) on the boundary: a Dirichlet
///           problem, solved by an integral equation on a smooth closed curve.
/// SOURCE    docs/derivations/shared_memory.md, "Two outputs"
/// TESTS     tests/queue/finite/shared_memory_test.cpp
namespace tailbound::queue {

/// Var Q and Cov(Q_1, Q_2) [packets^2], in long double.
struct OutputCovariance {
  double variance = 0;
  double covariance = 0;
  int agreed_digits = 0;  ///< digits to which `covariance` agrees between two grids; 0 if they do not agree
};

/// COST  a linear system of 96 unknowns, and one of 64
/// \param rates  h_j of each input, the sum below 1, each below 1/2
[[nodiscard]] OutputCovariance output_covariance(const std::vector<numeric::Rational>& rates);

/// The same with Cov(Q_1, Q_2) = 0, exact to all digits.
[[nodiscard]] OutputCovariance output_variance(const std::vector<numeric::Rational>& rates);

}  // namespace tailbound::queue
