#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/queue/flows/flow_curve.hpp>
#include <tailbound/queue/flows/flows.hpp>

#include <string>

namespace tailbound::queue {
namespace {

void check_between(const char* argument, std::int64_t value, std::int64_t maximum) {
  if (value < 1 || value > maximum)
    throw InvalidArgument(argument, std::to_string(value),
                          "a whole number from 1 to " + std::to_string(maximum));
}

void check_bucket(const traffic::TokenBucket& bucket) {
  constexpr long maximum = 1'000'000'000;
  if (bucket.rate <= 0 || bucket.rate > maximum)
    throw InvalidArgument("rate", numeric::to_fraction(bucket.rate),
                          "above 0, and at most 10^9 tokens per slot");
  if (bucket.burst < 1 || bucket.burst > maximum)
    throw InvalidArgument("burst", numeric::to_fraction(bucket.burst),
                          "at least 1 (it includes the packet being sent) and at most 10^9");
  if (numeric::lcm(numeric::denominator(bucket.rate), numeric::denominator(bucket.burst)) > maximum)
    throw InvalidArgument("rate and burst",
                          numeric::to_fraction(bucket.rate) + ", " + numeric::to_fraction(bucket.burst),
                          "fractions with a common denominator of at most 10^9");
}

}  // namespace

void check_flows(const std::vector<FlowGroup>& groups) {
  if (groups.empty()) throw InvalidArgument("flows", "none", "at least one group of flows");
  for (const FlowGroup& group : groups) {
    check_between("count", group.count, FlowGroup::max_flows);
    if (group.kind == FlowKind::regulated) {
      if (group.buckets.empty()) throw InvalidArgument("buckets", "none", "at least one for regulated flows");
      for (const auto& bucket : group.buckets) check_bucket(bucket);
      continue;
    }
    check_between("period", group.period, FlowGroup::longest_period);
    check_between("batch", group.batch, FlowGroup::largest_batch);
    if (!group.buckets.empty())
      throw InvalidArgument("buckets", std::to_string(group.buckets.size()),
                            "none for periodic and sporadic flows");
  }
}

numeric::Rational load(const std::vector<FlowGroup>& groups) {
  check_flows(groups);
  numeric::Rational sum = 0;
  for (const FlowGroup& group : groups) sum = sum + numeric::Rational(group.count) * FlowCurve(group).rate();
  return sum;
}

void require_stable(const std::vector<FlowGroup>& groups) {
  if (const numeric::Rational offered = load(groups); offered >= 1) throw Unstable(numeric::plain(offered));
}

}  // namespace tailbound::queue
