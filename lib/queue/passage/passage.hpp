#pragma once

#include <tailbound/core/error.hpp>
#include <tailbound/queue/passage/matrix_bounds.hpp>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

/// First passage from a level of a queue to the next lower one, and its consequences.
/// Internal to the queue module: other modules include markov_queue.hpp.
///
/// MODEL     Q[t+1] = max(Q[t] - 1, 0) + b,  phase i -> j, with probability D_b(i, j).
/// METHOD    G = sum_b D_b G^b, G(i, j) the probability of phase j when the queue is first one packet
///           shorter; Ramaswami's recursion with Dbar_n = sum_{b>=n} D_b G^(b-n); all sums of non-negative
///           terms.
/// SOURCE    Ramaswami 1988, "A stable recursion for the steady state vector in Markov chains of M/G/1 type";
///           Bini and Meini 1996, "On the solution of a nonlinear matrix equation arising in queueing
///           problems" (cyclic reduction); docs/derivations/bursty_queue.md
namespace tailbound::queue {

/// D_0, D_1, ..., each of size n x n.
template <class T>
struct Blocks {
  std::vector<Matrix<T>> d;
  /// Rows above this are 0 in D_b and in all later blocks.
  std::vector<Eigen::Index> first_row;
  Column<T> ones;        ///< weights that give the mass of a row: all 1 if its entries are phases
  double roundings = 0;  ///< relative errors of an entry, in units of T's roundoff

  [[nodiscard]] Eigen::Index phases() const { return d.front().rows(); }
  [[nodiscard]] int batch() const { return static_cast<int>(d.size()) - 1; }
};

/// The blocks moved to the given side.
template <class T>
[[nodiscard]] Blocks<T> moved(Blocks<T> blocks, const Outward<T>& outward) {
  const T factor = outward.factor(blocks.roundings);
  if (outward.side() != Side::nearest)
    for (Matrix<T>& d : blocks.d) {
      d *= factor;
      outward.guard(d);
    }
  return blocks;
}

/// [n] = sum_{b>=n} D_b X^(b-n), computed downwards; moved only where entries are too small.
template <class T>
[[nodiscard]] std::vector<Matrix<T>> suffix_powers(const Blocks<T>& blocks, const Matrix<T>& x,
                                                   const Outward<T>& outward = {Side::nearest, 1}) {
  std::vector<Matrix<T>> sums(blocks.d.size());
  sums.back() = blocks.d.back();
  const auto size = blocks.phases();
  for (std::size_t n = blocks.d.size() - 1; n-- > 0;) {
    sums[n] = blocks.d[n];
    const auto rows = size - blocks.first_row[n + 1];
    add_product(sums[n].bottomRows(rows), sums[n + 1].bottomRows(rows), x);
    outward.guard(sums[n]);
  }
  return sums;
}

/// G by cyclic reduction, of the blocks times `scale`; accurate to some digits less than T has.
/// \throws LimitExceeded  no convergence
template <class T>
[[nodiscard]] Matrix<T> cyclic_reduction(const Blocks<T>& blocks, const T& scale, const T& unit) {
  using Series = std::vector<Matrix<T>>;
  const auto n = blocks.phases();
  const Matrix<T> identity = Matrix<T>::Identity(n, n);
  const auto magnitude = [](const Matrix<T>& m) { return T(m.cwiseAbs().rowwise().sum().maxCoeff()); };
  const auto trim = [&](Series& series) {
    while (series.size() > 1 && magnitude(series.back()) < unit * unit) series.pop_back();
  };
  const auto part = [](const Series& series, std::size_t first) {
    Series half;
    for (std::size_t i = first; i < series.size(); i += 2) half.push_back(series[i]);
    return half;
  };
  const auto times = [&](const Series& a, const Series& b) {
    Series result(a.size() + b.size() - 1, Matrix<T>::Zero(n, n));
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t j = 0; j < b.size(); ++j) add_product(result[i + j], a[i], b[j]);
    trim(result);
    return result;
  };
  // phi[i] is the coefficient of z^(i - 1): -D_0, I - D_1, -D_2, ...; hat is that of the first row.
  Series phi, hat;
  for (const Matrix<T>& d : blocks.d) phi.push_back(-scale * d);
  if (phi.size() == 1) phi.push_back(Matrix<T>::Zero(n, n));
  phi[1] += identity;
  hat.assign(phi.begin() + 1, phi.end());
  const Matrix<T> first = scale * blocks.d.front();
  for (int step = 0; step < 60; ++step) {
    const Series odd = part(phi, 0), even = part(phi, 1), hat_even = part(hat, 0), hat_odd = part(hat, 1);
    // inverse(even) * odd as a power series, long enough that the remainder is below the roundoff.
    const Eigen::PartialPivLU<Matrix<T>> lu(even.front());
    Series quotient, minus_even;
    for (const Matrix<T>& m : even) minus_even.push_back(-m);
    for (std::size_t i = 0; i < 4096; ++i) {
      Matrix<T> right = i < odd.size() ? odd[i] : Matrix<T>(Matrix<T>::Zero(n, n));
      for (std::size_t j = 1; j <= i && j < even.size(); ++j)
        add_product(right, minus_even[j], quotient[i - j]);
      quotient.push_back(lu.solve(right));
      if (i >= odd.size() && magnitude(quotient.back()) < unit * unit) break;
    }
    trim(quotient);
    Series next = times(odd, quotient);  // coefficient i is that of z^(i - 1) in z odd even^-1 odd
    for (Matrix<T>& m : next) m = -m;
    if (next.size() < even.size() + 1) next.resize(even.size() + 1, Matrix<T>::Zero(n, n));
    for (std::size_t i = 0; i < even.size(); ++i) next[i + 1] += even[i];
    trim(next);
    Series next_hat = hat_even;
    if (!hat_odd.empty()) {
      const Series away = times(hat_odd, quotient);
      if (next_hat.size() < away.size()) next_hat.resize(away.size(), Matrix<T>::Zero(n, n));
      for (std::size_t i = 0; i < away.size(); ++i) next_hat[i] -= away[i];
    }
    trim(next_hat);
    phi = std::move(next);
    hat = std::move(next_hat);
    if (phi.size() < 2) phi.push_back(Matrix<T>::Zero(n, n));
    // first = hat[0] G + hat[1] G^(2^step + 1) + ...: the rest of the other terms is the remaining error.
    T rest(0);
    for (std::size_t i = 1; i < hat.size(); ++i) rest += magnitude(hat[i]);
    if (rest < unit * 4 * T(static_cast<double>(n)))
      return Eigen::PartialPivLU<Matrix<T>>(hat.front()).solve(first);
  }
  throw LimitExceeded("cyclic reduction did not converge within 60 steps: the load is too close to 1");
}

