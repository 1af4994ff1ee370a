#pragma once

#include <tailbound/queue/passage/passage.hpp>

/// The queue of passage.hpp with a buffer of B packets. Internal to the queue module.
///
/// MODEL     Q[t+1] = min(max(Q[t] - 1, 0) + b, B); packets that do not fit are lost.
/// METHOD    The passage from level n to n - 1 depends on the distance d = B - n to the top:
///           G_d = (I - U_d)^-1 D_0,  U_d = D_1 + (D_2 + (D_3 + ...) G_(d-2)) G_(d-1),
///           ending in the blocks that reach the top; then levels from 0 upwards. All sums have non-negative
///           terms. G_d does not depend on B.
/// SOURCE    docs/derivations/bursty_queue.md
namespace tailbound::queue {

template <class T>
class FinitePassage {
 public:
  explicit FinitePassage(const Blocks<T>& on_side, const Outward<T>& outward)
      : blocks_(on_side), outward_(outward) {
    const auto n = blocks_.phases();
    // Arrivals of at least l packets at once.
    at_least_.assign(blocks_.d.size() + 1, Matrix<T>::Zero(n, n));
    for (std::size_t b = blocks_.d.size(); b-- > 0;) at_least_[b] = at_least_[b + 1] + blocks_.d[b];
    const T factor = outward.factor(static_cast<double>(blocks_.d.size()));
    for (Matrix<T>& sum : at_least_) sum *= factor;
    // E[(b - room)^+] by phase.
    lost_.assign(blocks_.d.size() + 1, Column<T>::Zero(n));
    for (std::size_t space = blocks_.d.size(); space-- > 0;)
      lost_[space] = lost_[space + 1] + at_least_[space + 1] * blocks_.ones;
    for (Column<T>& column : lost_)
      column *= outward.factor(static_cast<double>(n) + 1 + static_cast<double>(lost_.size()));
  }

  struct Sums {
    T lost, mass;  ///< packets lost per slot and the sum of all levels, with the same factor
  };

  /// Phases in which a queue with this buffer becomes empty.  \return nothing if T has too few bits
  [[nodiscard]] std::optional<Row<T>> phases_when_empty(std::size_t capacity) {
    while (passages_.size() < capacity)
      if (!extend()) return std::nullopt;
    return stationary<T>(passages_[capacity - 1], 0, outward_);
  }

  /// \param capacity   B >= 1
  /// \param reference  a phase that is frequent when the queue is empty
  /// \return nothing if T has too few bits
  [[nodiscard]] std::optional<Sums> sums(std::size_t capacity, Eigen::Index reference) {
    while (passages_.size() < capacity)
      if (!extend()) return std::nullopt;
    const auto n = blocks_.phases();
    const auto batch = static_cast<std::size_t>(blocks_.batch());
    const auto idle = stationary<T>(passages_[capacity - 1], reference, outward_);
    if (!idle) return std::nullopt;
    // incoming[l]: rate of reaching level l from below, or from above before returning below l.
    std::vector<Row<T>> incoming(capacity + 1, Row<T>::Zero(n));
    Sums sums{T(0), T(0)};
    const T step = outward_.factor(static_cast<double>(2 * n) + 3);
    for (std::size_t level = 0; level <= capacity; ++level) {
      const std::size_t left = level > 0 ? level - 1 : 0;  // after the service
      const Row<T> here = level == 0 ? *idle : Row<T>((incoming[level] * stay_[capacity - level]) * step);
      sums.mass += here.dot(blocks_.ones.transpose());
      const std::size_t space = capacity - left;
      if (space < lost_.size()) sums.lost += here.dot(lost_[space].transpose());
      // Arrivals that reach level left + b, and those that exceed it and come down to it first.
      Row<T> down = Row<T>::Zero(n);
      for (std::size_t b = std::min(batch, space);; --b) {
        const std::size_t target = left + b;
        if (target <= level) break;
        if (b == space)
          down = here * at_least_[b];
        else
          down = (here * blocks_.d[b] + down * passages_[capacity - target - 1]).eval();
        down *= step;
        incoming[target] += down;
        incoming[target] *= outward_.factor(1);
      }
    }
    const T factor = outward_.factor(static_cast<double>(n) + static_cast<double>(capacity) + 2);
    return Sums{sums.lost * factor, sums.mass * factor};
  }

 private:
  /// Adds one distance.
  bool extend() {
    const auto n = blocks_.phases();
    const std::size_t d = passages_.size(), batch = static_cast<std::size_t>(blocks_.batch());
    const std::size_t first = std::min(d, batch);
    Matrix<T> inner = first == d ? at_least_[std::min(d + 1, batch + 1)] : Matrix<T>(Matrix<T>::Zero(n, n));
    const double roundings = static_cast<double>(n) + 2;
    const T factor = outward_.factor(roundings);
    // inner: jumps of more than b levels that come down again to b.
    for (std::size_t b = first; b >= 1; --b) {
      Matrix<T> next = blocks_.d[b];
      const auto rows = n - blocks_.first_row[b];
      add_product(next.bottomRows(rows), inner.bottomRows(rows), passages_[d - b]);
      inner = next * factor;
    }
    const auto stay = solve_left<T, Matrix<T>>(Matrix<T>::Identity(n, n), inner, outward_);
    if (!stay) return false;
    stay_.push_back(*stay);
    passages_.push_back(product(*stay, blocks_.d[0]) * factor);
    return true;
  }

  Blocks<T> blocks_;
  Outward<T> outward_;
  std::vector<Matrix<T>> at_least_;
  std::vector<Column<T>> lost_;      ///< [room]
  std::vector<Matrix<T>> passages_;  ///< [d] = G_d
  std::vector<Matrix<T>> stay_;      ///< [d] = (I - U_d)^-1
};

}  // namespace tailbound::queue
