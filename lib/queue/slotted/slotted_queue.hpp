#pragma once

#include <tailbound/core/quantity.hpp>
#include <tailbound/numeric/proved.hpp>
#include <tailbound/series/arrivals.hpp>

#include <span>
#include <vector>

/// Occupancy of a slotted queue with an infinite buffer that serves C packets per slot.
///
/// MODEL     Q[t+1] = max(Q[t] - C, 0) + A[t+1];  A[t] independent, with PGF A(z);  rho = A'(1) < C, or A = C
///           in every slot.
///           Q[t] counts the packets present just after the arrivals of slot t, those about to be
///           served included.
/// RESULT    Q(z) = (1 - rho) (z - 1) A(z) / (z - A(z)) for C = 1; tails by recurrences whose terms are all
///           non-negative, so 1e-300 costs no more digits than 1e-1.
/// SOURCE    Singh and Dally 2004, eq. (1); derivation: docs/derivations/slotted_queue.md.
/// EXCLUDES  finite buffers (queue/finite/finite_queue.hpp), correlated arrivals.
/// TESTS     tests/queue/slotted/slotted_queue_test.cpp, data/reference/slotted_queue.csv
namespace tailbound::queue {

struct SlottedQueue {
  static constexpr int max_packets_per_slot = 128;

  series::Arrivals arrivals;
  int packets_per_slot = 1;  ///< C, 1 .. 128
};

/// The arithmetic in which a recurrence runs. All enclose the true value; they differ in reach and cost.
enum class Arithmetic {
  automatic,         ///< the cheapest one that suffices, found by trial
  double_precision,  ///< double with a proved rounding bound (docs/derivations/rounding.md); above 1e-240
  extended,          ///< long double with the same bound; above 1e-600
  multiprecision,    ///< MPFR with the same bound
  interval,          ///< MPFI, outward rounding at every step
  exact,             ///< rationals
};

[[nodiscard]] const char* name(Arithmetic arithmetic);

/// Required accuracy of an answer.
struct Accuracy {
  numeric::Digits digits{10};  ///< relative width of an enclosure at most 10^-digits; 1 .. 10 000
  Arithmetic arithmetic = Arithmetic::automatic;
};

/// How a number was computed.
struct Method {
  Arithmetic arithmetic = Arithmetic::automatic;  ///< never `automatic` in a result
  int bits = 53;                                  ///< precision of that arithmetic; 0 if exact
};

struct LevelProbability {
  Packets level;
  numeric::Proved<unit::Probability> probability;
  Method method;
};

/// P(Q > level) for each level, in the order given.  [0 .. 1]
///
/// CONTRACT  each is exact or an enclosure of relative width <= 10^-digits.
/// COST      O(n min(n, K)) operations up to the deepest level n, K = length of the arrivals' support; O(K^2
///           log n) per level where that is less.
/// \param levels  >= 0; level 0 gives P(Q > 0)
/// \throws Unstable         rho >= C
/// \throws InvalidArgument  a negative level, digits outside the range of the arithmetic
/// \throws LimitExceeded    the requested arithmetic cannot reach the digits or the level
[[nodiscard]] std::vector<LevelProbability> occupancy_tails(const SlottedQueue& queue,
                                                            std::span<const Packets> levels,
                                                            const Accuracy& accuracy = {});
[[nodiscard]] LevelProbability occupancy_tail(const SlottedQueue& queue, Packets level,
                                              const Accuracy& accuracy = {});

/// P(Q = n) for n = 0 .. last, in order. Contract and errors as occupancy_tails().
[[nodiscard]] std::vector<LevelProbability> occupancy_probabilities(const SlottedQueue& queue, Packets last,
                                                                    const Accuracy& accuracy = {});

/// Smallest level n with P(Q > n) <= target, with the tails on both sides of that boundary as proof.
struct TailBoundary {
  Packets level;
  LevelProbability at;                   ///< P(Q > level) <= target
  std::vector<LevelProbability> before;  ///< P(Q > level - 1) > target; empty if level is 0
};

/// \param target  0 < target < 1
/// \throws as occupancy_tails(); LimitExceeded also if the level would exceed 10^15
[[nodiscard]] TailBoundary min_level(const SlottedQueue& queue, const numeric::Rational& target,
                                     const Accuracy& accuracy = {});

/// E[Q] = rho + A''(1) / (2 (1 - rho)) for C = 1 [packets]; exact where the moments of A are rational and
/// C = 1, enclosed to `digits` otherwise.
[[nodiscard]] numeric::Proved<unit::Packet> mean_occupancy(const SlottedQueue& queue,
                                                           numeric::Digits digits = {});

/// log z0 [1/packet], z0 > 1 the smallest real solution of z^C = A(z): deep in the tail each packet
/// multiplies P(Q > n) by exp(-decay_rate). Empty if there is no such solution (no packet ever waits: A <= C
/// always).
[[nodiscard]] std::optional<numeric::Enclosure<unit::PerPacket>> decay_rate(const SlottedQueue& queue,
                                                                            numeric::Digits digits = {});

/// \throws Unstable  rho >= C
void require_stable(const SlottedQueue& queue);
/// Whether rho < C; false for an irrational load within 2^-2000 of C.
[[nodiscard]] bool is_stable(const SlottedQueue& queue);
/// Whether exactly C packets arrive in every slot. Then Q = C always, although rho = C.
[[nodiscard]] bool at_capacity_without_variance(const SlottedQueue& queue);
/// \throws Unstable  rho >= C, unless at_capacity_without_variance()
void require_stationary(const SlottedQueue& queue);

}  // namespace tailbound::queue
