#pragma once

#include <tailbound/core/quantity.hpp>
#include <tailbound/numeric/truth.hpp>

#include <cstdint>
#include <optional>

/// Consequences of a proved bound P(Q > n) <= G z^-n for a queue that serves one packet per slot.
///
/// MODEL     Q[t+1] = max(Q[t] - 1, 0) + A[t+1], Q counted just after the arrivals of a slot; rho = E[A] < 1
/// RESULT    P(Q > n) <= min(rho, G z^-n) for n >= 1, loss(B) <= H z^-B and (1 - rho)/rho u/(1 - u), u = C
///           z^-B, for B >= 1, and sufficient buffer sizes derived from them (hardly ever the minimum ones)
/// SOURCE    docs/derivations/burst_bound.md
/// TESTS     tests/queue/tail_bounds/burst_bound_test.cpp
namespace tailbound::queue {

class ExponentialBound {
 public:
  /// The constants, proved by the caller. With prefactors of 0, Q never exceeds 1.
  /// \param z       above 1
  /// \param tail    G >= 0
  /// \param loss    H >= 0
  /// \param digits  minimum number of digits to which results are rounded up
  /// \param climb   C >= 0: given any history before a slot without a packet, the probability that some N
  ///                slots next to it bring at least N + n packets is at most C z^-n; none if not known
  ExponentialBound(numeric::Rational load, numeric::Real z, numeric::Real tail, numeric::Real loss,
                   numeric::Digits digits, std::optional<numeric::Real> climb = std::nullopt);

  /// rho [packets/slot]
  [[nodiscard]] const numeric::Rational& load() const { return load_; }
  /// log z [1/packet]: each packet multiplies the bound by exp(-decay_rate). The true tail decays at least as
  /// fast.
  [[nodiscard]] numeric::LowerBound<unit::PerPacket> decay_rate() const;
  /// G
  [[nodiscard]] numeric::UpperBound<unit::Ratio> prefactor() const {
    return {numeric::Theorem::source_bound, tail_};
  }

  /// Upper bound of P(Q > level); at level 0 rho itself, rounded up.
  /// \throws InvalidArgument  a negative level
  [[nodiscard]] numeric::UpperBound<unit::Probability> tail(std::int64_t level) const;
  /// Smallest n whose bound is at most `target`; so is P(Q > n).
  /// \param target  0 < target < 1
  /// \throws LimitExceeded  n would exceed 10^15
  [[nodiscard]] std::int64_t min_level(const numeric::Rational& target) const;

  /// Upper bound of the fraction of packets lost with a buffer of `capacity` packets. 1 at capacity 0.
  /// \throws InvalidArgument  a negative capacity
  [[nodiscard]] numeric::UpperBound<unit::Probability> loss(std::int64_t capacity) const;
  /// Smallest capacity whose bound is at most `target`.
  /// \param target  0 < target < 1
  /// \throws LimitExceeded  it would exceed 10^15
  [[nodiscard]] std::int64_t min_capacity(const numeric::Rational& target) const;

  /// Upper bound of E[Q] [packets].
  [[nodiscard]] numeric::UpperBound<unit::Packet> mean_occupancy() const;

 private:
  /// prefactor z^-n, rounded up
  [[nodiscard]] numeric::Real at(const numeric::Real& prefactor, std::int64_t n) const;
  /// Smallest n >= 1 with bound(n) <= target, where prefactor z^-n approximates the bound.
  template <class Bound>
  [[nodiscard]] std::int64_t minimum(const Bound& bound, const numeric::Real& prefactor,
                                     const numeric::Rational& target) const;

  numeric::Rational load_;
  numeric::Real log_z_;  ///< rounded down
  numeric::Real tail_, loss_;
  std::optional<numeric::Real> climb_;
  int bits_;
};

}  // namespace tailbound::queue
