#pragma once

#include <tailbound/queue/passage/passage.hpp>

/// First passages of a queue whose phase determines the number of packets. Internal to the queue module.
///
/// MODEL     passage.hpp with D_b = P in the rows of the phases that send b packets, 0 in all others.
/// METHOD    The queue becomes shorter only in a slot without arrivals, so a passage ends in a slot that
///           began in a silent phase: G = K P_0, P_0 the rows of the silent phases, K(i, c) the probability
///           that c is the last phase of the passage. K_0 = 1, K_b = P_b K H^(b-1), H = P_0 K: matrices with
///           one column per silent phase. Ramaswami's recursion with Dbar_n = [P_n; P_b K H^(b-n-1) P_0, b >
///           n].
/// SOURCE    docs/derivations/bursts_to_one_output.md
namespace tailbound::queue {

/// Phases sorted by the packets they send.
template <class T>
struct PhaseSteps {
  Matrix<T> p;                      ///< transition probabilities
  std::vector<Eigen::Index> first;  ///< phases first[b] .. first[b + 1] - 1 send b packets
  Column<T> ones;                   ///< as in Blocks
  double roundings = 0;             ///< as in Blocks

  [[nodiscard]] Eigen::Index phases() const { return p.rows(); }
  [[nodiscard]] Eigen::Index silent() const { return first[1]; }
  [[nodiscard]] Eigen::Index batch() const { return static_cast<Eigen::Index>(first.size()) - 2; }
  [[nodiscard]] Eigen::Index begin(Eigen::Index b) const { return first[static_cast<std::size_t>(b)]; }
  [[nodiscard]] Eigen::Index size(Eigen::Index b) const { return begin(b + 1) - begin(b); }
  /// Rows of `matrix` for the phases that send b packets.
  template <class M>
  [[nodiscard]] auto rows(M&& matrix, Eigen::Index b) const {
    return matrix.middleRows(begin(b), size(b));
  }
  [[nodiscard]] auto part(const Row<T>& law, Eigen::Index b) const { return law.segment(begin(b), size(b)); }
};

/// Same members as Passage; bounded from one side, or without a proof.
template <class T>
class SilentPassage {
 public:
  /// \param k  an approximation of K of the blocks times outward.scaled(theta(steps, outward))
  /// \return nothing if it does not pass the check
  [[nodiscard]] static std::optional<SilentPassage> make(const PhaseSteps<T>& nearest, Matrix<T> k,
                                                         const Outward<T>& outward) {
    SilentPassage passage(nearest, outward);
    const PhaseSteps<T>& steps = passage.steps_;
    const auto n = steps.phases(), silent = steps.silent();
    if (outward.side() != Side::nearest) {
      for (T& entry : k.reshaped())
        if (!(entry >= 0)) entry = 0;
      k.topRows(silent) = Matrix<T>::Identity(silent, silent);
    }
    int moves = 0;
    for (;; ++moves) {
      const Matrix<T> image = passage.image(k);
      if (outward.side() == Side::nearest || outward.holds(k, image)) break;
      if (moves == max_moves) return std::nullopt;
      outward.move(k, image);
    }
    if (outward.side() == Side::below) {
      // Only a substochastic solution is below K; the rows of silent phases are exact.
      const T maximum = T(1) - T(2 * static_cast<double>(silent)) * outward.unit();
      for (Eigen::Index i = silent; i < n; ++i)
        if (!(k.row(i).sum() <= maximum)) return std::nullopt;
    }
    passage.k_ = std::move(k);
    if (!passage.prepare_tails() || !passage.prepare_levels()) return std::nullopt;
    return passage;
  }

  /// The scaling that allows for roundings in the check. A row of phases that send b packets is scaled b
  /// times and carries b times the roundings of one passage.
  [[nodiscard]] static T theta(const PhaseSteps<T>& steps, const Outward<T>& outward) {
    const double roundings =
        static_cast<double>(steps.phases()) + static_cast<double>(steps.silent()) + 2 * steps.roundings + 24;
    return T(4 * roundings) * outward.unit();
  }

