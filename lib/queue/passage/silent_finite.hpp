#pragma once

#include <tailbound/queue/passage/silent_passage.hpp>

/// The queue of silent_passage.hpp with a buffer of B packets. Internal to the queue module.
///
/// MODEL     Q[t+1] = min(max(Q[t] - 1, 0) + b, B), b the packets of the phase; packets that do not fit are
///           lost.
/// METHOD    As finite_passage.hpp, with matrices that have one column per silent phase: K_d(i, c), c the
///           last phase of the passage from level B - d to the one below. A jump of b packets lands at
///           distance e = max(d - b + 1, 0): K_d = [1; P_1 K_d; P_b K_e H_(e+1) .. H_d], H_d = P_0 K_d:
///           linear in the rows of P K_d of phases that send at most one packet. At the top every packet is
///           lost except one, which replaces the one served. K_d does not depend on B.
/// SOURCE    docs/derivations/bursts_to_one_output.md
namespace tailbound::queue {

template <class T>
class SilentFinite {
 public:
  /// \param steps  on their side
  SilentFinite(const PhaseSteps<T>& steps, const Outward<T>& outward) : steps_(steps), outward_(outward) {}

  struct Sums {
    T lost, mass;  ///< packets lost per slot and the sum of all levels, with the same factor
  };

  /// \param capacity   B >= 1
  /// \param reference  a silent phase that ends many passages
  /// \return nothing if T has too few bits
  [[nodiscard]] std::optional<Sums> sums(std::size_t capacity, Eigen::Index reference) {
    while (y_.size() < capacity)
      if (!(y_.empty() ? begin() : extend())) return std::nullopt;
    const auto n = steps_.phases(), silent = steps_.silent(), batch = steps_.batch(), one = steps_.size(1);
    const double phases = static_cast<double>(n), s = static_cast<double>(silent),
                 maximum = static_cast<double>(batch);
    const auto last_level = static_cast<Eigen::Index>(capacity);
    const auto idle = stationary<T>(h(last_level - 1), reference, outward_);
    if (!idle) return std::nullopt;
    std::vector<Row<T>> levels;
    std::vector<Row<T>> down(capacity + 1,
                             Row<T>::Zero(silent));  // rate of coming down to a level in silent slots
    Row<T> full = Row<T>::Zero(n);                   // rate of jumps to the top, by phase
    Sums sums{T(0), T(0)};
    for (Eigen::Index level = 0; level <= last_level; ++level) {
      const Eigen::Index d = last_level - level;
      // Rate from each phase to this level: here = q P.
      Row<T> q = Row<T>::Zero(n);
      if (level == 0) {
        q.head(silent) = *idle;
      } else if (d == 0) {
        q = full * outward_.factor(2 * maximum);
        const Row<T> first = (q * steps_.p) * outward_.factor(phases + 1);
        const auto loud = n - silent;
        q.tail(loud) += (first.tail(loud) * top_) * outward_.factor(phases + 1);
      } else {
        for (Eigen::Index b = 2; b <= std::min(batch, level); ++b)
          q.segment(steps_.begin(b), steps_.size(b)) =
              steps_.part(levels[static_cast<std::size_t>(level + 1 - b)], b);
        if (level <= batch)
          q.segment(steps_.begin(level), steps_.size(level)) += steps_.part(levels[0], level);
        q.head(silent) = down[static_cast<std::size_t>(level)] * outward_.factor(maximum);
        const Row<T> first = (q * steps_.p) * outward_.factor(phases + 1);
        Row<T> returns(one + silent);
        returns.head(one) = first.segment(steps_.begin(1), one);
        returns.tail(silent) = returned(first, d);
        const Row<T> all = (returns * stay_[static_cast<std::size_t>(d)]) *
                           outward_.factor(static_cast<double>(one) + s + 1);
        q.segment(steps_.begin(1), one) += all.head(one);
        q.head(silent) += all.tail(silent);
      }
      levels.push_back((q * steps_.p) * outward_.factor(phases + 3));
      const Row<T>& here = levels.back();
      const Eigen::Index left = level > 0 ? level - 1 : 0;  // after the service
      sums.mass += here.dot(steps_.ones.transpose());
      T gone(0);
      for (Eigen::Index b = last_level - left + 1; b <= batch; ++b)
        gone += T(static_cast<double>(left + b - last_level)) *
                steps_.part(here, b).dot(steps_.ones.segment(steps_.begin(b), steps_.size(b)).transpose());
      sums.lost += gone;
      // Jumps to the levels above this one, and their descent.
      Row<T> v = Row<T>::Zero(silent);
      if (left + batch >= last_level && d > 0) {
        for (Eigen::Index b = last_level - left; b <= batch; ++b) {
          full.segment(steps_.begin(b), steps_.size(b)) += steps_.part(here, b);
          if (d > 1) v += steps_.part(here, b) * steps_.rows(y_[0], b);
        }
        v *= outward_.factor(phases + 1);
        if (d > 1) down[capacity - 1] += v;
      }
      for (Eigen::Index t = std::min(left + batch, last_level - 1); t - 1 > level; --t) {
        const Eigen::Index b = t - left;
        Row<T> next = steps_.part(here, b) * steps_.rows(y_[static_cast<std::size_t>(last_level - t)], b);
        next.noalias() += v * h(last_level - t);
        v = next * outward_.factor(static_cast<double>(steps_.size(b)) + s + 2);
        down[static_cast<std::size_t>(t - 1)] += v;
      }
    }
    const T factor = outward_.factor(phases + maximum + static_cast<double>(capacity) + 4);
    return Sums{sums.lost * factor, sums.mass * factor};
  }

