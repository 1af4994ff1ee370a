#pragma once

#include <tailbound/numeric/rational.hpp>

#include <cstdint>
#include <vector>

/// A token bucket and its arrival curve.
///
/// MODEL     At the start of a slot the bucket gets `rate` tokens, up to at most `burst`; a packet takes one.
///           Initially full. A source with several buckets takes a token from each.
/// RESULT    The greedy source sends as soon as it can, starting with a full bucket. In its first m + 1 slots
///           it sends at least as much as any source in any m + 1 slots: a packet is never sent before the
///           latest of (an earlier packet's slot + the minimum distance), and sending an earlier one sooner
///           is never worse.
/// SOURCE    docs/derivations/policed_traffic.md, section 1
/// TESTS     tests/traffic/token_bucket_test.cpp
namespace tailbound::traffic {

/// Packets and slots, or any other two units (bytes, microseconds).
struct TokenBucket {
  numeric::Rational rate;   ///< tokens per slot, above 0
  numeric::Rational burst;  ///< depth; includes the packet being sent
  friend bool operator==(const TokenBucket&, const TokenBucket&) = default;
};
/// A peak rate as a bucket: m slots bring at most `peak` m packets; below 1 one packet every 1/peak slots.
[[nodiscard]] inline TokenBucket peak_of(const numeric::Rational& peak) {
  return {peak, peak < 1 ? numeric::Rational(1) : peak};
}
/// A link as a bucket: at most one packet per slot.
[[nodiscard]] inline TokenBucket one_per_slot() {
  return {1, 1};
}

/// The bucket that admits the same traffic and discards no token while a packet waits: `bucket` itself, or
/// with the rate that it sustains. COST  O(log denominator)
/// \throws InvalidArgument  a rate not above 0, a burst below 1
[[nodiscard]] TokenBucket sustained(const TokenBucket& bucket);

/// The buckets that bind, each as sustained(): the same traffic without those that others imply. In their
/// order.
/// \throws InvalidArgument  as sustained()
[[nodiscard]] std::vector<TokenBucket> binding(const std::vector<TokenBucket>& buckets);

/// Packets of the greedy source in its first `slots` slots.  \throws InvalidArgument  as GreedyPattern
[[nodiscard]] std::vector<std::int64_t> greedy_slots(const std::vector<TokenBucket>& buckets,
                                                     std::int64_t slots);

/// Packets of the greedy source slot by slot; eventually periodic.
class GreedyPattern {
 public:
  static constexpr std::int64_t max_slots = 1 << 24;

  /// \throws InvalidArgument  no bucket; a rate not above 0, a burst below 1; rates and bursts whose common
  ///                          denominator is above 10^9, or bursts above 10^9
  /// \throws LimitExceeded    more than `max_slots` slots before the pattern repeats
  explicit GreedyPattern(const std::vector<TokenBucket>& buckets);

  /// In slots 0, 1, ...; then `cycle()` repeats.
  [[nodiscard]] const std::vector<std::int64_t>& start() const { return start_; }
  [[nodiscard]] const std::vector<std::int64_t>& cycle() const { return cycle_; }
  /// In slot `m`.
  [[nodiscard]] std::int64_t sent(std::int64_t m) const;
  /// alpha(m): packets in slots 0 .. m, the maximum over any m + 1 slots; 0 for m = -1.
  [[nodiscard]] std::int64_t maximum(std::int64_t m) const;
  /// Long-run rate that the buckets let through [packets/slot]: below `rate` where a full bucket overflows.
  [[nodiscard]] numeric::Rational rate() const;

 private:
  std::vector<std::int64_t> start_, cycle_;
  std::vector<std::int64_t> sums_;  ///< maximum(-1), maximum(0), ... to the end of the first cycle
};

}  // namespace tailbound::traffic