  /// 1 where K is above 0, otherwise 0. Zeros occur: of two sources with bursts of one slot, one ON here
  /// never leaves two ON elsewhere at the end of a passage.
  [[nodiscard]] static Matrix<T> pattern(const PhaseSteps<T>& steps) {
    SilentPassage passage(steps, Outward<T>(Side::nearest, 1));
    Matrix<T> k = Matrix<T>::Zero(steps.phases(), steps.silent());
    k.topRows(steps.silent()).setIdentity();
    for (bool grows = true; grows;) {
      Matrix<T> next = passage.image(k);
      grows = false;
      for (Eigen::Index i = 0; i < next.rows(); ++i)
        for (Eigen::Index j = 0; j < next.cols(); ++j) {
          next(i, j) = T(next(i, j) > 0 ? 1 : 0);
          grows = grows || next(i, j) > k(i, j);
        }
      k = std::move(next);
    }
    return k;
  }

  /// `k` and then K_b = scale^b P_b K H^(b-1), iterated until the relative change is below `change`.
  /// \return nothing if it does not converge within `rounds`
  [[nodiscard]] static std::optional<Matrix<T>> iterated(const PhaseSteps<T>& steps, Matrix<T> k,
                                                         const T& scale, const T& change, int rounds) {
    SilentPassage passage(steps, Outward<T>(Side::nearest, 1));
    using std::abs;
    for (int round = 0; round < rounds; ++round) {
      Matrix<T> next = passage.image(k);
      T factor(1);
      bool settled = true;
      for (Eigen::Index b = 1; b <= steps.batch(); ++b) {
        factor *= scale;
        for (Eigen::Index i = steps.begin(b); i < steps.begin(b + 1); ++i)
          for (Eigen::Index j = 0; j < steps.silent(); ++j) {
            next(i, j) *= factor;
            settled = settled && abs(next(i, j) - k(i, j)) <= change * abs(next(i, j));
          }
      }
      k = std::move(next);
      if (settled) return k;
    }
    return std::nullopt;
  }

  /// For `above`: the stationary row of its H, bounded from the other side, up to the same factor.
  [[nodiscard]] std::optional<Row<T>> silent_law(Eigen::Index reference) const {
    return stationary(h_, reference, outward_);
  }
  /// pi_0 from the distribution of the silent phases in which the queue becomes empty.
  void start(const Row<T>& idle_before) {
    levels_.clear();
    down_.clear();
    const auto silent = steps_.silent();
    Row<T> idle = idle_before * steps_.p.topRows(silent);
    levels_.push_back(idle * outward_.factor(static_cast<double>(silent) + 1));
    pass_down(0);
  }
  void push() {
    const auto n = static_cast<Eigen::Index>(levels_.size()), batch = steps_.batch(),
               silent = steps_.silent();
    // Rate from each phase to this level: from below directly, from above in silent slots.
    Row<T> q = Row<T>::Zero(steps_.phases());
    for (Eigen::Index b = 2; b <= std::min(batch, n); ++b)
      q.segment(steps_.begin(b), steps_.size(b)) = steps_.part(level(n + 1 - b), b);
    if (n <= batch) q.segment(steps_.begin(n), steps_.size(n)) += steps_.part(level(0), n);
    if (static_cast<std::size_t>(n) < down_.size())
      q.head(silent) = down_[static_cast<std::size_t>(n)] * outward_.factor(static_cast<double>(batch));
    // And from this level itself, repeatedly.
    const Row<T> first = (q * returns_) * outward_.factor(static_cast<double>(steps_.phases()) + 1);
    const Row<T> all = (first * stay_) * outward_.factor(static_cast<double>(first.size()) + 1);
    q.segment(steps_.begin(1), steps_.size(1)) += all.head(steps_.size(1));
    q.head(silent) += all.tail(silent);
    Row<T> here = Row<T>::Zero(steps_.phases());
    // Phases that send many packets have no mass at low levels yet.
    const auto used = steps_.begin(std::min(batch, n) + 1);
    here.noalias() += q.head(used) * steps_.p.topRows(used);
    levels_.push_back(here * outward_.factor(static_cast<double>(steps_.phases()) + 2));
    pass_down(n);
  }
  [[nodiscard]] const std::vector<Row<T>>& levels() const { return levels_; }

