#pragma once

#include <span>
#include <vector>

/// A score of the wait with mean 0 and variance 1, to make two distributions dependent without changing
/// either: p(v) q(w) (1 + s x(v) y(w)) has the marginals p and q.
///
/// SOURCE    docs/derivations/aged_bursts.md, (8): minus G^0.2 averaged over the atom, G = P(W > w). It
///           levels off, as a queue's memory of having been full fades.
/// TESTS     tests/queue/hops/wait_score_test.cpp
namespace tailbound::queue {

/// \param mass  P(W = w), non-negative, summing to 1
/// \return same size; 0 everywhere if the distribution is a single atom
[[nodiscard]] std::vector<double> wait_score(std::span<const double> mass);

/// The largest s up to `wanted` for which 1 + s x(v) y(w) is nowhere negative.
[[nodiscard]] double dependence_within(double wanted, std::span<const double> x, std::span<const double> y);

}  // namespace tailbound::queue
