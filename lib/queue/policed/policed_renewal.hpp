#pragma once

#include <tailbound/queue/policed/policed_bound.hpp>
#include <tailbound/queue/slotted/slotted_queue.hpp>

#include <cstdint>
#include <memory>
#include <optional>

/// The worst P(Q > q) of policed inputs from the last window that fills the queue: some 10^4 steps in all
/// instead of per level.
///
/// MODEL     as queue/policed/policed_queue.hpp, S_m = Binomial(k alpha(m), p) the packets of the last m + 1
///           slots
/// RESULT    P(Q > q) = sum_m P(S_m = q + 1 + m) g_{m+1},  g_m = P(no packet is left of the slots m, m+1, ..
///           before now). The last window with at least m + 1 + q packets has exactly that many, and the
///           queue was empty before it. The g repeat with the pattern. They solve 1 = sum_n P(S of the n + 1
///           slots from m on = n) g_{m+n+1}, the same equation for level -1.
/// CONTRACT  enclosures: rounding errors are counted, the solution is checked by its residual and an
///           approximate inverse.
/// SOURCE    docs/derivations/policed_traffic.md, section 3
/// TESTS     tests/queue/policed/policed_queue_test.cpp
/// Internal to the queue module.
namespace tailbound::queue {

class PolicedRenewal {
 public:
  virtual ~PolicedRenewal() = default;
  /// P(Q > level); wide where slots before the pattern repeats matter. \param log2_error  approximate
  /// truncation error allowed
  [[nodiscard]] virtual numeric::Enclosure<unit::Probability> tail(std::int64_t level, double log2_error) = 0;
  [[nodiscard]] virtual Method method() const = 0;
};

/// Cost in products; infinite where the method does not apply (long patterns, inputs that cannot fill the
/// queue).
[[nodiscard]] double renewal_work(const PolicedInputs& inputs, const traffic::GreedyPattern& pattern,
                                  const PolicedBound& bound, std::int64_t level, double log2_error);

/// \param spread         alpha(m) <= spread + r m
/// \param log2_relative  approximate relative error allowed in g
/// \param method         extended or multiprecision
/// \return  null if the check of the solution fails
[[nodiscard]] std::unique_ptr<PolicedRenewal> make_renewal(const PolicedInputs& inputs,
                                                           const traffic::GreedyPattern& pattern,
                                                           const PolicedBound& bound,
                                                           numeric::Rational spread, double log2_relative,
                                                           Method method);

}  // namespace tailbound::queue
