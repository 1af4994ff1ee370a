#pragma once

#include <tailbound/queue/arrivals/markov_arrivals.hpp>

#include <memory>
#include <optional>

/// E[z^W] of the wait at a queue with equal on-off sources, enclosed for any z at which it is finite.
///
/// MODEL     queue/delay/markov_delay.hpp with one group of on-off sources (OnOffGroup of share 1), and alpha
///           + beta <= 1.
/// METHOD    E[z^Q] = (z - 1) (1 - rho) g (u - 1), u = (1 - D(z)/z)^-1 1, g the stationary row of G. For any
///           numbers c_j, and the roots z_j of z = l1^(k-j) l2^j in [0, 1[ with their eigenvectors v_j, g u
///           lies between the minimum and the maximum entry of u - sum_j c_j (z_j - 1) v_j, as G v_j = z_j
///           v_j. Elimination gives the c_j for which these entries are all equal. Roots, vectors and entries
///           are enclosed in intervals; the precision is increased until the enclosure is narrow.
/// RESULT    enclosures of relative width 2^-60 or less
/// SOURCE    docs/derivations/bursty_queue.md, (16) and (17)
/// EXCLUDES  groups of several kinds; bursts that go elsewhere as a whole; more than `max_sources` sources
/// TESTS     tests/queue/delay/wait_transform_test.cpp
namespace tailbound::queue {

/// Caches its results, so further z are cheap. Not thread-safe.
class WaitTransform {
 public:
  static constexpr std::int64_t max_sources = 64;
  static constexpr int max_bits = 8192;

  /// COST  none here; the first z takes O(k^3) operations for k sources, every other z O(k^2)
  /// \throws Unstable         rho >= 1
  /// \throws InvalidArgument  no source or more than max_sources, a share below 1, alpha + beta > 1
  explicit WaitTransform(const OnOffGroup& group);
  ~WaitTransform();
  WaitTransform(WaitTransform&&) noexcept;
  WaitTransform& operator=(WaitTransform&&) noexcept;

  /// E[z^W], with the precision in force.
  /// \return none where the mean is infinite: z at or above the smallest root > 1 of z = l1(z)^k
  /// \throws InvalidArgument  z < 1
  /// \throws LimitExceeded    more than max_bits needed
  [[nodiscard]] std::optional<numeric::Interval> at(const numeric::Real& z);

  /// The same to a few digits, not proved: for searches over z.
  [[nodiscard]] std::optional<double> nearly(double z);

 private:
  struct Solved;
  struct State;
  [[nodiscard]] Solved& solved(int bits);
  std::unique_ptr<State> state_;
};

}  // namespace tailbound::queue
