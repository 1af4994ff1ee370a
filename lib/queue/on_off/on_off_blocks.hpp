#pragma once

#include <tailbound/queue/arrivals/markov_arrivals.hpp>
#include <tailbound/queue/passage/passage.hpp>
#include <tailbound/traffic/on_off.hpp>

/// m identical on-off sources as a chain of phases: the number of sources that are ON.
/// Internal to the queue module.
///
/// MODEL     D_b(i, j) = Binomial(i, r)(b) P(i -> j), P the convolution of Binomial(i, 1 - beta) and
///           Binomial(m - i, alpha).
/// METHOD    The sources are independent, so D(z) has the eigenvalues l1(z)^(m-k) l2(z)^k, l1 and l2 those of
///           one source's 2 x 2 matrix: G has the eigenvalues that solve z = l1(z)^(m-k) l2(z)^k within the
///           unit circle, and the right eigenvectors of D(z) there (docs/derivations/bursty_queue.md).
namespace tailbound::queue {

/// `value` in T, to nearest; Reals have the precision in force.
template <class T>
[[nodiscard]] T from_rational(const numeric::Rational& value) {
  if constexpr (std::is_same_v<T, numeric::Real>) {
    return numeric::to_real(value, numeric::Rounding::nearest);
  } else {
    // Converted in two parts, for types wider than long double.
    const numeric::PrecisionScope scope(numeric::Precision{128});
    const numeric::Real whole = numeric::to_real(value, numeric::Rounding::nearest);
    const long double head = mpfr_get_ld(whole.backend().data(), MPFR_RNDN);
    if constexpr (std::is_same_v<T, long double>) return head;
    const numeric::Real rest = whole - numeric::Real(head);
    return T(head) + T(mpfr_get_ld(rest.backend().data(), MPFR_RNDN));
  }
}

/// The same blocks in T, of any Markovian arrivals; roundings to nearest.
template <class T>
[[nodiscard]] Blocks<T> rational_blocks(const RationalBlocks& rational) {
  const auto n = static_cast<Eigen::Index>(rational.front().size());
  Blocks<T> blocks;
  for (const auto& rows : rational) {
    Matrix<T> d(n, n);
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index j = 0; j < n; ++j)
        d(i, j) = from_rational<T>(rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]);
    blocks.d.push_back(std::move(d));
    blocks.first_row.push_back(0);
  }
  blocks.ones = Column<T>::Ones(n);
  blocks.roundings = 1;
  return blocks;
}

/// [i][b] = Binomial(i, p)(b), i = 0 .. m, with at most 3 i + 1 roundings.
template <class T>
[[nodiscard]] Matrix<T> binomials(Eigen::Index m, const T& p, const T& complement) {
  Matrix<T> rows = Matrix<T>::Zero(m + 1, m + 1);
  rows(0, 0) = T(1);
  for (Eigen::Index i = 1; i <= m; ++i)
    for (Eigen::Index b = 0; b <= i; ++b) {
      rows(i, b) = complement * rows(i - 1, b);
      if (b > 0) rows(i, b) += p * rows(i - 1, b - 1);
    }
  return rows;
}

template <class T>
struct OnOffNumbers {
  T start, no_start, stop, no_stop, rate, no_rate, memory;  ///< memory = 1 - alpha - beta

  explicit OnOffNumbers(const traffic::OnOff& source)
      : start(from_rational<T>(source.start)),
        no_start(from_rational<T>(1 - source.start)),
        stop(from_rational<T>(source.stop)),
        no_stop(from_rational<T>(1 - source.stop)),
        rate(from_rational<T>(source.on_rate)),
        no_rate(from_rational<T>(1 - source.on_rate)),
        memory(from_rational<T>(1 - source.start - source.stop)) {}
};

