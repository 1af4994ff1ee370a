#pragma once

#include <tailbound/numeric/rational.hpp>

#include <cstdint>
#include <vector>

/// A token bucket, and the most that it lets through.
///
/// MODEL     At the start of a slot the bucket gets `rate` tokens, and holds at most `burst`; a packet takes one. Full at
///           the start. A source that passes several buckets takes a token of each.
/// RESULT    The greedy source, which sends as soon as it can from a full bucket, sends as much in its first m + 1 slots
///           as any source in any m + 1 slots: a packet is never sent earlier than the last of (an earlier packet's slot +
///           the least distance), and to send an earlier one sooner is never worse.
/// SOURCE    docs/derivations/policed_traffic.md, section 1
/// TESTS     tests/traffic/token_bucket_test.cpp
namespace tailbound::traffic {

/// Packets and slots, or any other two units (bytes, microseconds).
struct TokenBucket {
  numeric::Rational rate;   ///< tokens a slot, above 0
  numeric::Rational burst;  ///< depth: the packet that is sent counts
  friend bool operator==(const TokenBucket&, const TokenBucket&) = default;
};
/// A link, seen as a bucket: at most one packet a slot.
[[nodiscard]] inline TokenBucket one_a_slot() {
  return {1, 1};
}

/// What the greedy source sends in its first `slots` slots.  \throws InvalidArgument  as GreedyPattern
[[nodiscard]] std::vector<std::int64_t> greedy_slots(const std::vector<TokenBucket>& buckets,
                                                     std::int64_t slots);

/// How many packets the greedy source sends, slot by slot: at last always the same again.
class GreedyPattern {
 public:
  static constexpr std::int64_t most_slots = 1 << 24;

  /// \throws InvalidArgument  no bucket; a rate not above 0, a burst below 1; rates and bursts whose common denominator is
  ///                          above 10^9, or bursts above 10^9
  /// \throws LimitExceeded    more than `most_slots` slots before the pattern repeats
  explicit GreedyPattern(const std::vector<TokenBucket>& buckets);

  /// In slots 0, 1, ...; then `cycle()` for ever.
  [[nodiscard]] const std::vector<std::int64_t>& start() const { return start_; }
  [[nodiscard]] const std::vector<std::int64_t>& cycle() const { return cycle_; }
  /// In slot `m`.
  [[nodiscard]] std::int64_t sent(std::int64_t m) const;
  /// alpha(m): in slots 0 .. m, and the most that any m + 1 slots bring; 0 for m = -1.
  [[nodiscard]] std::int64_t most(std::int64_t m) const;
  /// The rate that the buckets really let through [packets/slot]: below `rate` where a full bucket spills tokens.
  [[nodiscard]] numeric::Rational rate() const;

 private:
  std::vector<std::int64_t> start_, cycle_;
  std::vector<std::int64_t> sums_;  ///< most(-1), most(0), ... to the end of the first cycle
};

}  // namespace tailbound::traffic
