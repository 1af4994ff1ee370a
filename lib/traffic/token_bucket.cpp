#include <cln/integer.h>
#include <cln/rational.h>
#include <tailbound/core/error.hpp>
#include <tailbound/traffic/token_bucket.hpp>

#include <algorithm>
#include <string>

namespace tailbound::traffic {
namespace {

using numeric::Integer;
using numeric::Rational;

/// A bucket in tokens of 1/unit each.
struct FineBucket {
  std::int64_t unit, rate, burst, held;

  explicit FineBucket(const TokenBucket& bucket) {
    constexpr long maximum = 1'000'000'000;
    if (!cln::plusp(bucket.rate))
      throw InvalidArgument("rate", numeric::to_fraction(bucket.rate), "above 0 tokens per slot");
    if (bucket.burst < 1 || bucket.burst > maximum)
      throw InvalidArgument("burst", numeric::to_fraction(bucket.burst),
                            "at least 1 (it includes the packet being sent) and at most 10^9");
    const Integer common = cln::lcm(cln::denominator(bucket.rate), cln::denominator(bucket.burst));
    if (common > maximum || bucket.rate > maximum)
      throw InvalidArgument("rate and burst",
                            numeric::to_fraction(bucket.rate) + ", " + numeric::to_fraction(bucket.burst),
                            "fractions with a common denominator of at most 10^9");
    const auto fine = [&](const Rational& tokens) {
      return static_cast<std::int64_t>(cln::cl_I_to_long(cln::numerator(tokens * common)));
    };
    unit = cln::cl_I_to_long(common);
    rate = fine(bucket.rate);
    burst = held = fine(bucket.burst);
  }
  void refill() { held = std::min(burst, held + rate); }
};

/// The greedy source, slot by slot.
class GreedySource {
 public:
  explicit GreedySource(const std::vector<TokenBucket>& buckets) {
    if (buckets.empty()) throw InvalidArgument("buckets", "none", "at least one");
    for (const TokenBucket& bucket : buckets) fine_.emplace_back(bucket);
  }
  /// The tokens held before a slot determine the rest.
  [[nodiscard]] std::vector<std::int64_t> held() const {
    std::vector<std::int64_t> all;
    for (const FineBucket& bucket : fine_) all.push_back(bucket.held);
    return all;
  }
  std::int64_t send() {
    std::int64_t packets = fine_.front().burst;
    for (FineBucket& bucket : fine_) {
      if (!first_) bucket.refill();
      packets = std::min(packets, bucket.held / bucket.unit);
    }
    first_ = false;
    for (FineBucket& bucket : fine_) bucket.held -= packets * bucket.unit;
    return packets;
  }

 private:
  std::vector<FineBucket> fine_;
  bool first_ = true;  ///< initially full
};

}  // namespace

std::vector<std::int64_t> greedy_slots(const std::vector<TokenBucket>& buckets, std::int64_t slots) {
  GreedySource source(buckets);
  std::vector<std::int64_t> sent;
  sent.reserve(static_cast<std::size_t>(slots));
  for (std::int64_t slot = 0; slot < slots; ++slot) sent.push_back(source.send());
  return sent;
}

GreedyPattern::GreedyPattern(const std::vector<TokenBucket>& buckets) {
  GreedySource source(buckets);
  // Tokens held are stored only for slots 2^n, so the repetition is found within two cycles.
  std::vector<std::int64_t> kept;
  std::size_t kept_at = 0;
  std::vector<std::int64_t> sent;
  for (;; sent.push_back(source.send())) {
    const std::size_t slot = sent.size();
    if (slot == 0) continue;
    const std::vector<std::int64_t> held = source.held();
    if (held == kept) break;
    if (slot == max_slots)
      throw LimitExceeded("the pattern of the bucket of rate " + numeric::to_fraction(buckets.front().rate) +
                          " and burst " + numeric::to_fraction(buckets.front().burst) +
                          " repeats after more than " + std::to_string(max_slots) +
                          " slots; a rate with a smaller denominator repeats earlier");
    if ((slot & (slot - 1)) == 0) {
      kept = held;
      kept_at = slot;
    }
  }
  const auto turn = sent.begin() + static_cast<std::ptrdiff_t>(kept_at);
  cycle_.assign(turn, sent.end());
  start_.assign(sent.begin(), turn);
  // Minimize the length of the start.
  std::size_t turns = 0;
  while (!start_.empty() && start_.back() == cycle_[cycle_.size() - 1 - turns % cycle_.size()]) {
    start_.pop_back();
    ++turns;
  }
  std::rotate(cycle_.begin(), cycle_.end() - static_cast<std::ptrdiff_t>(turns % cycle_.size()),
              cycle_.end());
  sums_.push_back(0);
  for (const std::int64_t packets : start_) sums_.push_back(sums_.back() + packets);
  for (const std::int64_t packets : cycle_) sums_.push_back(sums_.back() + packets);
}

std::int64_t GreedyPattern::sent(std::int64_t m) const {
  return maximum(m) - maximum(m - 1);
}

std::int64_t GreedyPattern::maximum(std::int64_t m) const {
  const auto start = static_cast<std::int64_t>(start_.size());
  const auto length = static_cast<std::int64_t>(cycle_.size());
  if (m < start + length) return sums_[static_cast<std::size_t>(m + 1)];
  const std::int64_t turns = (m - start) / length;
  const std::int64_t a_turn = sums_.back() - sums_[static_cast<std::size_t>(start)];
  return turns * a_turn + sums_[static_cast<std::size_t>(m - turns * length + 1)];
}

Rational GreedyPattern::rate() const {
  const std::int64_t a_turn = sums_.back() - sums_[start_.size()];
  return numeric::whole(a_turn) / numeric::whole(static_cast<std::int64_t>(cycle_.size()));
}

}  // namespace tailbound::traffic