  /// P(Q > level); levels 0 .. level have been pushed.
  [[nodiscard]] T tail(std::size_t level) const {
    const auto n = static_cast<Eigen::Index>(level), batch = steps_.batch();
    T sum(0);
    const auto add = [&](Eigen::Index i, Eigen::Index l) {
      const auto rows = steps_.phases() - steps_.begin(l);
      sum += this->level(i).tail(rows).dot(tails_[static_cast<std::size_t>(l)].tail(rows).transpose());
    };
    if (n + 1 <= batch) add(0, n + 1);
    for (Eigen::Index i = std::max<Eigen::Index>(n + 2 - batch, 1); i <= n; ++i) add(i, n + 2 - i);
    return sum * outward_.factor(static_cast<double>(steps_.phases() + batch) + 3);
  }

  /// E[Q], from pi_0 alone.
  [[nodiscard]] std::optional<T> mean() const {
    return mean_from_idle(levels_[0], climbs_, tails_, outward_);
  }

  [[nodiscard]] const Matrix<T>& k() const { return k_; }
  [[nodiscard]] const Matrix<T>& h() const { return h_; }
  [[nodiscard]] const PhaseSteps<T>& steps() const { return steps_; }  ///< on their side
  [[nodiscard]] const Outward<T>& outward() const { return outward_; }

 private:
  SilentPassage(const PhaseSteps<T>& nearest, const Outward<T>& outward)
      : outward_(outward), steps_(nearest) {
    if (outward.side() != Side::nearest) steps_.p *= outward.factor(nearest.roundings);
  }
  [[nodiscard]] const Row<T>& level(Eigen::Index n) const { return levels_[static_cast<std::size_t>(n)]; }

  /// (1, P_b k (P_0 k)^(b-1)); also computes y_ = P k, h_ and powers_. All on their side.
  [[nodiscard]] Matrix<T> image(const Matrix<T>& k) {
    const auto silent = steps_.silent();
    y_ = Matrix<T>::Zero(steps_.phases(), silent);
    add_product(y_, steps_.p, k);
    y_ *= outward_.factor(static_cast<double>(steps_.phases()) + 1);
    h_ = y_.topRows(silent);
    powers_.assign(1, Matrix<T>::Identity(silent, silent));
    Matrix<T> image = Matrix<T>::Zero(steps_.phases(), silent);
    image.topRows(silent) = powers_[0];
    const T factor = outward_.factor(static_cast<double>(silent) + 1);
    for (Eigen::Index b = 1; b <= steps_.batch(); ++b) {
      Matrix<T> rows = Matrix<T>::Zero(steps_.size(b), silent);
      add_product(rows, steps_.rows(y_, b), powers_.back());
      steps_.rows(image, b) = rows * factor;
      if (b < steps_.batch()) powers_.push_back(product(powers_.back(), h_) * factor);
    }
    return image;
  }

