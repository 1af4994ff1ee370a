#pragma once

#include <tailbound/numeric/real.hpp>

#include <Eigen/LU>
#include <boost/multiprecision/eigen.hpp>

#include <future>
#include <optional>
#include <type_traits>
#include <utility>

/// Bounds of sums of products of non-negative matrices. Internal to the queue module.
///
/// METHOD    A computation runs once to bound its result from below and once from above. Each step consists
///           of sums and products of non-negative numbers, so it is monotone in its inputs. Its roundings are
///           a relative error of at most (number of roundings) u, by which the result is moved outward. Fixed
///           points are not computed but checked: docs/derivations/bursty_queue.md.
namespace tailbound::queue {

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using Row = Eigen::Matrix<T, 1, Eigen::Dynamic>;
template <class T>
using Column = Eigen::Matrix<T, Eigen::Dynamic, 1>;

/// c += a b. Four columns at a time: twice as fast for long double as Eigen's product, which is optimized for
/// SIMD types.
template <class C, class A, class B>
void add_product(C&& c, const A& a, const B& b) {
  using T = typename B::Scalar;
  if constexpr (std::is_same_v<T, double>) {
    c.noalias() += a * b;
    return;
  }
  const Eigen::Index n = b.cols(), inner = b.rows();
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    Eigen::Index j = 0;
    for (; j + 4 <= n; j += 4) {
      T s0(0), s1(0), s2(0), s3(0);
      for (Eigen::Index k = 0; k < inner; ++k) {
        const T x = a(i, k);
        s0 += x * b(k, j);
        s1 += x * b(k, j + 1);
        s2 += x * b(k, j + 2);
        s3 += x * b(k, j + 3);
      }
      c(i, j) += s0;
      c(i, j + 1) += s1;
      c(i, j + 2) += s2;
      c(i, j + 3) += s3;
    }
    for (; j < n; ++j) {
      T s(0);
      for (Eigen::Index k = 0; k < inner; ++k) s += a(i, k) * b(k, j);
      c(i, j) += s;
    }
  }
}

template <class T>
[[nodiscard]] Matrix<T> product(const Matrix<T>& a, const Matrix<T>& b) {
  Matrix<T> c = Matrix<T>::Zero(a.rows(), b.cols());
  add_product(c, a, b);
  return c;
}

enum class Side { below, nearest, above };

/// Smallest nonzero entry in double precision, so that products of two are normal numbers: only these have a
/// known relative error.
constexpr double min_double = 1e-145;

/// The side to which a computation is rounded, and the unit roundoff of T.
template <class T>
class Outward {
 public:
  Outward(Side side, int bits) : side_(side), unit_(1) {
    for (int i = 0; i < bits; ++i) unit_ /= 2;
  }
  [[nodiscard]] Side side() const { return side_; }
  [[nodiscard]] const T& unit() const { return unit_; }
  /// Factor that makes a value with `roundings` a bound; counts the rounding of the multiplication too.
  [[nodiscard]] T factor(double roundings) const {
    if (side_ == Side::nearest) return T(1);
    const T move = T((roundings + 4) * 1.01) * unit_;
    return side_ == Side::below ? T(1 - move) : T(1 + move);
  }
  /// 1 - theta from below, 1 + theta from above.
  [[nodiscard]] T scaled(const T& theta) const {
    if (side_ == Side::nearest) return T(1);
    return side_ == Side::below ? T(1 - theta) : T(1 + theta);
  }
  /// In double precision, moves entries that are too small outward: to 0 from below, to min_double from
  /// above.
  template <class M>
  void guard([[maybe_unused]] M&& x) const {
    if constexpr (std::is_same_v<T, double>) {
      if (side_ == Side::nearest) return;
      // Entries raised to min_double before become 0 from below.
      const double minimum = side_ == Side::below ? 2 * min_double : min_double;
      const double instead = side_ == Side::below ? 0 : min_double;
      for (Eigen::Index i = 0; i < x.rows(); ++i)
        for (Eigen::Index j = 0; j < x.cols(); ++j)
          if (x(i, j) < minimum && x(i, j) != 0) x(i, j) = instead;
    }
  }
  /// Whether `x` is on its side of `image`, entry by entry; false if one is not a number.
  template <class M>
  [[nodiscard]] bool holds(const M& x, const M& image) const {
    for (Eigen::Index i = 0; i < x.rows(); ++i)
      for (Eigen::Index j = 0; j < x.cols(); ++j)
        if (!(side_ == Side::below ? x(i, j) <= image(i, j) : x(i, j) >= image(i, j))) return false;
    return true;
  }
  /// Moves `x` to the image where it is on the wrong side.
  template <class M>
  void move(M& x, const M& image) const {
    for (Eigen::Index i = 0; i < x.rows(); ++i)
      for (Eigen::Index j = 0; j < x.cols(); ++j)
        if (!(side_ == Side::below ? x(i, j) <= image(i, j) : x(i, j) >= image(i, j))) x(i, j) = image(i, j);
  }