/// G of the blocks times `scale` by G <- (1 - U)^-1 D_0, U = sum_{b>=1} D_b G^(b-1), until no entry changes
/// by more than `change` of itself.
/// \return nothing if it does not converge within `rounds`
template <class T>
[[nodiscard]] std::optional<Matrix<T>> iterated_passage(Blocks<T> blocks, const T& scale, const T& change,
                                                        int rounds) {
  using std::abs;
  const auto n = blocks.phases();
  for (Matrix<T>& d : blocks.d) d *= scale;
  Matrix<T> g = Matrix<T>::Constant(n, n, T(1) / T(static_cast<double>(n)));
  for (int round = 0; round < rounds; ++round) {
    Matrix<T> sum = blocks.d.back();
    for (std::size_t b = blocks.d.size() - 1; b-- > 1;) {
      Matrix<T> next = blocks.d[b];
      const auto rows = n - blocks.first_row[b + 1];
      add_product(next.bottomRows(rows), sum.bottomRows(rows), g);
      sum = std::move(next);
    }
    const Matrix<T> next =
        Eigen::PartialPivLU<Matrix<T>>(Matrix<T>::Identity(n, n) - sum).solve(blocks.d.front());
    bool settled = true;
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index j = 0; j < n; ++j)
        settled = settled && abs(next(i, j) - g(i, j)) <= change * abs(next(i, j));
    g = next;
    if (settled) return g;
  }
  return std::nullopt;
}

/// The stationary row of `g` up to a factor: 1 for the phase `reference`.
template <class T>
[[nodiscard]] std::optional<Row<T>> stationary(const Matrix<T>& g, Eigen::Index reference,
                                               const Outward<T>& outward) {
  const auto n = g.rows();
  std::vector<Eigen::Index> others;
  for (Eigen::Index i = 0; i < n; ++i)
    if (i != reference) others.push_back(i);
  Row<T> result = Row<T>::Ones(n);
  if (n == 1) return result;
  const Matrix<T> among = g(others, others);
  const Row<T> from = g(reference, others);
  const auto visits = solve_left<T, Row<T>>(from, among, outward);
  if (!visits) return std::nullopt;
  for (std::size_t i = 0; i < others.size(); ++i) result(others[i]) = (*visits)(static_cast<Eigen::Index>(i));
  return result;
}