  /// climbs_ = Dbarbar_1 = [P_b + P_b K (1 + H + ... + H^(b-2)) P_0], and tails_.
  [[nodiscard]] bool prepare_tails() {
    const auto n = steps_.phases(), silent = steps_.silent(), batch = steps_.batch();
    const double s = static_cast<double>(silent), maximum = static_cast<double>(batch);
    climbs_ = steps_.p;
    climbs_.topRows(silent).setZero();
    Matrix<T> sum = Matrix<T>::Zero(silent, silent);  // 1 + H + ... + H^(b-2)
    for (Eigen::Index b = 2; b <= batch; ++b) {
      sum += powers_[static_cast<std::size_t>(b - 2)];
      Matrix<T> rows = Matrix<T>::Zero(steps_.size(b), silent);
      add_product(rows, steps_.rows(y_, b), sum);
      add_product(steps_.rows(climbs_, b), rows, steps_.p.topRows(silent));
    }
    climbs_ *= outward_.factor(2 * s + maximum + 4);
    const auto climb = solve_right<T>(steps_.ones, climbs_, outward_);
    if (!climb) return false;
    const Column<T> next = (steps_.p * *climb) * outward_.factor(static_cast<double>(n) + 1);
    std::vector<Column<T>> sums{Column<T>::Zero(silent)};  // (1 + H + ... + H^(j-1)) P_0 climb
    Column<T> each = next.head(silent);
    for (Eigen::Index j = 1; j <= batch; ++j) {
      sums.push_back((sums.back() + each) * outward_.factor(1));
      each = ((h_ * each) * outward_.factor(s + 1)).eval();
    }
    tails_.assign(static_cast<std::size_t>(batch) + 1, Column<T>::Zero(n));
    for (Eigen::Index l = 1; l <= batch; ++l)
      for (Eigen::Index b = l; b <= batch; ++b)
        tails_[static_cast<std::size_t>(l)].segment(steps_.begin(b), steps_.size(b)) =
            (next.segment(steps_.begin(b), steps_.size(b)) +
             steps_.rows(y_, b) * sums[static_cast<std::size_t>(b - l)]) *
            outward_.factor(s + 2);
    return true;
  }

  /// From a level to itself without a visit below: one packet arrives, or several arrive and passages return
  /// to the level, the last one from a silent phase. returns_(i, .) refers to the phases after the next slot.
  [[nodiscard]] bool prepare_levels() {
    const auto n = steps_.phases(), silent = steps_.silent(), batch = steps_.batch(), one = steps_.size(1);
    const double s = static_cast<double>(silent);
    Matrix<T> back = Matrix<T>::Zero(n, silent);  // P_b K H^(b-2)
    for (Eigen::Index b = 2; b <= batch; ++b) {
      Matrix<T> rows = Matrix<T>::Zero(steps_.size(b), silent);
      add_product(rows, steps_.rows(y_, b), powers_[static_cast<std::size_t>(b - 2)]);
      steps_.rows(back, b) = rows * outward_.factor(s + 1);
    }
    returns_ = Matrix<T>::Zero(n, one + silent);
    returns_.leftCols(one) = steps_.p.middleCols(steps_.begin(1), one);
    Matrix<T> down = Matrix<T>::Zero(n, silent);
    add_product(down, steps_.p, back);
    returns_.rightCols(silent) = down * outward_.factor(static_cast<double>(n) + 1);
    Matrix<T> again(one + silent, one + silent);
    again.topRows(one) = steps_.rows(returns_, 1);
    again.bottomRows(silent) = returns_.topRows(silent);
    const auto stay =
        solve_left<T, Matrix<T>>(Matrix<T>::Identity(one + silent, one + silent), again, outward_);
    if (!stay) return false;
    stay_ = *stay;
    return true;
  }

  /// Mass that level i sends above the levels not yet computed, as it comes down to each of them in silent
  /// slots.
  void pass_down(Eigen::Index i) {
    const auto batch = steps_.batch(), silent = steps_.silent();
    const Row<T>& from = level(i);
    const Eigen::Index left = i > 0 ? i - 1 : 0;  // after the service
    const auto last = static_cast<std::size_t>(left + batch);
    if (down_.size() < last) down_.resize(last, Row<T>::Zero(silent));
    Row<T> v = Row<T>::Zero(silent);
    for (Eigen::Index b = batch; left + b - 1 > i; --b) {
      Row<T> next = steps_.part(from, b) * steps_.rows(y_, b);
      next.noalias() += v * h_;
      v = next * outward_.factor(static_cast<double>(steps_.size(b) + silent) + 2);
      down_[static_cast<std::size_t>(left + b - 1)] += v;
    }
  }

  Outward<T> outward_;
  PhaseSteps<T> steps_;
  Matrix<T> k_, y_, h_;
  std::vector<Matrix<T>> powers_;  ///< of h_
  Matrix<T> climbs_, returns_, stay_;
  std::vector<Column<T>> tails_;  ///< [l] = Dbarbar_l kappa
  std::vector<Row<T>> levels_, down_;
};

}  // namespace tailbound::queue
