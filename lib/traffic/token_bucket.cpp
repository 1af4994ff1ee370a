#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/traffic/token_bucket.hpp>

#include <algorithm>
#include <optional>
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
    if (bucket.rate <= 0)
      throw InvalidArgument("rate", numeric::to_fraction(bucket.rate), "above 0 tokens per slot");
    if (bucket.burst < 1 || bucket.burst > maximum)
      throw InvalidArgument("burst", numeric::to_fraction(bucket.burst),
                            "at least 1 (it includes the packet being sent) and at most 10^9");
    const Integer common =
        numeric::lcm(numeric::denominator(bucket.rate), numeric::denominator(bucket.burst));
    if (common > maximum || bucket.rate > maximum)
      throw InvalidArgument("rate and burst",
                            numeric::to_fraction(bucket.rate) + ", " + numeric::to_fraction(bucket.burst),
                            "fractions with a common denominator of at most 10^9");
    const auto fine = [&](const Rational& tokens) {
      return numeric::to_int64(numeric::numerator(tokens * common));
    };
    unit = numeric::to_int64(common);
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

/// The first x >= 0 with low <= (step x) mod modulus <= high; none if there is none.
/// \param step  0 <= step < modulus  \param low  0 < low <= high < modulus
std::optional<Integer> first_residue(const Integer& step, const Integer& modulus, const Integer& low,
                                     const Integer& high) {
  if (step == 0) return std::nullopt;
  // At most half of the modulus, so that it halves in each call.
  if (2 * step > modulus) return first_residue(modulus - step, modulus, modulus - high, modulus - low);
  const Integer in_first_turn = numeric::ceiling(low, step);
  if (step * in_first_turn <= high) return in_first_turn;
  // No multiple of the step lies in the range, so that the turns y count modulo the step.
  const auto turns =
      first_residue(numeric::mod(-modulus, step), step, numeric::mod(low, step), numeric::mod(high, step));
  if (!turns) return std::nullopt;
  return numeric::ceiling(low + modulus * *turns, step);
}

void check_bucket(const TokenBucket& bucket) {
  if (bucket.rate <= 0)
    throw InvalidArgument("rate", numeric::to_fraction(bucket.rate), "above 0 tokens per slot");
  if (bucket.burst < 1)
    throw InvalidArgument("burst", numeric::to_fraction(bucket.burst),
                          "at least 1 (it includes the packet being sent)");
}

/// Does `other` admit all that `bucket` admits? With d the common denominator of its numbers, its limits are
/// multiples of 1/d, and a whole number of packets above one of them is above it by 1/d.
bool implied(const TokenBucket& other, const TokenBucket& bucket) {
  const Integer unit = numeric::lcm(numeric::denominator(other.rate), numeric::denominator(other.burst));
  return bucket.rate <= other.rate && bucket.burst < other.burst + 1 / Rational(unit);
}

}  // namespace

TokenBucket sustained(const TokenBucket& bucket) {
  check_bucket(bucket);
  const Integer unit = numeric::denominator(bucket.rate), step = numeric::numerator(bucket.rate);
  const Integer full = numeric::floor(bucket.burst * unit);
  // Of a greedy source: before slot x + 1 the bucket is filled beyond its depth for the first time.
  const Integer left = numeric::mod(full, unit), too_many = full - step + 1;
  Integer slot = 0;
  if (too_many > unit - 1) return bucket;
  if (left < too_many) {
    const auto found = first_residue(numeric::mod(step, unit), unit, too_many - left, unit - 1 - left);
    if (!found) return bucket;
    slot = *found;
  }
  const Integer packets = numeric::floor(full + step * slot, unit), slots = slot + 1;
  return {packets / Rational(slots), 1 + (packets - 1) / Rational(slots)};
}

std::vector<TokenBucket> binding(const std::vector<TokenBucket>& buckets) {
  std::vector<TokenBucket> all;
  for (const TokenBucket& bucket : buckets) all.push_back(sustained(bucket));
  for (std::size_t i = 0; i < all.size();) {
    const auto implies = [&](const TokenBucket& other) {
      return &other != &all[i] && implied(all[i], other);
    };
    if (std::any_of(all.begin(), all.end(), implies))
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
    else
      ++i;
  }
  return all;
}

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
  return Rational(a_turn) / Rational(static_cast<std::int64_t>(cycle_.size()));
}

}  // namespace tailbound::traffic
