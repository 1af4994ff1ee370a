#pragma once

#include <tailbound/queue/on_off/on_off_blocks.hpp>

#include <algorithm>
#include <cmath>

/// Candidates for the passage of identical on-off sources whose errors are small relative to the largest
/// entries, not to each entry. Internal to the queue module; derivation: docs/derivations/bursty_queue.md.
namespace tailbound::queue {

/// Maximum rounds of widening; two to five are typical.
constexpr int max_widenings = 20;

/// [i][j] = sqrt(w_j / w_i), w the stationary distribution: in these units all errors of a candidate are of
/// the same size.
template <class T>
[[nodiscard]] Matrix<T> error_units(const OnOffNumbers<long double>& p, std::int64_t sources) {
  const auto m = static_cast<Eigen::Index>(sources);
  Column<long double> log_root(m + 1);  // log(w_j / w_0) / 2
  log_root(0) = 0;
  for (Eigen::Index j = 0; j < m; ++j) {
    const long double ratio = static_cast<long double>(m - j) / static_cast<long double>(j + 1);
    log_root(j + 1) = log_root(j) + std::log(ratio * p.start / p.stop) / 2;
  }
  Matrix<T> units(m + 1, m + 1);
  for (Eigen::Index i = 0; i <= m; ++i)
    for (Eigen::Index j = 0; j <= m; ++j) units(i, j) = static_cast<T>(std::exp(log_root(j) - log_root(i)));
  return units;
}

/// A matrix on its side of its image, from an `x` close to the G of the blocks times 1 -+ theta.
///
/// METHOD  X <- F(X) -+ e units, e from the observed errors: in the limit X and F(X) are e units apart.
/// \param units       error_units()
/// \param max_error  e / 4 at most
/// \return nothing if the error is larger, the iteration does not converge, or the units are too large for T
template <class T>
[[nodiscard]] std::optional<CheckedCandidate<T>> widened(const Blocks<T>& nearest, const Matrix<T>& units,
                                                         const Matrix<T>& x, const Outward<T>& outward,
                                                         const T& max_error) {
  const T theta = Passage<T>::theta(nearest, outward), scale = outward.scaled(theta);
  T margin(0);
  const auto widen = [&](Matrix<T>& each, const Matrix<T>& image, int round) {
    if (round == 0) {
      // An accurate candidate equals its image times `scale`, except for roundings, for which theta allows.
      const T error =
          (((each - scale * image).cwiseAbs() - theta / 4 * each).array() / units.array()).maxCoeff();
      if (!(error <= max_error) || !units.allFinite()) return false;
      margin = 4 * std::max(error, T(0));
    }
    each = image + (outward.side() == Side::below ? -margin : margin) * units;
    each = each.cwiseMax(T(0));
    return round + 1 < max_widenings;
  };
  return CheckedCandidate<T>::find(nearest, x.cwiseMax(T(0)), outward, widen);
}

}  // namespace tailbound::queue
