#pragma once

#include <tailbound/bounds/sizing/buffer_size.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/truth.hpp>

#include <cstdint>
#include <vector>

/// One incast: senders that answer once, at nearly the same time.
///
/// MODEL     Each of N senders sends L packets, one per slot, to one output, from a slot that it draws
///           uniformly from the first S slots, independently of the others. The output serves C packets per
///           slot, is empty before, and receives nothing else. Q counts the packets just after the arrivals
///           of a slot, those in service included; the peak is its maximum over the event.
/// RESULT    P(peak > B), which is the probability that a buffer of B packets loses any packet, and the
///           expected fraction of the N L packets that it loses. Exact for S <= L, C = 1; enclosures by
///           recurrences without subtraction for S <= L, and for C = 1. Where S > L losses are upper bounds,
///           as is P(peak > B) of events too large to be counted packet by packet.
/// SOURCE    docs/derivations/incast.md, "One event"
/// TESTS     tests/bounds/sizing/incast_event_test.cpp
namespace tailbound::bounds {

struct IncastEvent {
  static constexpr std::int64_t max_senders = 65'536, max_packets = 65'536, max_spread = 10'000'000;

  std::int64_t senders = 2, packets = 1;  ///< N, L
  std::int64_t spread = 1;                ///< S [slots]
  std::int64_t served = 1;                ///< C [packets/slot]

  /// The peak if all start together [packets]: (N - C) L + C.
  [[nodiscard]] Packets worst() const { return Packets((senders - served) * packets + served); }
};

/// The law of the peak. Not thread-safe.
class IncastPeak {
 public:
  /// \throws InvalidArgument  a field out of range, or S > L with C > 1
  /// \throws NoAnswer         the output is as fast as all senders together: no queue builds up
  /// \throws LimitExceeded    C > 1 and more than 4e9 products
  explicit IncastPeak(const IncastEvent& event);

  /// P(peak > B); or the expected fraction of packets that a buffer of B packets loses.
  /// COST  S > L: some 3e8 products for P(peak > B), up to 1e9 for losses; else little
  /// \param buffer  B >= 0
  /// \throws LimitExceeded  S > L, and even in blocks of L slots more products
  [[nodiscard]] numeric::Claim<unit::Probability> at(Packets buffer, Criterion criterion);

  /// The smallest buffer that meets the target, with the criterion at it.
  /// \param target  above 0 and below 1
  [[nodiscard]] Packets min_buffer(const numeric::Rational& target, Criterion criterion);

  [[nodiscard]] const IncastEvent& event() const { return event_; }

 private:
  [[nodiscard]] numeric::Claim<unit::Probability> above(std::int64_t buffer, double products) const;
  [[nodiscard]] numeric::Claim<unit::Probability> loss(std::int64_t buffer) const;

  IncastEvent event_;
  /// S <= L: P(the peak is that much below the worst), exactly for C = 1.
  std::vector<numeric::Rational> exact_;
  std::vector<long double> law_;
  double units_ = 0;  ///< errors of an entry of `law_`, in unit roundoffs
};

}  // namespace tailbound::bounds
