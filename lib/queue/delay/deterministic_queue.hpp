#pragma once

#include <tailbound/numeric/real.hpp>

#include <cstdint>
#include <optional>
#include <vector>

/// The M/D/1/L queue (Poisson arrivals, constant service time, finite buffer), and the probability that an
/// arriving request combines with a waiting one.
///
/// MODEL     Poisson arrivals of `load` requests in a service time; one server; capacity K = L + 1 requests,
///           the one in service included. Requests that find the queue full are lost.
/// RESULT    the time averages p_0 .. p_K of the number of requests present. No step subtracts, so small
///           probabilities have the same relative accuracy as large ones: about 2 K unit roundoffs.
/// METHOD    Just after departures the number present is a Markov chain that decreases by at most one per
///           step. In the balance across the cut between j and j + 1 all terms are positive:
///             pi_(j+1) a_0 = sum_(i<=j) pi_i P(A > j - max(i - 1, 0)),  A Poisson (load).
///           p_k = pi_k / (pi_0 + load) for k < K; p_K is the mean time during which the queue is full, a sum
///           of tails of A.
/// COST      O(K m), m the number of tails of A that are not 0 (about 180 for a load of 1)
/// SOURCE    Mohapatra, Wong and Das 1994, section 3 (M/D/1/L and eqs. 1-4); docs/derivations/multistage.md
/// TESTS     tests/queue/delay/deterministic_queue_test.cpp
namespace tailbound::queue {

struct DeterministicOccupancy {
  std::vector<double> probability;  ///< [k]: k requests present, k = 0 .. K; a time average
  double accepted = 0;              ///< requests accepted per service time: 1 - p_0
  double lost = 0;                  ///< fraction of arrivals lost: p_K
  double mean = 0;                  ///< requests present

  /// Mean time from arrival to end of service, of an accepted request [service times]
  [[nodiscard]] double time() const { return mean / accepted; }
};

/// \param load    0 < load <= 600
/// \param capacity  K, 1 .. 100 000
/// \throws InvalidArgument  out of range
[[nodiscard]] DeterministicOccupancy deterministic_queue(double load, std::int64_t capacity);

/// Contents of the buffer positions as Mohapatra, Wong and Das assume them: each independently holds a cold
/// request or m combined hot ones, with probabilities in the ratio of C : H, H^2, ... H^cd (C + H = 1), and
/// at most one position holds fewer than cd.
class CombiningMix {
 public:
  /// \param cold, hot  rates of messages arriving at the queue, >= 0, not both 0
  /// \param combining  cd >= 1; empty: unlimited
  CombiningMix(double cold, double hot, std::optional<std::int64_t> combining);

  /// Z(l): probability that a hot request that finds l present, the one in service included, combines. 0 for
  /// l < 2.
  ///
  /// METHOD  the quotient of eqs. (2) and (1) grows by  r(l + 1) = (a r(l) + w) / (a + q).
  /// \returns Z(0) .. Z(`largest`)
  [[nodiscard]] std::vector<double> combining(std::int64_t largest) const;

  [[nodiscard]] double cold() const { return cold_; }  ///< a: a position holds a cold request
  [[nodiscard]] double full() const { return full_; }  ///< q: it holds cd hot ones
  [[nodiscard]] double open() const { return open_; }  ///< w: fewer

 private:
  double cold_ = 0, full_ = 0, open_ = 0;
};

}  // namespace tailbound::queue
