#include <tailbound/answers/buffer/policed_buffer.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/core/last_that.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tailbound::answers {
namespace {

using numeric::Rational;

/// Independent inputs that send with probability `rate` in each slot.
queue::SlottedQueue bernoulli_inputs(const queue::PolicedInputs& inputs, const Rational& rate) {
  return {.arrivals =
              series::Arrivals::equal_inputs(inputs.inputs, Rational(inputs.inputs) * inputs.share * rate)};
}

/// Missing tokens of a bucket that discards none while packets wait, in units of 1/den: V' = max(V - s, 0) +
/// den A, r = s/den.
queue::SlottedQueue missing_tokens(const traffic::TokenBucket& bucket, const Rational& offered) {
  const long served = numeric::to_int64(numeric::numerator(bucket.rate));
  const auto units = static_cast<std::size_t>(numeric::to_int64(numeric::denominator(bucket.rate)));
  if (served > Traffic::max_packets_per_slot)
    throw InvalidArgument("offered", "with a bucket of rate " + numeric::to_fraction(bucket.rate),
                          "a rate s/d with s at most 64, such as 9/10 or 31/32");
  std::vector<Rational> packets(units + 1, Rational(0));
  packets.front() = 1 - offered;
  packets.back() = offered;
  return {.arrivals = series::Arrivals::from_pmf(std::move(packets)),
          .packets_per_slot = static_cast<int>(served)};
}

/// Packets wait at a shaper if and only if more than all tokens are missing.
Packets full_level(const traffic::TokenBucket& bucket) {
  return Packets(numeric::to_int64(numeric::floor(bucket.burst * numeric::denominator(bucket.rate))));
}

/// The minimum depth of a bucket of this rate that delays packets in at most the target fraction of slots;
/// none for rates that missing_tokens() rejects.
std::optional<Rational> unnoticed_burst(const Rational& rate, const Rational& offered, const Rational& drop,
                                        const queue::Accuracy& accuracy) {
  if (numeric::numerator(rate) > Traffic::max_packets_per_slot) return std::nullopt;
  // Missing tokens if none were discarded while packets wait: as many, or fewer.
  const numeric::Integer units = numeric::denominator(rate);
  const auto least = queue::min_level(missing_tokens({rate, 1}, offered), drop, accuracy).level.value;
  // Shallower ones than this discard some.
  const auto first = std::max<std::int64_t>(least, numeric::to_int64(units));
  const std::int64_t deep = numeric::to_int64(numeric::numerator(sustaining_depth(rate) * units));
  const auto too_shallow = [&](std::int64_t depth) {
    const traffic::TokenBucket bucket{rate, Rational(depth) / Rational(units)};
    const traffic::TokenBucket its = traffic::sustained(bucket);
    return offered >= its.rate ||
           queue::min_level(missing_tokens(its, offered), drop, accuracy).level > full_level(its);
  };
  const std::int64_t depth = first >= deep ? first : last_that(first, deep - 1, too_shallow) + 1;
  return Rational(depth) / Rational(units);
}

HonestHosts honest_hosts(const PolicedBufferQuery& query, const PolicedBufferAnswer& worst) {
  const Rational& offered = *query.offered;
  const traffic::TokenBucket& bucket = query.inputs.bucket;
  const traffic::TokenBucket its = traffic::sustained(bucket);
  if (offered <= 0 || offered >= its.rate)
    throw InvalidArgument(
        "offered", numeric::to_fraction(offered),
        "above 0 and below " + numeric::to_fraction(its.rate) +
            (its.rate == bucket.rate ? std::string(", the rate of the bucket")
                                     : ", the rate that the bucket sustains: with fewer than " +
                                           numeric::plain(sustaining_depth(bucket.rate)) +
                                           " tokens it discards some while packets wait"));
  const queue::LevelProbability delayed =
      queue::occupancy_tail(missing_tokens(its, offered), full_level(its), query.accuracy);
  const numeric::PrecisionScope scope(numeric::Precision{128});
  const numeric::Real lost = numeric::upper(
      numeric::Interval(numeric::to_interval(numeric::to_enclosure(delayed.probability).upper()) /
                        numeric::to_interval(offered)));
  HonestHosts honest{.delayed_at_shaper = bounds::computed(delayed),
                     .lost_at_policer = {numeric::Theorem::policed_queue, std::min(lost, numeric::Real(1))}};
  if (const auto drop = query.drop()) {
    honest.unnoticed_burst = unnoticed_burst(bucket.rate, offered, *drop, query.accuracy);
    const auto bernoulli = queue::min_level(bernoulli_inputs(query.inputs, offered), *drop, query.accuracy);
    honest.buffer = std::min(bernoulli.level, worst.buffer);
  }
  return honest;
}

/// By the closed form, the only result for messages.
void answer_by_bound(const queue::PolicedBound& bound, PolicedBufferAnswer& answer) {
  if (answer.closed_form_buffer) answer.buffer = *answer.closed_form_buffer;
  answer.closed_form = bound.tail(answer.buffer.value);
  answer.at = {.probability = answer.closed_form, .computation = {}};
  answer.before.reset();
}

void answer_exactly(const PolicedBufferQuery& query, PolicedBufferAnswer& answer) {
  queue::PolicedQueue queue(query.inputs, query.accuracy);
  if (const auto drop = query.drop()) {
    const queue::TailBoundary boundary = queue.min_level(*drop);
    answer.buffer = boundary.level;
    answer.at = bounds::computed(boundary.at);
    if (!boundary.before.empty()) answer.before = bounds::computed(boundary.before.front());
  } else {
    answer.at = bounds::computed(queue.tail(answer.buffer.value));
  }
  answer.closed_form = queue.bound().tail(answer.buffer.value);
  if (const auto maximum = queue.never_exceeded()) answer.never_exceeded = Packets(*maximum);
}

/// Does it suffice in the worst case, or if that takes too long by the closed form?
bool is_enough(const PolicedBufferQuery& query, Packets buffer) {
  const Rational drop = *query.drop();
  const queue::PolicedBound bound(query.inputs);
  if (bound.min_level(drop) <= buffer.value) return true;
  if (query.inputs.message > 1) return false;
  try {
    return queue::PolicedQueue(query.inputs, query.accuracy).meets(buffer.value, drop);
  } catch (const LimitExceeded&) {
    return false;
  }
}

}  // namespace