/// E[Q] from pi_0 alone.
/// \param climbs  Dbar_1 + Dbar_2 + ...
/// \param tails   [l] = Dbarbar_l kappa, l = 1, 2, ..
template <class T>
[[nodiscard]] std::optional<T> mean_from_idle(const Row<T>& idle, const Matrix<T>& climbs,
                                              const std::vector<Column<T>>& tails,
                                              const Outward<T>& outward) {
  const auto size = climbs.rows();
  Row<T> up = (idle * climbs) * outward.factor(static_cast<double>(size) + 1);
  outward.guard(up);
  const auto above = solve_left<T, Row<T>>(up, climbs, outward);
  if (!above) return std::nullopt;
  Column<T> from_two = Column<T>::Zero(size), from_one = tails[1];
  for (std::size_t l = 2; l < tails.size(); ++l) from_two += tails[l];
  from_one += from_two;
  const T sum = idle.dot(from_one.transpose()) + above->dot(from_two.transpose());
  return sum * outward.factor(static_cast<double>(size) + static_cast<double>(tails.size()) + 4);
}

/// Roundings of an entry of suffix_powers().
template <class T>
[[nodiscard]] double power_roundings(const Blocks<T>& blocks) {
  return static_cast<double>(blocks.d.size()) * (static_cast<double>(blocks.phases()) + 2);
}

/// A candidate for G that is verified to be on its side of its image, with the intermediate results of the
/// check. Only find() makes one. With Side::nearest: an unverified candidate.
///
/// METHOD    F(X) = sum_b D_b X^b, the D_b on their side. X >= 0 is above G if X >= F(X), and below it if X
///           <= F(X) and its rows sum to less than 1.
/// SOURCE    docs/derivations/bursty_queue.md
template <class T>
class CheckedCandidate {
 public:
  /// \param x      an approximation of G of the blocks times outward.scaled(Passage::theta(blocks, outward))
  /// \param again  again(x, image, round): modifies a rejected candidate in rounds 0, 1, ..; false to give up
  template <class Again>
  [[nodiscard]] static std::optional<CheckedCandidate> find(const Blocks<T>& nearest, Matrix<T> x,
                                                            const Outward<T>& outward, const Again& again) {
    CheckedCandidate checked(moved(nearest, outward), outward);
    const T factor = outward.factor(power_roundings(nearest));
    for (int round = 0;; ++round) {
      outward.guard(x);
      checked.bars_ = suffix_powers(checked.blocks_, x, outward);
      if (outward.side() == Side::nearest) break;
      const Matrix<T> image = checked.bars_.front() * factor;
      if ((x.array() >= T(0)).all() && outward.holds(x, image)) break;
      if (!again(x, image, round)) return std::nullopt;
    }
    if (outward.side() == Side::below) {
      // Only a substochastic X <= F(X) is below G.
      const T maximum = T(1) - T(2 * static_cast<double>(x.rows())) * outward.unit();
      for (Eigen::Index i = 0; i < x.rows(); ++i)
        if (!(x.row(i).sum() <= maximum)) return std::nullopt;
    }
    checked.g_ = std::move(x);
    if (outward.side() != Side::nearest)
      for (Matrix<T>& bar : checked.bars_) bar *= factor;
    return checked;
  }

  [[nodiscard]] const Matrix<T>& g() const { return g_; }
  [[nodiscard]] const std::vector<Matrix<T>>& bars() const { return bars_; }  ///< Dbar_n, on their side
  [[nodiscard]] const Blocks<T>& blocks() const { return blocks_; }           ///< on their side
  [[nodiscard]] const Outward<T>& outward() const { return outward_; }

 private:
  CheckedCandidate(Blocks<T> blocks, const Outward<T>& outward)
      : outward_(outward), blocks_(std::move(blocks)) {}

  Outward<T> outward_;
  Blocks<T> blocks_;
  Matrix<T> g_;
  std::vector<Matrix<T>> bars_;
};

/// Everything that the recursion needs, bounded from one side (or computed without a proof).
template <class T>
class Passage {
 public:
  /// \param candidate  an approximation of G of the blocks times outward.scaled(theta(blocks, outward));
  ///                   moved to its image where it is on the wrong side
  /// \return nothing if the candidate does not pass the check
  [[nodiscard]] static std::optional<Passage> make(const Blocks<T>& nearest, Matrix<T> candidate,
                                                   const Outward<T>& outward) {
    if (outward.side() != Side::nearest)
      for (T& entry : candidate.reshaped())
        if (!(entry >= 0)) entry = 0;
    const auto move = [&outward](Matrix<T>& x, const Matrix<T>& image, int round) {
      outward.move(x, image);
      return round + 1 < max_moves;
    };
    auto checked = CheckedCandidate<T>::find(nearest, std::move(candidate), outward, move);
    return checked ? make(*std::move(checked)) : std::nullopt;
  }

