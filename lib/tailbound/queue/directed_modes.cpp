#include <tailbound/queue/directed_candidate.hpp>
#include <tailbound/queue/directed_modes.hpp>
#include <tailbound/queue/wide.hpp>

#include <cmath>

namespace tailbound::queue {
namespace {

using Number = long double;

constexpr Number negligible = 1e-45L;

/// Coefficients (a, d) of H^a y^d, up to given degrees.
using Polynomial = Matrix<Number>;

Polynomial times(const Polynomial& left, const Polynomial& right) {
  Polynomial result = Polynomial::Zero(left.rows(), left.cols());
  for (Eigen::Index a = 0; a < left.rows(); ++a)
    for (Eigen::Index d = 0; d < left.cols(); ++d) {
      if (left(a, d) == 0) continue;
      result.bottomRightCorner(left.rows() - a, left.cols() - d) +=
          left(a, d) * right.topLeftCorner(left.rows() - a, left.cols() - d);
    }
  return result;
}

/// What one source's measure becomes: so much of H, of 0 and of 1.
struct Image {
  Number here, rest, bend;

  /// Of n such sources.
  [[nodiscard]] Polynomial power(std::int64_t n, Eigen::Index rows, Eigen::Index columns) const {
    Polynomial result = Polynomial::Zero(rows, columns);
    // C(n; a, d) here^a bend^d rest^(n-a-d).
    Number first = std::pow(rest, static_cast<Number>(n));
    for (Eigen::Index a = 0; a < rows && a <= n; ++a) {
      Number each = first;
      for (Eigen::Index d = 0; d < columns && a + d <= n; ++d) {
        result(a, d) = each;
        each *= static_cast<Number>(n - a - d) / static_cast<Number>(d + 1) * bend / rest;
      }
      first *= static_cast<Number>(n - a) / static_cast<Number>(a + 1) * here / rest;
    }
    return result;
  }
};

/// One more than the greatest number ON here that is kept.
Eigen::Index kept_here(std::int64_t sources, Number on) {
  Number w = 1, most = 1;
  std::int64_t i = 0;
  for (;
       i < sources && (w >= negligible * most || static_cast<Number>(i) < static_cast<Number>(sources) * on);
       ++i) {
    w *= static_cast<Number>(sources - i) / static_cast<Number>(i + 1) * on / (1 - on);
    most = std::max(most, w);
  }
  return static_cast<Eigen::Index>(i + 1);
}

/// The first coefficients of (one + two y)^n.
template <class T>
std::vector<T> first_powers(const T& one, const T& two, std::int64_t n, Eigen::Index count) {
  using std::pow;
  std::vector<T> result(static_cast<std::size_t>(count), T(0));
  T value = pow(one, T(static_cast<double>(n)));
  for (Eigen::Index d = 0; d < count && d <= n; ++d) {
    result[static_cast<std::size_t>(d)] = value;
    value *= T(static_cast<double>(n - d)) / T(static_cast<double>(d + 1)) * two / one;
  }
  return result;
}

/// sqrt(C(m, j) (q (1 - q))^j): so the modes are of one size.
template <class T>
std::vector<T> mode_scales(std::int64_t sources, const T& q, Eigen::Index modes) {
  using std::sqrt;
  std::vector<T> scales{T(1)};
  for (Eigen::Index j = 0; j + 1 < modes; ++j)
    scales.push_back(scales.back() * sqrt(T(T(static_cast<double>(sources - j)) /
                                            T(static_cast<double>(j + 1)) * q * (1 - q))));
  return scales;
}

/// Modes with i ON here: at most one more than there are other sources.
Eigen::Index modes_beside(std::int64_t sources, Eigen::Index i, Eigen::Index modes) {
  return std::min<Eigen::Index>(modes, sources - i + 1);
}

/// K V_0 = V in the coordinates of the modes, which begin at `first` for each number ON here.
Matrix<Number> passage(const OnOffGroup& group, const std::vector<Eigen::Index>& first, Eigen::Index modes) {
  const DirectedNumbers<Quad> p(group);
  const std::int64_t m = group.count;
  const Quad unit = ldexp(Quad(1), -113);
  const auto roots = directed_roots<Quad>(p, m, modes, Quad(1), unit);
  if (!roots)
    throw LimitExceeded("the eigenvectors of " + std::to_string(m) +
                        " sources with bursts as short as these");
  const Quad q = p.elsewhere / (p.elsewhere + p.stop);
  const auto scales = mode_scales(m, q, modes);
  const auto here = static_cast<Eigen::Index>(first.size()) - 1;
  Matrix<Quad> vectors(first.back(), modes);
  for (Eigen::Index k = 0; k < modes; ++k) {
    const auto& [z, here_one, here_two, else_one, else_two] = (*roots)[static_cast<std::size_t>(k)];
    const Quad rest_one = 1 - q + q * else_one;
    const Quad rest_two = k == 0 ? Quad(0) : Quad((1 - q + q * else_two) / rest_one);
    const Quad on_one = here_one / rest_one, on_two = k == 0 ? Quad(0) : Quad(here_two / rest_one);
    const Quad bend_one = (else_one - 1) / rest_one,
               bend_two = k == 0 ? Quad(0) : Quad((else_two - 1) / rest_one);
    // [y^k] (on_one + on_two y)^i (bend_one + bend_two y)^j (1 + rest_two y)^(m-i-j).
    const auto at = [](const std::vector<Quad>& v, Eigen::Index d) { return v[static_cast<std::size_t>(d)]; };
    std::vector<std::vector<Quad>> bends;  // (bend_one + bend_two y)^j
    std::vector<Quad> bend(static_cast<std::size_t>(k + 1), Quad(0));
    bend[0] = 1;
    for (Eigen::Index j = 0; j < modes; ++j) {
      bends.push_back(bend);
      for (Eigen::Index d = k; d >= 0; --d)
        bend[static_cast<std::size_t>(d)] =
            at(bend, d) * bend_one + (d > 0 ? Quad(at(bend, d - 1) * bend_two) : Quad(0));
    }
    for (Eigen::Index i = 0; i < here; ++i) {
      const auto on = first_powers(on_one, on_two, i, k + 1);
      for (Eigen::Index j = 0; j < modes_beside(m, i, modes); ++j) {
        const auto rest = first_powers(Quad(1), rest_two, m - i - j, k + 1);
        Quad sum = 0;
        for (Eigen::Index a = 0; a <= k; ++a)
          for (Eigen::Index d = 0; a + d <= k; ++d)
            sum += at(on, a) * at(bends[static_cast<std::size_t>(j)], d) * at(rest, k - a - d);
        vectors(first[static_cast<std::size_t>(i)] + j, k) = sum * scales[static_cast<std::size_t>(j)];
      }
    }
    vectors.col(k) /= vectors.col(k).head(modes).norm();
  }
  const Matrix<Quad> silent = vectors.topRows(modes);
  const Eigen::PartialPivLU<Matrix<Quad>> lu(silent);
  const Matrix<Quad> k = vectors * lu.inverse();
  return k.unaryExpr([](const Quad& entry) { return static_cast<Number>(entry); });
}

}  // namespace

DirectedModes directed_modes(const OnOffGroup& group, Eigen::Index modes) {
  const DirectedNumbers<Number> p(group);
  const std::int64_t m = group.count;
  const Number q = p.elsewhere / (p.elsewhere + p.stop);
  const Number on = p.here / (p.here + p.elsewhere + p.stop);
  const Eigen::Index here = kept_here(m, on);
  const Image of_here{p.stay, p.stop, -p.stop * q};
  const Number to_here = (1 - q) * p.here;
  const Image of_rest{to_here, 1 - to_here, (1 - q) * p.elsewhere + q * p.stay - q * (1 - to_here)};
  const Image of_bend{-p.here, p.here, p.stay - p.elsewhere - q * p.here};

  DirectedModes result;
  PhaseSteps<Number>& steps = result.steps;
  steps.first.push_back(0);
  for (Eigen::Index i = 0; i < here; ++i)
    steps.first.push_back(steps.first.back() + modes_beside(m, i, modes));
  steps.p = Matrix<Number>::Zero(steps.first.back(), steps.first.back());
  const auto scales = mode_scales(m, q, modes);
  std::vector<Polynomial> bends;
  for (Eigen::Index j = 0; j < modes; ++j) bends.push_back(of_bend.power(j, here, modes));
  for (Eigen::Index i = 0; i < here; ++i) {
    const Polynomial ons = of_here.power(i, here, modes);
    for (Eigen::Index j = 0; j < steps.size(i); ++j) {
      // The polynomial with fewest entries that are not 0 first.
      const Polynomial image =
          times(times(bends[static_cast<std::size_t>(j)], ons), of_rest.power(m - i - j, here, modes));
      for (Eigen::Index a = 0; a < here; ++a)
        for (Eigen::Index d = 0; d < steps.size(a); ++d)
          steps.p(steps.begin(i) + j, steps.begin(a) + d) =
              image(a, d) * scales[static_cast<std::size_t>(j)] / scales[static_cast<std::size_t>(d)];
    }
  }
  steps.ones = Column<Number>::Zero(steps.phases());
  for (Eigen::Index i = 0; i < here; ++i) steps.ones(steps.begin(i)) = 1;
  result.k = passage(group, steps.first, modes);
  return result;
}

}  // namespace tailbound::queue