 private:
  [[nodiscard]] auto h(Eigen::Index d) const {
    return y_[static_cast<std::size_t>(d)].topRows(steps_.silent()).eval();
  }

  /// Distance 0: the level does not change.
  [[nodiscard]] bool begin() {
    const auto n = steps_.phases(), silent = steps_.silent(), loud = n - silent;
    const Matrix<T> again = steps_.p.bottomRightCorner(loud, loud);
    const auto top = solve_left<T, Matrix<T>>(Matrix<T>::Identity(loud, loud), again, outward_);
    if (!top) return false;
    top_ = *top;
    Matrix<T> k(n, silent);
    k.topRows(silent) = Matrix<T>::Identity(silent, silent);
    k.bottomRows(loud) = product<T>(top_, steps_.p.bottomLeftCorner(loud, silent)) *
                         outward_.factor(static_cast<double>(loud) + 1);
    remember(k);
    stay_.emplace_back();
    return true;
  }

  /// Adds one distance.
  [[nodiscard]] bool extend() {
    const auto n = steps_.phases(), silent = steps_.silent(), batch = steps_.batch(), one = steps_.size(1);
    const double s = static_cast<double>(silent);
    const auto d = static_cast<Eigen::Index>(y_.size());
    // P_b K_e H_(e+1) .. H_(d-1).
    Matrix<T> back = Matrix<T>::Zero(n, silent);
    for (Eigen::Index b = 2; b <= batch; ++b)
      steps_.rows(back, b) =
          steps_.rows(pending_[static_cast<std::size_t>(std::max<Eigen::Index>(d - b + 1, 0))], b);
    const auto used = one + silent;  // rows of phases that send at most a packet: the first ones
    Matrix<T> down = Matrix<T>::Zero(used, silent);
    add_product(down, steps_.p.topRows(used), back);
    down *= outward_.factor(static_cast<double>(n) + 1);
    Matrix<T> again(used, used);
    again.topLeftCorner(one, one) = steps_.p.block(silent, silent, one, one);
    again.bottomLeftCorner(silent, one) = steps_.p.block(0, silent, silent, one);
    again.topRightCorner(one, silent) = down.bottomRows(one);
    again.bottomRightCorner(silent, silent) = down.topRows(silent);
    const auto stay = solve_left<T, Matrix<T>>(Matrix<T>::Identity(used, used), again, outward_);
    if (!stay) return false;
    Matrix<T> ends(used, silent);
    ends.topRows(one) = steps_.p.block(silent, 0, one, silent);
    ends.bottomRows(silent) = steps_.p.topLeftCorner(silent, silent);
    const Matrix<T> rows = product(*stay, ends) * outward_.factor(static_cast<double>(used) + 1);
    Matrix<T> k = Matrix<T>::Zero(n, silent);
    k.topRows(silent) = Matrix<T>::Identity(silent, silent);
    k.middleRows(silent, one) = rows.topRows(one);
    const Matrix<T> last = rows.bottomRows(silent);
    const auto loud = n - used;
    Matrix<T> far = Matrix<T>::Zero(loud, silent);
    add_product(far, back.bottomRows(loud), last);
    k.bottomRows(loud) = far * outward_.factor(s + 1);
    remember(k);
    stay_.push_back(*stay);
    return true;
  }

