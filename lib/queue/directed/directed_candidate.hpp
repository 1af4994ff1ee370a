#pragma once

#include <tailbound/queue/directed/directed_blocks.hpp>
#include <tailbound/queue/passage/silent_passage.hpp>

#include <optional>
#include <vector>

/// K of silent_passage.hpp for identical sources whose bursts go here or elsewhere, from eigenvectors.
/// Internal to the queue module.
///
/// METHOD    A product of m - k eigenvectors of one source's 3 x 3 matrix at z for its largest eigenvalue l1
///           and k for the second, l2, made symmetric, is an eigenvector v of D(z); where z = l1^(m-k) l2^k
///           it is one of G = K P_0, with the eigenvalue z. So K V_0 = V, V_0 the rows of silent phases.
/// SOURCE    docs/derivations/bursts_to_one_output.md
namespace tailbound::queue {

template <class T>
struct DirectedNumbers {
  T here, elsewhere, off, stop, stay;  ///< alpha s, alpha (1 - s), 1 - alpha, beta, 1 - beta
  T memory;                            ///< the product of the eigenvalues at z is z (1 - beta) times this
  T rate, idle;                        ///< r, 1 - r
  bool follow;

  explicit DirectedNumbers(const DirectedGroup& group)
      : here(from_rational<T>(group.here)),
        elsewhere(from_rational<T>(group.elsewhere)),
        off(from_rational<T>(1 - group.here - group.elsewhere)),
        stop(from_rational<T>(group.stop)),
        stay(from_rational<T>(1 - group.stop)),
        memory(from_rational<T>(group.follow ? (1 - group.here - group.elsewhere) * (1 - group.stop)
                                             : 1 - group.here - group.elsewhere - group.stop)),
        rate(from_rational<T>(group.on_rate)),
        idle(from_rational<T>(1 - group.on_rate)),
        follow(group.follow) {}

  /// P(ON elsewhere) / P(OFF).
  [[nodiscard]] T elsewhere_odds() const { return elsewhere / (follow ? T(stop * off) : stop); }
};

/// The two largest eigenvalues of a source's matrix at z, and their derivatives.
template <class T>
struct DirectedEigenvalues {
  T large, second, large_slope, second_slope;
};

/// l is a zero of (l - off) (l - pole) (l - stay) - stop g (here z (l - stay) + elsewhere (l - pole)), pole =
/// z stay, with g = l where bursts may follow each other at once, else 1.
/// \return nothing where they are not found
template <class T>
[[nodiscard]] std::optional<DirectedEigenvalues<T>> directed_eigenvalues(const DirectedNumbers<T>& p,
                                                                         const T& z, const T& unit) {
  using std::abs;
  using std::sqrt;
  const T pole = z * p.stay, starts = p.here * z + p.elsewhere;
  const auto turns = [&](const T& l) { return T(p.here * z * (l - p.stay) + p.elsewhere * (l - pole)); };
  const auto value = [&](const T& l) {
    return T((l - p.off) * (l - pole) * (l - p.stay) - p.stop * (p.follow ? l : T(1)) * turns(l));
  };
  const auto slope = [&](const T& l) {
    const T turned = p.follow ? T(l * starts + turns(l)) : starts;
    return T((l - pole) * (l - p.stay) + (l - p.off) * (l - p.stay) + (l - p.off) * (l - pole) -
             p.stop * turned);
  };
  // Newton's method from above decreases to the largest zero.
  T large = z > 1 ? z : T(1);
  for (int step = 0;; ++step) {
    if (step == 200) return std::nullopt;
    const T change = value(large) / slope(large);
    large -= change;
    if (!(change > 4 * unit)) break;  // further steps are rounding errors of either sign
  }
  const T sum = p.off + pole + p.stay - large + (p.follow ? T(p.stop * starts) : T(0)),
          product = pole * p.memory / large;
  const T discriminant = sum * sum - 4 * product;
  if (!(discriminant >= 0)) return std::nullopt;
  const T second = (sum + sqrt(discriminant)) / 2;
  const auto by_z = [&](const T& l) {
    const T change = -p.stay * (l - p.off) * (l - p.stay) -
                     p.stop * (p.follow ? l : T(1)) * (p.here * (l - p.stay) - p.elsewhere * p.stay);
    return T(-change / slope(l));
  };
  return DirectedEigenvalues<T>{large, second, by_z(large), by_z(second)};
}

/// For an eigenvalue of a source's matrix at z: the entries of its eigenvector for ON here and ON elsewhere,
/// scaled to 1 for OFF.
template <class T>
struct DirectedVector {
  T here, elsewhere;

