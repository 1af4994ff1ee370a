#pragma once

#include <tailbound/core/quantity.hpp>
#include <tailbound/numeric/truth.hpp>

#include <optional>
#include <vector>

/// Size of the reorder buffer of one flow.
///
/// MODEL     One flow sends a packet in each slot with probability p, independently. A packet sent i slots
///           ago has age i and is delivered if its delay is at most i; delays are independent of one another,
///           with F(i) = P(delay <= i), i >= 0. R counts, at the end of a slot, the delivered packets that
///           wait for an older one; a packet whose predecessors have all been delivered leaves at once and
///           does not count.
/// RESULT    P(R > b) = sum over a of p (1 - F(a)) prod_{i>a} (1 - p (1 - F(i))) P(K_a > b),  K_a the
///           number of delivered packets of age below a: a sum of independent Bernoulli variables p F(i).
/// SOURCE    posed but not solved in Singh and Dally 2004, section VI; docs/derivations/reorder_buffer.md
/// EXCLUDES  dependent delays, bursts, several flows in one buffer.
/// TESTS     tests/bounds/path/reorder_buffer_test.cpp, tests/validation/reorder_buffer_simulation_test.cpp
namespace tailbound::bounds {

/// The distribution of a delay in whole slots, as enclosures. Ages beyond the N listed are summarized by one
/// number.
struct DelayDistribution {
  std::vector<numeric::Interval> at_most;  ///< F(i) = P(delay <= i), i = 0 .. N-1
  std::vector<numeric::Interval> above;    ///< P(delay > i), i = 0 .. N-1: not computed as 1 - F(i)
  numeric::Interval beyond;                ///< encloses the sum over i >= N of P(delay > i)  [slots]
  /// Packets' delays are independent: given so, or assumed.
  numeric::Proof proof{numeric::Theorem::convolution, numeric::Assumption::independent_hops};
};

/// The delay that is i with probability probabilities[i]; nothing lies beyond. The intervals are
/// neighbouring numbers of `precision`.
/// \throws InvalidArgument  no probabilities, a negative one, or a sum that is not exactly 1
[[nodiscard]] DelayDistribution from_pmf(const std::vector<numeric::Rational>& probabilities,
                                         numeric::Precision precision = {128});

/// P(R > b), b = 0 .. levels - 1, in order.  [0 .. 1]
///
/// CONTRACT  encloses the true value for every delay that `delays` encloses. With narrow delays and nothing
///           beyond, the relative width is about 8 N units of `precision`; the part beyond adds p * beyond.
/// COST      O(N min(N, levels)) interval operations.
/// \param rate    p, packets/slot, above 0 and at most 1
/// \throws InvalidArgument  rate out of range; delays that are not a distribution
/// \throws LimitExceeded    more than 100 000 ages or levels
[[nodiscard]] std::vector<numeric::Enclosure<unit::Probability>> reorder_tails(
    const numeric::Rational& rate, const DelayDistribution& delays, std::size_t levels,
    numeric::Precision precision = {64});

struct ReorderBuffer {
  Packets buffer;                                               ///< b, waiting packets only
  numeric::Enclosure<unit::Probability> at;                     ///< P(R > b) <= target
  std::optional<numeric::Enclosure<unit::Probability>> before;  ///< P(R > b - 1) > target; empty if b is 0
};

/// Smallest b with P(R > b) <= target, proved on both sides.
/// \param target     0 < target < 1
/// \param precision  initial precision; raised to 4 times as much where that may decide
/// \throws LimitExceeded  the enclosures cannot decide; the message gives the reason: the part beyond the
///                        listed ages, or the width of the listed probabilities (or equality)
/// \throws as reorder_tails()
[[nodiscard]] ReorderBuffer reorder_buffer(const numeric::Rational& rate, const DelayDistribution& delays,
                                           const numeric::Rational& target,
                                           numeric::Precision precision = {64});

}  // namespace tailbound::bounds
