#pragma once

#include <boost/multiprecision/mpfr.hpp>

#include <cstdint>
#include <tests/support/fraction.hpp>
#include <tests/support/traffic.hpp>
#include <vector>

/// Queues as Markov chains, solved as linear equations: no generating function in sight.
namespace tailbound::test {

/// Stationary P(Q = n), n = 0 .. capacity, of Q' = min(max(Q - served, 0) + A, capacity), by Gaussian
/// elimination in exact fractions on the full matrix.
[[nodiscard]] std::vector<Fraction> finite_chain(const std::vector<Fraction>& arrivals, std::int64_t capacity,
                                                 int served = 1);

/// Packets dropped per packet offered in that chain: E[max(max(Q - served, 0) + A - capacity, 0)] / E[A].
[[nodiscard]] Fraction finite_chain_loss(const std::vector<Fraction>& arrivals, std::int64_t capacity,
                                         int served = 1);

/// 100 digits, at compile time: the ambient precision of Boost stays untouched.
using Float100 = boost::multiprecision::number<boost::multiprecision::mpfr_float_backend<110>,
                                               boost::multiprecision::et_off>;

/// P(Q > n), n = 0 .. capacity - 1, of the same chain by the elimination of Grassmann, Taksar and Heyman,
/// which adds, multiplies and divides only: every entry keeps its digits however small. With a capacity far
/// above n it stands for the queue with unlimited room.
[[nodiscard]] std::vector<Float100> banded_chain_tails(const std::vector<Fraction>& arrivals,
                                                       std::int64_t capacity, int served);

}  // namespace tailbound::test
