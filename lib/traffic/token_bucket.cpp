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
    constexpr long most = 1'000'000'000;
    if (!cln::plusp(bucket.rate))
      throw InvalidArgument("rate", numeric::to_fraction(bucket.rate), "tokens a slot, above 0");
    if (bucket.burst < 1 || bucket.burst > most)
      throw InvalidArgument("burst", numeric::to_fraction(bucket.burst),
                            "1 or more, the packet that is sent counts, and at most 10^9");
    const Integer common = cln::lcm(cln::denominator(bucket.rate), cln::denominator(bucket.burst));
    if (common > most || bucket.rate > most)
      throw InvalidArgument("rate and burst",
                            numeric::to_fraction(bucket.rate) + ", " + numeric::to_fraction(bucket.burst),
                            "fractions of a common denominator of at most 10^9");
    const auto fine = [&](const Rational& tokens) {
      return static_cast<std::int64_t>(cln::cl_I_to_long(cln::numerator(tokens * common)));
    };
    unit = cln::cl_I_to_long(common);
    rate = fine(bucket.rate);
    burst = held = fine(bucket.burst);
  }
  void refill() { held = std::min(burst, held + rate); }
};

}  // namespace

GreedyPattern::GreedyPattern(const std::vector<TokenBucket>& buckets) {
  if (buckets.empty()) throw InvalidArgument("buckets", "none", "one or more");
  std::vector<FineBucket> fine;
  for (const TokenBucket& bucket : buckets) fine.emplace_back(bucket);
  // What is held before a slot decides all that follows. Kept for slots 2^n alone, and so found again within two cycles.
  std::vector<std::int64_t> kept, held(fine.size());
  std::int64_t kept_at = -1;
  std::vector<std::int64_t> sent;
  for (std::int64_t slot = 0;; ++slot) {
    for (std::size_t i = 0; i < fine.size(); ++i) held[i] = fine[i].held;
    if (slot > 0 && held == kept) break;
    if (slot == most_slots)
      throw LimitExceeded("the pattern of the bucket of rate " + numeric::to_fraction(buckets.front().rate) +
                          " and burst " + numeric::to_fraction(buckets.front().burst) +
                          " repeats after more than " + std::to_string(most_slots) +
                          " slots; a rate of a smaller denominator repeats earlier");
    if (slot > 0 && (slot & (slot - 1)) == 0) {
      kept = held;
      kept_at = slot;
    }
    std::int64_t packets = fine.front().burst;
    for (FineBucket& bucket : fine) {
      if (slot > 0) bucket.refill();
      packets = std::min(packets, bucket.held / bucket.unit);
    }
    for (FineBucket& bucket : fine) bucket.held -= packets * bucket.unit;
    sent.push_back(packets);
  }
  cycle_.assign(sent.begin() + kept_at, sent.end());
  start_.assign(sent.begin(), sent.begin() + kept_at);
  // The start as short as it can be.
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
  return most(m) - most(m - 1);
}

std::int64_t GreedyPattern::most(std::int64_t m) const {
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