  DirectedVector(const DirectedNumbers<T>& p, const T& z, const T& l) {
    const T begun = p.follow ? T(p.stop * l) : p.stop;
    here = z * begun / (l - z * p.stay);
    elsewhere = begun / (l - p.stay);
  }
};

/// z = scale l1(z)^(m-k) l2(z)^k within the unit circle, and there the entries of one source's eigenvectors
/// of l1 and l2 for ON here and ON elsewhere, scaled to 1 for OFF.
template <class T>
struct DirectedRoot {
  T z, here_one, here_two, else_one, else_two;
};

/// Multiplicities of a source's largest, second and third eigenvalue in a product of eigenvectors.
struct DirectedPowers {
  std::int64_t one, two, three;
};

/// The root below 1 (1 for powers of the largest alone) of z = scale l1^one l2^two l3^three, eigenvalues at 1
/// - r + r z.
/// \param z  not below the root
/// \return nothing where it is not found
template <class T>
[[nodiscard]] std::optional<T> directed_root(const DirectedNumbers<T>& p, const DirectedPowers& powers, T z,
                                             const T& scale, const T& unit) {
  using std::abs;
  using std::exp;
  using std::log;
  using std::sqrt;
  const T ones = T(static_cast<double>(powers.one)), twos = T(static_cast<double>(powers.two)),
          threes = T(static_cast<double>(powers.three));
  bool settled = false;
  T before(1), low(0), high(2);
  for (int step = 0; step < 400 && !settled; ++step) {
    const T y = p.idle + p.rate * z;
    const auto values = directed_eigenvalues(p, y, unit);
    if (!values || !(values->large > 0)) return std::nullopt;
    T power = log(values->large) * ones, slope = values->large_slope / values->large * ones;
    if (powers.two + powers.three > 0 && !(values->second > 0)) return std::nullopt;
    if (powers.two > 0) {
      power += log(values->second) * twos;
      slope += values->second_slope / values->second * twos;
    }
    if (powers.three > 0) {
      const T third = y * p.stay * p.memory / (values->large * values->second);
      if (!(third > 0)) return std::nullopt;
      power += log(third) * threes;
      slope += (1 / y - values->large_slope / values->large - values->second_slope / values->second) * threes;
    }
    const T image = scale * exp(power);
    (image < z ? high : low) = z;
    T next = z - (z - image) / (1 - image * slope * p.rate);
    if (!(next > low && next < high)) next = image;
    const T change = abs(next - z);
    // Down to rounding errors, which differences such as l - (1 - beta) magnify.
    settled = change <= 4 * unit * z || (change <= sqrt(unit) * z && change >= before / 2);
    before = change;
    z = next;
    if (!(z > 0) || !(z <= 2)) return std::nullopt;
  }
  if (!settled) return std::nullopt;
  return z;
}

/// Without l3, for k = 0, 1, .. kept - 1 of l2, with a packet in every slot ON here.
/// \return nothing where they are not found
template <class T>
[[nodiscard]] std::optional<std::vector<DirectedRoot<T>>> directed_roots(const DirectedNumbers<T>& p,
                                                                         std::int64_t sources,
                                                                         std::int64_t kept, const T& scale,
                                                                         const T& unit) {
  std::vector<DirectedRoot<T>> roots;
  T z(1);
  for (std::int64_t k = 0; k < kept; ++k) {
    auto values = directed_eigenvalues(p, z, unit);
    if (!values) return std::nullopt;
    // Once the image is below z it stays below down to the root. z = l2 / l1 times the last root is such a
    // point.
    if (k > 0) z *= values->second / values->large;
    const auto root = directed_root(p, {sources - k, k, 0}, z, scale, unit);
    if (!root) return std::nullopt;
    z = *root;
    values = directed_eigenvalues(p, z, unit);
    if (!values) return std::nullopt;
    if (k > 0 && !(values->second > z * p.stay && values->second < p.stay)) return std::nullopt;
    const DirectedVector<T> one(p, z, values->large), two(p, z, values->second);
    roots.push_back({z, one.here, two.here, one.elsewhere, two.elsewhere});
  }
  return roots;
}

/// K of the blocks times `scale`.
/// \return nothing where the eigenvectors are not found
template <class T>
[[nodiscard]] std::optional<Matrix<T>> directed_passage(const DirectedNumbers<T>& p, std::int64_t sources,
                                                        const T& scale, const T& unit) {
  using std::sqrt;
  const auto m = static_cast<Eigen::Index>(sources);
  const DirectedPhases phases(m);
  const auto roots = directed_roots(p, sources, sources + 1, scale, unit);
  if (!roots) return std::nullopt;
  Matrix<T> vectors(phases.count(), m + 1);
  const T odds = sqrt(p.elsewhere_odds());
  for (Eigen::Index k = 0; k <= m; ++k) {
    const auto& [z, here_one, here_two, else_one, else_two] = (*roots)[static_cast<std::size_t>(k)];
    // None ON here: coefficients of (1 + one y)^(m - k) (1 + two y)^k, over C(m, e).
    const Column<T> first = binomial_power(else_one, m - k), second = binomial_power(else_two, k);
    Column<T> v = Column<T>::Zero(m + 1);
    for (Eigen::Index i = 0; i <= m - k; ++i) v.segment(i, k + 1) += first(i) * second;
    T choose(1), power(1), norm(0);
    for (Eigen::Index e = 0; e <= m; ++e) {
      v(e) /= choose;
      const T weighted = v(e) * sqrt(choose) * power;
      norm += weighted * weighted;
      choose = choose * T(static_cast<double>(m - e)) / T(static_cast<double>(e + 1));
      power *= odds;
    }
    v /= sqrt(norm);
    vectors.col(k).head(m + 1) = v;
    // A source ON here is a combination of one OFF and one ON elsewhere with these weights.
    const T as_else = k == 0 ? T(here_one / else_one) : T((here_one - here_two) / (else_one - else_two));
    const T as_off = k == 0 ? T(0) : T(here_one - as_else * else_one);
    for (Eigen::Index i = 1; i <= m; ++i)
      for (Eigen::Index e = 0; e <= m - i; ++e)
        vectors(phases.at(i, e), k) =
            as_off * vectors(phases.at(i - 1, e), k) + as_else * vectors(phases.at(i - 1, e + 1), k);
  }
  // K V_0 = V.
  Matrix<T> silent = vectors.topRows(m + 1);
  Row<T> weight(m + 1);
  T choose(1), power(1);
  for (Eigen::Index e = 0; e <= m; ++e) {
    weight(e) = sqrt(choose) * power;
    silent.row(e) *= weight(e);
    choose = choose * T(static_cast<double>(m - e)) / T(static_cast<double>(e + 1));
    power *= odds;
  }
  const Eigen::PartialPivLU<Matrix<T>> lu(silent);
  const Matrix<T> inverse = lu.inverse();
  Matrix<T> k = vectors * inverse;
  for (Eigen::Index e = 0; e <= m; ++e) k.col(e) *= weight(e);
  return k;
}

/// K of the blocks times 1 + excess for each excess, with more bits than a long double has, to be checked by
/// SilentPassage. The two run in parallel where processors allow.
///
/// COST  O(m^4) operations with 113 bits, 320 above 40 sources
/// \return nothing where the eigenvectors are not found
[[nodiscard]] std::optional<Both<Matrix<long double>>> directed_candidates(const DirectedGroup& group,
                                                                           const Both<long double>& excess);

}  // namespace tailbound::queue