template <class T>
[[nodiscard]] Blocks<T> on_off_blocks(const traffic::OnOff& source, std::int64_t sources) {
  const OnOffNumbers<T> p(source);
  const auto m = static_cast<Eigen::Index>(sources);
  const Matrix<T> stay = binomials(m, p.no_stop, p.stop), turn = binomials(m, p.start, p.no_start),
                  sent = binomials(m, p.rate, p.no_rate);
  Matrix<T> change = Matrix<T>::Zero(m + 1, m + 1);
  for (Eigen::Index i = 0; i <= m; ++i)
    for (Eigen::Index kept = 0; kept <= i; ++kept)
      for (Eigen::Index turned = 0; turned <= m - i; ++turned)
        change(i, kept + turned) += stay(i, kept) * turn(m - i, turned);
  Blocks<T> blocks;
  for (Eigen::Index b = 0; b <= m; ++b) {
    Matrix<T> d = change;
    for (Eigen::Index i = 0; i <= m; ++i) d.row(i) *= sent(i, b);
    blocks.d.push_back(std::move(d));
    blocks.first_row.push_back(b);
  }
  blocks.ones = Column<T>::Ones(m + 1);
  blocks.roundings = 7 * static_cast<double>(m) + 6;
  return blocks;
}

/// The eigenvalues of one source's matrix at z, of larger and of smaller magnitude.
template <class T>
struct SourceEigenvalues {
  T large, small, gap;           ///< gap = large - small
  T large_vector, small_vector;  ///< second entries of their right eigenvectors, the first being 1
};

/// With w = 1 - r (1 - z) and d = (1 - alpha) - w (1 - beta):  gap^2 = d^2 + 4 w alpha beta, a sum of
/// positive numbers if w > 0. Long bursts make both eigenvalues nearly 1, so their difference is never
/// computed by subtraction.
/// \return nothing where they are not real
template <class T>
[[nodiscard]] std::optional<SourceEigenvalues<T>> source_eigenvalues(const OnOffNumbers<T>& p, const T& z) {
  using std::sqrt;
  const T silent = p.rate * (1 - z), w = 1 - silent;
  const T d = p.stop - p.start + silent * p.no_stop, both = w * p.start * p.stop;
  const T discriminant = d * d + 4 * both;
  if (!(discriminant >= 0)) return std::nullopt;
  const T gap = sqrt(discriminant);
  const T large = (p.no_start + w * p.no_stop + gap) / 2;
  if (large == 0) return std::nullopt;
  // (gap - d) (gap + d) = 4 both.
  const T down = d >= 0 ? T(gap + d) : T(gap - d), up = down == 0 ? T(0) : T(4 * both / down);
  return SourceEigenvalues<T>{.large = large,
                              .small = w * p.memory / large,
                              .gap = gap,
                              .large_vector = (d >= 0 ? up : down) / (2 * p.start),
                              .small_vector = -(d >= 0 ? down : up) / (2 * p.start)};
}

/// The root in the unit circle of  z = scale l1(z)^(m-k) l2(z)^k.
/// \return nothing where Newton's iteration leaves the real numbers or does not converge
template <class T>
[[nodiscard]] std::optional<T> passage_root(const OnOffNumbers<T>& p, Eigen::Index m, Eigen::Index k,
                                            const T& scale, const T& start, const T& unit) {
  using std::abs;
  const auto power = [](T base, Eigen::Index exponent) {
    T result(1);
    for (; exponent > 0; exponent /= 2, base *= base)
      if (exponent % 2 != 0) result *= base;
    return result;
  };
  T z = start;
  for (int step = 0; step < 100; ++step) {
    const auto values = source_eigenvalues(p, z);
    if (!values) return std::nullopt;
    if (values->gap == 0) return std::nullopt;
    const T trace_slope = p.rate * p.no_stop, product_slope = p.rate * p.memory;
    const T large_slope = (trace_slope * values->large - product_slope) / values->gap;
    const T small_slope = trace_slope - large_slope;
    const T others =
        scale * power(values->large, m - k - (m > k ? 1 : 0)) * power(values->small, k > 0 ? k - 1 : 0);
    const T image = others * (m > k ? values->large : T(1)) * (k > 0 ? values->small : T(1));
    T slope = T(0);
    if (m > k) slope += T(static_cast<double>(m - k)) * others * (k > 0 ? values->small : T(1)) * large_slope;
    if (k > 0) slope += T(static_cast<double>(k)) * others * (m > k ? values->large : T(1)) * small_slope;
    const T change = (z - image) / (1 - slope);
    z -= change;
    if (!(abs(z) <= 2)) return std::nullopt;
    // A slope near 1 magnifies rounding errors of the powers.
    if (abs(change) <= T(32 + 32 * static_cast<double>(m)) * unit * abs(z) / abs(1 - slope)) return z;
  }
  return std::nullopt;
}