  void remember(const Matrix<T>& k) {
    const auto n = steps_.phases(), silent = steps_.silent(), batch = steps_.batch();
    Matrix<T> y = Matrix<T>::Zero(n, silent);
    add_product(y, steps_.p, k);
    y *= outward_.factor(static_cast<double>(n) + 1);
    const auto d = static_cast<Eigen::Index>(y_.size());
    const Matrix<T> through = y.topRows(silent);
    // Passages under way come down one more level. From distance e: 2 packets at e + 1, 3 at e + 2, ..; from
    // 0: at least that many.
    for (Eigen::Index e = std::max<Eigen::Index>(d - batch + 1, 0); e < d; ++e) {
      Matrix<T>& rows = pending_[static_cast<std::size_t>(e)];
      const Eigen::Index first = steps_.begin(std::min(d - e + 2, batch + 1)), count = n - first;
      Matrix<T> next = Matrix<T>::Zero(count, silent);
      add_product(next, rows.bottomRows(count), through);
      rows.bottomRows(count) = next * outward_.factor(static_cast<double>(silent) + 1);
    }
    if (d >= batch) pending_[static_cast<std::size_t>(d - batch)].resize(0, 0);
    pending_.push_back(y);
    y_.push_back(std::move(y));
  }

  /// v times the rows P_b K_e H_(e+1) .. H_(d-1).
  [[nodiscard]] Row<T> returned(const Row<T>& v, Eigen::Index d) const {
    const auto batch = steps_.batch();
    const double s = static_cast<double>(steps_.silent());
    Row<T> sum = Row<T>::Zero(steps_.silent());
    for (Eigen::Index b = d + 1; b <= batch; ++b)
      if (b > 1) sum += steps_.part(v, b) * steps_.rows(y_[0], b);
    sum *= outward_.factor(static_cast<double>(steps_.phases()) + 1);
    for (Eigen::Index e = std::max<Eigen::Index>(d - batch + 1, 1); e < d; ++e) {
      const Eigen::Index b = d - e + 1;
      Row<T> next = steps_.part(v, b) * steps_.rows(y_[static_cast<std::size_t>(e)], b);
      next.noalias() += sum * h(e);
      sum = next * outward_.factor(static_cast<double>(steps_.size(b)) + s + 2);
    }
    return sum;
  }

  PhaseSteps<T> steps_;
  Outward<T> outward_;
  Matrix<T> top_;                   ///< (1 - P)^-1 among the phases that send
  std::vector<Matrix<T>> y_;        ///< [d] = P K_d
  std::vector<Matrix<T>> stay_;     ///< [d]: among phases that send one packet or none; empty at 0
  std::vector<Matrix<T>> pending_;  ///< [e]: rows of P K_e as they come down
};

}  // namespace tailbound::queue
