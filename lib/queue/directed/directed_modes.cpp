#include <tailbound/queue/directed/directed_candidate.hpp>
#include <tailbound/queue/directed/directed_modes.hpp>
#include <tailbound/queue/passage/wide.hpp>

#include <cmath>

namespace tailbound::queue {
namespace {

using Number = long double;

/// Omitted probability of the number ON here.
Number negligible(const DirectedGroup& group, Eigen::Index modes) {
  // With on-rates below 1 each number ON here needs a matrix: fewer in the first trials.
  return group.on_rate == 1 ? 1e-45L : std::pow(10.0L, -12.0L - 2 * static_cast<Number>(modes));
}

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

/// The image of one source's measure: its coefficients of H, 0 and 1.
struct Image {
  Number here, rest, bend;

  /// The power for n such sources.
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

/// One more than the largest number ON here that is kept.
Eigen::Index kept_here(std::int64_t sources, Number on, Number minimum) {
  Number w = 1, maximum = 1;
  std::int64_t i = 0;
  for (;
       i < sources && (w >= minimum * maximum || static_cast<Number>(i) < static_cast<Number>(sources) * on);
       ++i) {
    w *= static_cast<Number>(sources - i) / static_cast<Number>(i + 1) * on / (1 - on);
    maximum = std::max(maximum, w);
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

/// sqrt(C(m, j) (q (1 - q))^j), which gives the modes equal size.
template <class T>
std::vector<T> mode_scales(std::int64_t sources, const T& q, Eigen::Index modes) {
  using std::sqrt;
  std::vector<T> scales{T(1)};
  for (Eigen::Index j = 0; j + 1 < modes; ++j)
    scales.push_back(scales.back() * sqrt(T(T(static_cast<double>(sources - j)) /
                                            T(static_cast<double>(j + 1)) * q * (1 - q))));
  return scales;
}

/// Modes with i ON here: at most one more than the other sources.
Eigen::Index other_modes(std::int64_t sources, Eigen::Index i, Eigen::Index modes) {
  return std::min<Eigen::Index>(modes, sources - i + 1);
}

/// K V_0 = V in the coordinates of the modes, which begin at `first` for each number ON here.
Matrix<Number> passage(const DirectedGroup& group, const std::vector<Eigen::Index>& first,
                       Eigen::Index modes) {
  const DirectedNumbers<Quad> p(group);
  const std::int64_t m = group.count;
  const Quad unit = ldexp(Quad(1), -quad_bits);
  const auto roots = directed_roots<Quad>(p, m, modes, Quad(1), unit);
  if (!roots)
    throw LimitExceeded("the eigenvectors of " + std::to_string(m) +
                        " sources with such short bursts are not found");
  const Quad q = p.elsewhere_odds() / (1 + p.elsewhere_odds());
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
      for (Eigen::Index j = 0; j < other_modes(m, i, modes); ++j) {
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

/// A linear form of the coordinates of one source's measure: values of an eigenvector at 0, H and 1.
struct Form {
  Quad rest, here, bend;

  Form(const DirectedNumbers<Quad>& p, const Quad& q, const Quad& y, const Quad& l) {
    const DirectedVector<Quad> v(p, y, l);
    rest = 1 - q + q * v.elsewhere;
    here = v.here;
    bend = v.elsewhere - 1;
  }
};

/// G V = V Z in the coordinates of the modes. For every root z = l1^(m-b-c) l2^b l3^c, a product of
/// eigenvectors: b of l2, c of l3, the others of l1. c runs over the numbers ON here, b over the modes that
/// are kept.
std::optional<Matrix<Number>> full_passage(const DirectedGroup& group, const std::vector<Eigen::Index>& first,
                                           Eigen::Index modes) {
  const DirectedNumbers<Quad> p(group);
  const std::int64_t m = group.count;
  const Quad unit = ldexp(Quad(1), -quad_bits);
  const Quad q = p.elsewhere_odds() / (1 + p.elsewhere_odds());
  const Quad on = p.here / (p.here + p.elsewhere + p.stop);
  const auto scales = mode_scales(m, q, modes);
  const auto here = static_cast<Eigen::Index>(first.size()) - 1;
  const auto n = first.back();
  // [i](j): divided by the number of arrangements, and scaled by the roots of the probabilities, so that
  // columns are nearly orthogonal.
  Matrix<Quad> combinations(here, modes);
  Column<Quad> weight(n);
  Quad each(1);
  for (Eigen::Index i = 0; i < here; ++i) {
    Quad combination = each;
    for (Eigen::Index j = 0; j < other_modes(m, i, modes); ++j) {
      combinations(i, j) = combination;
      combination *= Quad(static_cast<double>(m - i - j)) / Quad(static_cast<double>(j + 1));
      weight(first[static_cast<std::size_t>(i)] + j) =
          sqrt(Quad(each * pow(Quad(on / (1 - on)), Quad(static_cast<double>(i)))));
    }
    each *= Quad(static_cast<double>(m - i)) / Quad(static_cast<double>(i + 1));
  }
  Matrix<Quad> vectors(n, n);
  Row<Quad> roots(n);
  Quad start(1);
  for (Eigen::Index c = 0; c < here; ++c) {
    Quad z = start;
    for (Eigen::Index b = 0; b < other_modes(m, c, modes); ++b) {
      const auto root = directed_root(p, {m - b - c, b, c}, z, Quad(1), unit);
      if (!root) return std::nullopt;
      z = *root;
      const Quad y = p.idle + p.rate * z;
      const auto values = directed_eigenvalues(p, y, unit);
      if (!values) return std::nullopt;
      const Quad third = y * p.stay * p.memory / (values->large * values->second);
      const Form one(p, q, y, values->large);
      // (1 + x h + y e)^(m-b-c), relative to the first eigenvector's entry of 0.
      Matrix<Quad> product = Matrix<Quad>::Zero(here, modes);
      const std::int64_t left = m - b - c;
      Quad lead(1);
      for (Eigen::Index i = 0; i < here && i <= left; ++i) {
        Quad entry = lead;
        for (Eigen::Index j = 0; j < modes && i + j <= left; ++j) {
          product(i, j) = entry;
          entry *= Quad(static_cast<double>(left - i - j)) / Quad(static_cast<double>(j + 1)) * one.bend /
                   one.rest;
        }
        lead *= Quad(static_cast<double>(left - i)) / Quad(static_cast<double>(i + 1)) * one.here / one.rest;
      }
      const auto multiply = [&](const Form& form, Eigen::Index times) {
        for (Eigen::Index t = 0; t < times; ++t)
          for (Eigen::Index i = here - 1; i >= 0; --i)
            for (Eigen::Index j = modes - 1; j >= 0; --j)
              product(i, j) = product(i, j) * form.rest +
                              (i > 0 ? Quad(product(i - 1, j) * form.here) : Quad(0)) +
                              (j > 0 ? Quad(product(i, j - 1) * form.bend) : Quad(0));
      };
      if (b > 0) multiply(Form(p, q, y, values->second), b);
      if (c > 0) multiply(Form(p, q, y, third), c);
      const auto column = first[static_cast<std::size_t>(c)] + b;
      roots(column) = z;
      for (Eigen::Index i = 0; i < here; ++i)
        for (Eigen::Index j = 0; j < other_modes(m, i, modes); ++j) {
          const auto row = first[static_cast<std::size_t>(i)] + j;
          vectors(row, column) =
              product(i, j) / combinations(i, j) * scales[static_cast<std::size_t>(j)] * weight(row);
        }
      vectors.col(column) /= vectors.col(column).norm();
      // The next root is lower: a power of l1 is replaced by one of l2 or l3.
      if (b == 0) start = z * third / values->large;
      z *= values->second / values->large;
    }
  }
  Matrix<Quad> right = vectors;
  for (Eigen::Index k = 0; k < n; ++k) right.col(k) *= roots(k);
  const Eigen::PartialPivLU<Matrix<Quad>> lu(vectors.transpose());
  const Matrix<Quad> g = lu.solve(right.transpose()).transpose();
  Matrix<Number> result(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j)
      result(i, j) = static_cast<Number>(Quad(g(i, j) * weight(j) / weight(i)));
  return result;
}

}  // namespace

DirectedModes directed_modes(const DirectedGroup& group, Eigen::Index modes) {
  const DirectedNumbers<Number> p(group);
  const std::int64_t m = group.count;
  const Number q = p.elsewhere_odds() / (1 + p.elsewhere_odds());
  const Number odds = p.here / (p.follow ? p.stop * p.off : p.stop);  // ON here : OFF
  const Number on = odds / (1 + odds + p.elsewhere_odds());
  const Eigen::Index here = kept_here(m, on, negligible(group, modes));
  // Transition of a state: ON here, not here, and ON elsewhere given not here.
  struct Law {
    Number here, rest, elsewhere;
  };
  const Number again = p.follow ? p.stop : 0;  // ends, and may start at once
  const Law off{p.here, 1 - p.here, p.elsewhere},
      on_here{p.stay + again * p.here, p.stop - again * p.here, again * p.elsewhere},
      on_elsewhere{again * p.here, 1 - again * p.here, p.stay + again * p.elsewhere};
  const auto become = [&](const Law& law) { return Image{law.here, law.rest, law.elsewhere - q * law.rest}; };
  const Image of_here = become(on_here);
  const Image of_rest =
      become({(1 - q) * off.here + q * on_elsewhere.here, (1 - q) * off.rest + q * on_elsewhere.rest,
              (1 - q) * off.elsewhere + q * on_elsewhere.elsewhere});
  const Image of_bend = become(
      {on_elsewhere.here - off.here, off.here - on_elsewhere.here, on_elsewhere.elsewhere - off.elsewhere});

  DirectedModes result{.steps = {}, .modes = modes};
  PhaseSteps<Number>& steps = result.steps;
  steps.first.push_back(0);
  for (Eigen::Index i = 0; i < here; ++i)
    steps.first.push_back(steps.first.back() + other_modes(m, i, modes));
  steps.p = Matrix<Number>::Zero(steps.first.back(), steps.first.back());
  const auto scales = mode_scales(m, q, modes);
  std::vector<Polynomial> bends;
  for (Eigen::Index j = 0; j < modes; ++j) bends.push_back(of_bend.power(j, here, modes));
  for (Eigen::Index i = 0; i < here; ++i) {
    const Polynomial ons = of_here.power(i, here, modes);
    for (Eigen::Index j = 0; j < steps.size(i); ++j) {
      // The polynomial with the fewest nonzero entries first.
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
  return result;
}

namespace {

/// G <- (1 - U)^-1 D_0 from 0 until it converges.
Matrix<Number> iterated(const Blocks<Number>& blocks) {
  const auto n = blocks.phases();
  Matrix<Number> g = Matrix<Number>::Zero(n, n);
  for (int round = 0; round < 2000; ++round) {
    const Matrix<Number> next =
        Eigen::PartialPivLU<Matrix<Number>>(Matrix<Number>::Identity(n, n) - suffix_powers(blocks, g)[1])
            .solve(blocks.d.front());
    const bool settled = (next - g).cwiseAbs().maxCoeff() < 1e-17L * next.cwiseAbs().maxCoeff();
    g = next;
    if (settled) return g;
  }
  throw LimitExceeded("first passages of that many sources with such short bursts do not converge");
}

}  // namespace

Matrix<long double> directed_modes_passage(const DirectedGroup& group, const DirectedModes& modes) {
  if (group.on_rate == 1) return passage(group, modes.steps.first, modes.modes);
  if (auto g = full_passage(group, modes.steps.first, modes.modes)) return *std::move(g);
  return iterated(directed_modes_blocks(group, modes));
}

Blocks<long double> directed_modes_blocks(const DirectedGroup& group, const DirectedModes& modes) {
  const auto& steps = modes.steps;
  const Matrix<Number> sent = binomials<Number>(modes.here() - 1, from_rational<Number>(group.on_rate),
                                                from_rational<Number>(1 - group.on_rate));
  Blocks<Number> blocks;
  for (Eigen::Index b = 0; b < modes.here(); ++b) {
    Matrix<Number> d = Matrix<Number>::Zero(steps.phases(), steps.phases());
    for (Eigen::Index i = b; i < modes.here(); ++i) steps.rows(d, i) = steps.rows(steps.p, i) * sent(i, b);
    blocks.d.push_back(std::move(d));
    blocks.first_row.push_back(steps.begin(b));
  }
  blocks.ones = steps.ones;
  return blocks;
}

}  // namespace tailbound::queue