  /// \return nothing if T has too few bits
  [[nodiscard]] static std::optional<Passage> make(CheckedCandidate<T> checked) {
    Passage passage(std::move(checked));
    const Outward<T>& outward = passage.outward();
    const auto n = passage.g().rows();
    // Dbarbar_l = sum_{k>=l} Dbar_k.
    std::vector<Matrix<T>> sums = passage.bars();
    for (std::size_t l = sums.size() - 1; l-- > 1;) sums[l] += sums[l + 1];
    const T sum_factor = outward.factor(static_cast<double>(sums.size()));
    for (std::size_t l = 1; l < sums.size(); ++l) sums[l] *= sum_factor;
    if (sums.size() == 1) return std::nullopt;
    const auto climb = solve_right<T>(passage.blocks().ones, sums[1], outward);
    if (!climb) return std::nullopt;
    passage.tails_.assign(sums.size() + 1, Column<T>::Zero(n));
    const T product = outward.factor(static_cast<double>(n));
    for (std::size_t l = 1; l < sums.size(); ++l) {
      passage.tails_[l] = (sums[l] * *climb) * product;
      outward.guard(passage.tails_[l]);
    }
    passage.first_ = std::move(sums[1]);
    const auto stay = solve_left<T, Matrix<T>>(Matrix<T>::Identity(n, n), passage.bars()[1], outward);
    if (!stay) return std::nullopt;
    passage.stay_ = *stay;
    return passage;
  }

  /// The scaling that allows for roundings in the check.
  [[nodiscard]] static T theta(const Blocks<T>& blocks, const Outward<T>& outward) {
    return T(4 * (power_roundings(blocks) + 2 * blocks.roundings + 16)) * outward.unit();
  }

  /// Levels: pi_0 first, then one more (pi_1, ...) with each call of push().
  void start(Row<T> idle) {
    levels_.clear();
    outward().guard(idle);
    levels_.push_back(std::move(idle));
  }
  void push() {
    const auto n = static_cast<std::size_t>(levels_.size());
    const auto size = g().rows();
    Row<T> sum = Row<T>::Zero(size);
    const std::size_t batch = bars().size() - 1;
    if (n <= batch) add_product(sum, levels_[0], n);
    for (std::size_t i = n > batch ? n + 1 - batch : 1; i < n; ++i) add_product(sum, levels_[i], n + 1 - i);
    const double roundings = static_cast<double>(size) * 2 + static_cast<double>(batch) + 3;
    outward().guard(sum);
    levels_.push_back((sum * stay_) * outward().factor(roundings));
    outward().guard(levels_.back());
  }
  [[nodiscard]] const std::vector<Row<T>>& levels() const { return levels_; }

  /// P(Q > level); levels 0 .. level have been pushed.
  [[nodiscard]] T tail(std::size_t level) const {
    const std::size_t batch = bars().size() - 1;
    T sum(0);
    if (level + 1 <= batch) sum += levels_[0].dot(tails_[level + 1].transpose());
    for (std::size_t i = level + 2 > batch ? std::max<std::size_t>(level + 2 - batch, 1) : 1; i <= level; ++i)
      sum += levels_[i].dot(tails_[level + 2 - i].transpose());
    return sum * outward().factor(static_cast<double>(g().rows() + static_cast<Eigen::Index>(batch)) + 3);
  }

  /// E[Q], from pi_0 alone.
  [[nodiscard]] std::optional<T> mean() const {
    return mean_from_idle(levels_[0], first_, tails_, outward());
  }

  [[nodiscard]] const Matrix<T>& g() const { return checked_.g(); }
  [[nodiscard]] const Blocks<T>& blocks() const { return checked_.blocks(); }  ///< on their side
  [[nodiscard]] const Outward<T>& outward() const { return checked_.outward(); }

 private:
  explicit Passage(CheckedCandidate<T> checked) : checked_(std::move(checked)) {}
  [[nodiscard]] const std::vector<Matrix<T>>& bars() const { return checked_.bars(); }
  void add_product(Row<T>& sum, const Row<T>& level, std::size_t bar) const {
    const auto rows = g().rows() - blocks().first_row[bar];
    sum.noalias() += level.tail(rows) * bars()[bar].bottomRows(rows);
  }

  CheckedCandidate<T> checked_;
  Matrix<T> first_, stay_;
  std::vector<Column<T>> tails_;  ///< [l] = Dbarbar_l kappa
  std::vector<Row<T>> levels_;
};

}  // namespace tailbound::queue
