#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// Two successive slotted queues, of which the second receives what the first one serves.
///
/// MODEL     Queue U serves one packet a slot; each packet that it serves goes on to queue T with probability p,
///           independently. In a slot each source sends a packet to U with probability `through`, to T by other
///           ways with probability `around`, or none; sources and slots are independent. With v the packets that U
///           has left over from the slot before, and y those at T just after the arrivals of a slot:
///           x = v + a,  y' = max(y-1, 0) + b + m 1{x > 0},  v' = max(x-1, 0),  m ~ Bernoulli(p).
/// RESULT    the stationary law of (v, y), and the law of the wait at T given that at U.
/// SOURCE    docs/derivations/dependent_hops.md
/// EXCLUDES  queues that serve several packets a slot, bursts. Numbers are computed, not proved: identity_error()
///           measures them against an exact identity.
/// TESTS     tests/queue/hops/queue_pair_test.cpp
namespace tailbound::queue {

/// `count` sources alike.
struct PairSource {
  std::int64_t count = 1;
  double through = 0;  ///< packets a slot to U
  double around = 0;   ///< packets a slot to T, not by U
  friend bool operator==(const PairSource&, const PairSource&) = default;
  friend auto operator<=>(const PairSource&, const PairSource&) = default;
};

struct QueuePair {
  std::vector<PairSource> sources;
  double forwarded = 0;  ///< p, of what U serves
  friend bool operator==(const QueuePair&, const QueuePair&) = default;
  friend auto operator<=>(const QueuePair&, const QueuePair&) = default;
};

/// One slotted queue by itself, in double, from recurrences with non-negative terms.
struct LoneQueue {
  double load = 0;                ///< packets/slot
  std::vector<double> arrivals;   ///< P(A = n), as far as they count
  std::vector<double> left_over;  ///< P(V = n): before the arrivals of a slot
  std::vector<double> occupancy;  ///< P(Q = n): just after them
  std::vector<double> wait;       ///< P(W = n) = P(Q = n+1) / load
  double growth = 1;              ///< least root above 1 of z = A(z); infinite if no packet ever waits
  double gap = 1;  ///< 1 - min_z A(z)/z: what a slot takes off the distance from the stationary law
};

/// A queue that these sources feed, with probabilities for n < size.
/// \param probability  of a packet a slot of each of `count` sources
struct LoneSource {
  std::int64_t count = 1;
  double probability = 0;
};
/// \throws Unstable       the probabilities sum to 1 or more
/// \throws LimitExceeded  they sum to 1 within 1e-11
[[nodiscard]] LoneQueue lone_queue(const std::vector<LoneSource>& sources, std::size_t size);

/// T as if U were not there.  \throws as lone_queue()
[[nodiscard]] LoneQueue lone_second(const QueuePair& pair, std::size_t size);
/// \throws as lone_queue()
[[nodiscard]] LoneQueue lone_first(const QueuePair& pair, std::size_t size);

/// P(v, y) for v + y < size.
class PairLaw {
 public:
  explicit PairLaw(std::size_t size);

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] double at(std::size_t v, std::size_t y) const { return row(v)[y]; }
  [[nodiscard]] double* row(std::size_t v) { return values_.data() + v * stride_; }
  [[nodiscard]] const double* row(std::size_t v) const { return values_.data() + v * stride_; }
  [[nodiscard]] std::vector<double>& values() noexcept { return values_; }
  [[nodiscard]] std::size_t stride() const noexcept { return stride_; }
  /// P(y), v summed up.
  [[nodiscard]] std::vector<double> second() const;

  int slots = 0;        ///< of the chain that were computed
  double residual = 0;  ///< greatest relative change in a slot, over the rate at which errors die out

 private:
  std::size_t size_, stride_;
  std::vector<double> values_;
};

enum class PairMethod {
  plain,      ///< slot by slot: every term is non-negative
  chebyshev,  ///< the same slots, combined
};

/// What would leave v + y < size is dropped: entries near that edge are too small.
/// \param tolerance  relative, of entries away from the edge
/// COST    O(size^2 (a + b)) a slot, a and b the most packets of a slot that count; plain
///         log(1/tolerance) rho/(1-rho)^2 slots, chebyshev its root
/// \throws InvalidArgument  a probability out of range, size 0
/// \throws Unstable         U or T is offered 1 packet a slot or more
/// \throws LimitExceeded    no convergence
[[nodiscard]] PairLaw pair_law(const QueuePair& pair, std::size_t size, double tolerance,
                               PairMethod method = PairMethod::chebyshev);

/// How far the law is from the exact identity  E[z^(q+N)] = V(z) E[z^N | T idle],  q the packets that T has left
/// over, N those at U that will come to T, V(z) what T would have left over without U: the greatest relative
/// difference of the coefficients up to each power, entries 0 .. size-1.
[[nodiscard]] std::vector<double> identity_error(const QueuePair& pair, const PairLaw& law);

/// P(W_T = w' | W_U = w) for w + w' < size, if the other links into T are not smoothed by queues.
class PairKernel {
 public:
  PairKernel(const QueuePair& pair, const PairLaw& law);

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Of w < size: for w' = 0 .. size - w - 1; zeros if W_U = w is impossible.
  [[nodiscard]] const double* row(std::size_t w) const { return values_.data() + start_of(w); }
  [[nodiscard]] std::size_t bytes() const { return values_.size() * sizeof(double); }
  /// The waits depend on each other by something else as well: entries times 1 + s x(w) y(w'), rows scaled so that
  /// they sum as before. Of w' >= size - w, which are not listed, the score is taken as that of size - w.
  /// \param s     0 or more
  /// \param x, y  scores of W_U and W_T (wait_score.hpp)
  /// \pre 1 + s x(w) y(w') is nowhere negative; both scores have size() entries or more
  [[nodiscard]] PairKernel with_dependence(double s, std::span<const double> x,
                                           std::span<const double> y) const;

 private:
  [[nodiscard]] std::size_t start_of(std::size_t w) const { return w * size_ - w * (w - 1) / 2; }

  std::size_t size_;
  std::vector<double> values_;
};

}  // namespace tailbound::queue