Rational sustaining_depth(const Rational& rate) {
  return 1 + rate - 1 / Rational(numeric::denominator(rate));
}

PolicedBufferQuery with_largest_bucket(PolicedBufferQuery query, Packets within, PolicedVaried varied) {
  const bool tokens = varied == PolicedVaried::burst;
  traffic::TokenBucket& bucket = query.inputs.bucket;
  const auto set = [&](std::int64_t units) {
    if (tokens)
      bucket.burst = Rational(units);
    else
      bucket.rate = Rational(units) / 1000;
  };
  const std::int64_t good = last_that(1, tokens ? 1'000'000 : 999, [&](std::int64_t units) {
    set(units);
    return is_enough(query, within);
  });
  if (good == 0)
    throw NoAnswer("a buffer of " + std::to_string(within.value) + " packets does not suffice, even for " +
                   (tokens ? "buckets of one token" : "a rate of 1/1000 packets per slot"));
  set(good);
  query.within = within;
  return query;
}

std::optional<Rational> PolicedBufferQuery::drop() const {
  if (const auto* minimum = std::get_if<MinBuffer>(&requested)) return minimum->drop;
  return std::nullopt;
}

PolicedBufferAnswer answer(const PolicedBufferQuery& query, const Run&) {
  const queue::PolicedBound bound(query.inputs);
  const Rational& rate = bound.inputs().bucket.rate;
  const numeric::UpperBound<unit::Probability> nothing{numeric::Theorem::input, numeric::Real(1)};
  PolicedBufferAnswer answer{.buffer = Packets(0),
                             .at = {.probability = nothing, .computation = {}},
                             .closed_form = nothing,
                             .rate = rate,
                             .token_price = 1 / rate};
  const auto drop = query.drop();
  if (drop)
    answer.closed_form_buffer = Packets(bound.min_level(*drop));
  else
    answer.buffer = std::get<ProbabilityOf>(query.requested).capacity;
  answer_by_bound(bound, answer);
  if (query.inputs.message == 1) {
    try {
      answer_exactly(query, answer);
    } catch (const LimitExceeded&) {
      if (query.accuracy.arithmetic != queue::Arithmetic::automatic) throw;
      answer_by_bound(bound, answer);
    }
  }
  const queue::SlottedQueue bernoulli = bernoulli_inputs(query.inputs, rate);
  if (drop)
    answer.unpoliced_buffer = queue::min_level(bernoulli, *drop, query.accuracy).level;
  else
    answer.unpoliced = bounds::computed(queue::occupancy_tail(bernoulli, answer.buffer, query.accuracy));
  if (query.offered) answer.honest = honest_hosts(query, answer);
  return answer;
}

}  // namespace tailbound::answers
