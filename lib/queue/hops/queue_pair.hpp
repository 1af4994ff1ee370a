#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// Two successive slotted queues; the second receives packets that the first has served.
///
/// MODEL     Queue U serves one packet per slot; each packet that it serves goes on to queue T with
///           probability p, independently. In a slot each source sends a packet to U with probability
///           `through`, to T by other paths with probability `around`, or none; sources and slots are
///           independent. With v the packets that U has left over from the slot before, and y those at T just
///           after the arrivals of a slot: x = v + a,  y' = max(y-1, 0) + b + m 1{x > 0},  v' = max(x-1, 0),
///           m ~ Bernoulli(p).
/// RESULT    the stationary distribution of (v, y), and the distribution of the wait at T given that at U.
/// SOURCE    docs/derivations/dependent_hops.md
/// EXCLUDES  queues that serve several packets per slot, bursts. Results are numerical, not proved:
///           identity_error() measures them against an exact identity.
/// TESTS     tests/queue/hops/queue_pair_test.cpp
namespace tailbound::queue {

/// `count` identical sources.
struct PairSource {
  std::int64_t count = 1;
  double through = 0;  ///< to U [packets/slot]
  double around = 0;   ///< to T but not through U [packets/slot]
  friend bool operator==(const PairSource&, const PairSource&) = default;
  friend auto operator<=>(const PairSource&, const PairSource&) = default;
};

struct QueuePair {
  std::vector<PairSource> sources;
  double forwarded = 0;  ///< p, fraction of the packets served by U that go on to T
  friend bool operator==(const QueuePair&, const QueuePair&) = default;
  friend auto operator<=>(const QueuePair&, const QueuePair&) = default;
};

/// A single slotted queue in double precision, from recurrences with non-negative terms.
struct LoneQueue {
  double load = 0;                ///< packets/slot
  std::vector<double> arrivals;   ///< P(A = n), negligible ones cut off
  std::vector<double> left_over;  ///< P(V = n): before the arrivals of a slot
  std::vector<double> occupancy;  ///< P(Q = n): just after them
  std::vector<double> wait;       ///< P(W = n) = P(Q = n+1) / load
  double growth = 1;              ///< smallest root above 1 of z = A(z); infinite if no packet ever waits
  double gap = 1;  ///< 1 - min_z A(z)/z: relative approach to the stationary distribution per slot
};

/// The queue of these sources, with probabilities for n < size.
/// \param probability  of a packet per slot, for each of the `count` sources
struct LoneSource {
  std::int64_t count = 1;
  double probability = 0;
};
/// \throws Unstable       the probabilities sum to 1 or more
/// \throws LimitExceeded  they sum to 1 within 1e-11
[[nodiscard]] LoneQueue lone_queue(const std::vector<LoneSource>& sources, std::size_t size);

/// T without U.  \throws as lone_queue()
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
  /// P(y), summed over v.
  [[nodiscard]] std::vector<double> second() const;

  int slots = 0;        ///< of the chain that were iterated
  double residual = 0;  ///< largest relative change in a slot, divided by the rate at which errors decay

 private:
  std::size_t size_, stride_;
  std::vector<double> values_;
};

enum class PairMethod {
  plain,      ///< slot by slot; all terms non-negative
  chebyshev,  ///< the same iteration with Chebyshev acceleration
};

/// Transitions out of v + y < size are dropped, so entries near that edge are too small.
/// \param tolerance  relative, of entries away from the edge
/// COST    O(size^2 (a + b)) per slot, a and b the largest non-negligible numbers of packets in a slot; plain
///         log(1/tolerance) rho/(1-rho)^2 slots, chebyshev its root
/// \throws InvalidArgument  a probability out of range, size 0
/// \throws Unstable         U or T is offered 1 packet per slot or more
/// \throws LimitExceeded    no convergence
[[nodiscard]] PairLaw pair_law(const QueuePair& pair, std::size_t size, double tolerance,
                               PairMethod method = PairMethod::chebyshev);

/// Deviation from the exact identity  E[z^(q+N)] = V(z) E[z^N | T idle],  q the packets left over at T, N
/// those at U that will go on to T, V(z) the packets left over at T without U: the largest relative
/// difference of the coefficients up to each power, entries 0 .. size-1.
[[nodiscard]] std::vector<double> identity_error(const QueuePair& pair, const PairLaw& law);

/// P(W_T = w' | W_U = w) for w + w' < size, where no queues smooth the other links into T.
class PairKernel {
 public:
  PairKernel(const QueuePair& pair, const PairLaw& law);

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// For w < size: w' = 0 .. size - w - 1; zeros if W_U = w is impossible.
  [[nodiscard]] const double* row(std::size_t w) const { return values_.data() + start_of(w); }
  [[nodiscard]] std::size_t bytes() const { return values_.size() * sizeof(double); }
  /// Adds another dependence between the waits: multiplies entries by 1 + s x(w) y(w') and rescales rows to
  /// their former sums. The unlisted w' >= size - w get the score of size - w.
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
