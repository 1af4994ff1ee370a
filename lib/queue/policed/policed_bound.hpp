#pragma once

#include <tailbound/core/quantity.hpp>
#include <tailbound/numeric/truth.hpp>
#include <tailbound/traffic/token_bucket.hpp>

#include <cstdint>

/// A closed-form upper bound on the output queue of policed inputs.
///
/// MODEL     k inputs, each sends at most one packet per slot, and conforms to a token bucket of rate r and
///           depth b. Each packet goes to the output with probability p, drawn independently of the sending
///           times. Nothing else is assumed: sources may be correlated, synchronised, greedy, or malicious in
///           their timing. Q[t] = max(Q[t-1] - 1, 0) + A[t]. Below, r and b are the rate that the bucket
///           sustains and its depth (traffic::sustained).
/// RESULT    P(Q > q) <= min over 1 < z <= z0 of A(z) z^-(q + 1) max(1, A(z)/z)^m*,  A(z) = (1 + p (z -
///           1))^k, m* = (b - 1)/(1 - r), z0 > 1 the root of r log A(z) = log z (any z > 1 where there is
///           none). At z0 each token of depth costs 1/r packets of buffer. For messages of up to L packets,
///           which draw one output together: P(Q > q) <= min z^-(q + 1) (1 + p (z^L - 1))^(k (b + L - 1)/L),
///           (k r / L) log(1 + p (z^L - 1)) <= log z.
/// SOURCE    docs/derivations/policed_traffic.md, section 3
/// EXCLUDES  destinations kept for longer than a message, or drawn differently; sending times that react to
///           the draws (credits, back-pressure)
/// TESTS     tests/queue/policed/policed_queue_test.cpp
namespace tailbound::queue {

/// Identically policed inputs.
struct PolicedInputs {
  static constexpr std::int64_t max_inputs = 1'048'576, longest_message = 4096;
  std::int64_t inputs = 1;      ///< k
  numeric::Rational share = 1;  ///< p: fraction of an input's packets, above 0, at most 1
  traffic::TokenBucket bucket;  ///< (r, b) for all packets of an input: r above 0, b >= 1
  std::int64_t message = 1;     ///< L [packets]

  /// k p r of the bucket as it is [packets/slot]; less arrives if it discards tokens
  [[nodiscard]] numeric::Rational load() const { return numeric::Rational(inputs) * share * bucket.rate; }
};

class PolicedBound {
 public:
  /// \throws InvalidArgument  out of range  \throws Unstable  k p r >= 1
  explicit PolicedBound(const PolicedInputs& inputs);

  /// With the bucket as sustained.
  [[nodiscard]] const PolicedInputs& inputs() const { return inputs_; }

  /// Upper bound of P(Q > level).  \throws InvalidArgument  a negative level
  [[nodiscard]] numeric::UpperBound<unit::Probability> tail(std::int64_t level) const;
  /// A level whose bound is at most `target`; the smallest one except for rounding.
  /// \param target  0 < target < 1  \throws LimitExceeded  it would exceed 10^15
  [[nodiscard]] std::int64_t min_level(const numeric::Rational& target) const;
  /// log z0 to double accuracy; infinite where there is no root.
  [[nodiscard]] double log_root() const { return log_root_; }

  /// P(more than level + m packets in the last m + 1 slots for some m > `window`), rounded up, with at most
  /// `spread` + r m packets per input in m + 1 slots.
  [[nodiscard]] numeric::Real beyond(std::int64_t level, std::int64_t window,
                                     const numeric::Rational& spread) const;
  /// Smallest window, to within a few per cent, for which beyond() is at most exp(log_target); at most 2^62.
  [[nodiscard]] std::int64_t window(std::int64_t level, double log_target) const;

 private:
  /// log A(z) per packet at z = e^x, to double accuracy.
  [[nodiscard]] double log_factor(double x) const;
  /// The bound at z = e^x: its logarithm to double accuracy, and rounded up.
  [[nodiscard]] double log_at(double x, double level) const;
  [[nodiscard]] numeric::Real at(double x, std::int64_t level) const;
  [[nodiscard]] double best(std::int64_t level) const;
  /// The level, a real number, at which the bound at e^x meets a target.
  [[nodiscard]] double level_at(double x, double log_target) const;

  PolicedInputs inputs_;
  double rate_, depth_, trials_, share_, length_;
  numeric::Rational peak_window_;  ///< m* for single packets; 0 for messages
  double log_root_;                ///< rounded down
};

}  // namespace tailbound::queue