 private:
  Side side_;
  T unit_;
};

/// Runs both, in parallel where T allows it: the precision of Reals is per thread.
template <class T, class First, class Second>
void both(First first, Second second) {
  auto other = std::async(
      std::is_same_v<T, numeric::Real> ? std::launch::deferred : std::launch::async | std::launch::deferred,
      second);
  first();
  other.get();
}

/// One for each side.
template <class T>
struct Both {
  T below, above;

  /// \param side  not nearest
  [[nodiscard]] T& operator[](Side side) { return side == Side::below ? below : above; }
  [[nodiscard]] const T& operator[](Side side) const { return side == Side::below ? below : above; }
};

/// What `make` returns for either side.
/// \return nothing if either is nothing
template <class T, class Make>
[[nodiscard]] auto both_sides(Make make) {
  decltype(make(Side::below)) below, above;
  both<T>([&] { below = make(Side::below); }, [&] { above = make(Side::above); });
  using Made = std::remove_cvref_t<decltype(*below)>;
  return below && above ? std::optional(Both<Made>{*std::move(below), *std::move(above)}) : std::nullopt;
}

/// Excess over 1 of the scale of the blocks whose passages are the candidates for the two sides: -+ theta.
/// \tparam PassageType    Passage or SilentPassage
/// \param blocks  argument of PassageType::theta()
template <class PassageType, class T, template <class> class Of>
[[nodiscard]] Both<T> excess_of(const Of<T>& blocks, int bits) {
  const auto of = [&](Side side) {
    const Outward<T> outward(side, bits);
    return T(outward.scaled(PassageType::theta(blocks, outward)) - T(1));
  };
  return {of(Side::below), of(Side::above)};
}

/// Maximum rounds of moving a candidate before it is given up.
constexpr int max_moves = 40;

/// X = Y + X A for non-negative Y and A of spectral radius below 1: X >= 0 with  X <= Y + X A  is a lower
/// bound, with  X >= Y + X A  an upper one. The candidate solves the equation with A and Y scaled by 1 -+
/// theta.
/// \return nothing if no candidate passes the check: T has too few bits
template <class T, class M>
[[nodiscard]] std::optional<M> solve_left(const M& y, const Matrix<T>& a, const Outward<T>& outward) {
  const auto n = a.rows();
  const double roundings = static_cast<double>(n) + 1;
  const T theta = T(8 * (roundings + 8)) * outward.unit();
  const T scale = outward.scaled(theta);
  Matrix<T> system = -scale * a;
  for (Eigen::Index i = 0; i < n; ++i) system(i, i) += T(1);
  const Eigen::PartialPivLU<Matrix<T>> lu(system.transpose());
  M x = lu.solve((scale * y).transpose().eval()).transpose();
  if (outward.side() == Side::nearest) return x;
  for (Eigen::Index i = 0; i < x.rows(); ++i)
    for (Eigen::Index j = 0; j < x.cols(); ++j)
      if (!(x(i, j) >= 0)) x(i, j) = 0;
  const T factor = outward.factor(roundings);
  for (int moves = 0; moves < max_moves; ++moves) {
    outward.guard(x);
    M image = y;
    add_product(image, x, a);
    image *= factor;
    if (outward.holds(x, image)) return x;
    outward.move(x, image);
  }
  return std::nullopt;
}

/// X = Y + A X, in the same way.
template <class T>
[[nodiscard]] std::optional<Column<T>> solve_right(const Column<T>& y, const Matrix<T>& a,
                                                   const Outward<T>& outward) {
  const Matrix<T> transposed = a.transpose();
  const Row<T> row = y.transpose();
  const auto x = solve_left<T, Row<T>>(row, transposed, outward);
  if (!x) return std::nullopt;
  return Column<T>(x->transpose());
}

}  // namespace tailbound::queue
