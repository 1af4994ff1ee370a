#pragma once

#include <tailbound/numeric/real.hpp>

#include <cstdint>
#include <optional>
#include <vector>

/// A queue with Poisson arrivals, services of equal length and little room: M/D/1/L; and how likely a request
/// that comes to it combines with one that waits.
///
/// MODEL     Poisson arrivals of `load` requests in a service time; one server; K = L + 1 places, that of the
///           request in service included. What finds all places taken is lost.
/// RESULT    the time averages p_0 .. p_K of the number of requests present. No step subtracts, so that small
///           probabilities are as accurate, relatively, as large ones: to some 2 K units of rounding.
/// METHOD    Just after departures the number present is a Markov chain that falls by at most one a step. In
///           the balance across the cut between j and j + 1 all terms are positive:
///             pi_(j+1) a_0 = sum_(i<=j) pi_i P(A > j - max(i - 1, 0)),  A Poisson (load).
///           p_k = pi_k / (pi_0 + load) for k < K; p_K is the mean time for which the last place is taken, a
///           sum of tails of A.
/// COST      O(K m), m the number of tails of A that are not 0 (about 180 for a load of 1)
/// SOURCE    Mohapatra, Wong and Das 1994, section 3 (M/D/1/L and eqs. 1-4); docs/derivations/multistage.md
/// TESTS     tests/queue/delay/deterministic_queue_test.cpp
namespace tailbound::queue {

struct DeterministicOccupancy {
  std::vector<double> probability;  ///< [k]: k requests present, k = 0 .. K; a time average
  double accepted = 0;              ///< requests let in during a service time: 1 - p_0
  double lost = 0;                  ///< the share of arrivals that is lost: p_K
  double mean = 0;                  ///< requests present

  /// Mean time from arrival to end of service, of a request let in [service times]
  [[nodiscard]] double time() const { return mean / accepted; }
};

/// \param load    0 < load <= 600
/// \param places  K, 1 .. 100 000
/// \throws InvalidArgument  out of range
[[nodiscard]] DeterministicOccupancy deterministic_queue(double load, std::int64_t places);

/// What the places of a buffer hold, as Mohapatra, Wong and Das assume: independently of one another a cold
/// request or m combined hot ones, with probabilities in the ratio of C : H, H^2, ... H^cd (C + H = 1), and
/// at most one place holds fewer than cd.
class CombiningMix {
 public:
  /// \param cold, hot  rates of messages that come to the queue, >= 0, not both 0
  /// \param combining  cd >= 1; empty: unlimited
  CombiningMix(double cold, double hot, std::optional<std::int64_t> combining);

  /// Z(l): a hot request that finds l present, that in service included, combines. 0 for l < 2.
  ///
  /// METHOD  the quotient of eqs. (2) and (1) grows by  r(l + 1) = (a r(l) + w) / (a + q).
  /// \returns Z(0) .. Z(greatest)
  [[nodiscard]] std::vector<double> combining(std::int64_t greatest) const;

  [[nodiscard]] double cold() const { return cold_; }  ///< a: a place holds a cold request
  [[nodiscard]] double full() const { return full_; }  ///< q: it holds cd hot ones
  [[nodiscard]] double open() const { return open_; }  ///< w: fewer

 private:
  double cold_ = 0, full_ = 0, open_ = 0;
};

}  // namespace tailbound::queue