/// The coefficients of (1 + x y)^n.
template <class T>
[[nodiscard]] Column<T> binomial_power(const T& x, Eigen::Index n) {
  Column<T> result(n + 1);
  result(0) = T(1);
  for (Eigen::Index j = 0; j < n; ++j)
    result(j + 1) = result(j) * x * T(static_cast<double>(n - j)) / T(static_cast<double>(j + 1));
  return result;
}

/// G of the blocks times `scale`, from its eigenvectors.
/// \return nothing where these are not found (complex, or nearly parallel)
template <class T>
[[nodiscard]] std::optional<Matrix<T>> on_off_passage(const OnOffNumbers<T>& p, std::int64_t sources,
                                                      const T& scale, const T& unit) {
  using std::sqrt;
  const auto m = static_cast<Eigen::Index>(sources);
  // Scaled by the square root of the stationary probabilities, the eigenvectors are nearly orthogonal.
  Column<T> weight(m + 1);
  const T odds = sqrt(p.start / p.stop);
  Matrix<T> vectors(m + 1, m + 1);  // column k
  Row<T> roots(m + 1);
  T guess(1);
  for (Eigen::Index k = 0; k <= m; ++k) {
    // Each root lies a little below the previous one: times l2 / l1.
    if (k > 0) {
      const auto near_one = source_eigenvalues(p, guess);
      if (!near_one) return std::nullopt;
      guess *= near_one->small / near_one->large;
    }
    const auto root = passage_root(p, m, k, scale, guess, unit);
    if (!root) return std::nullopt;
    roots(k) = guess = *root;
    const auto values = source_eigenvalues(p, guess);
    if (!values) return std::nullopt;
    const T& one = values->large_vector;
    const T& two = values->small_vector;
    // Coefficients of (1 + one y)^(m - k) (1 + two y)^k, over C(m, j).
    const Column<T> ones = binomial_power(one, m - k), twos = binomial_power(two, k);
    Column<T> v = Column<T>::Zero(m + 1);
    for (Eigen::Index i = 0; i <= m - k; ++i) v.segment(i, k + 1) += ones(i) * twos;
    T choose(1), power(1);
    for (Eigen::Index j = 0; j <= m; ++j) {
      v(j) *= power / sqrt(choose);
      weight(j) = sqrt(choose) * power;
      choose = choose * T(static_cast<double>(m - j)) / T(static_cast<double>(j + 1));
      power *= odds;
    }
    vectors.col(k) = v / v.norm();
  }
  // G V = V Z.
  Matrix<T> right = vectors;
  for (Eigen::Index k = 0; k <= m; ++k) right.col(k) *= roots(k);
  const Eigen::PartialPivLU<Matrix<T>> lu(vectors.transpose());
  Matrix<T> g = lu.solve(right.transpose()).transpose();
  for (Eigen::Index i = 0; i <= m; ++i)
    for (Eigen::Index j = 0; j <= m; ++j) g(i, j) *= weight(j) / weight(i);
  return g;
}

}  // namespace tailbound::queue
