#include <tailbound/answers/guarantee/port_guarantee.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/core/last_that.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>

namespace tailbound::answers {
namespace {

using numeric::Rational;
using queue::FlowBounds;
using queue::FlowGroup;
using queue::FlowKind;
using queue::FlowProof;
using Flows = std::vector<FlowGroup>;

bool of_one_period(const Flows& flows) {
  return std::all_of(flows.begin(), flows.end(), [&](const FlowGroup& group) {
    return group.kind == FlowKind::periodic && group.period == flows.front().period;
  });
}

void require_one_period(const Flows& flows) {
  if (!of_one_period(flows))
    throw InvalidArgument("--ever", "given for flows other than periodic flows of one period",
                          "omitted for these flows; use --drop, the fraction of time");
}

PortLevel never_level(const queue::NeverExceeded& never) {
  return {.buffer = never.packets, .needed = never.packets};
}

PortLevel level_in_time(const Flows& flows, const ShareOfTime& requested, numeric::Digits digits) {
  if (of_one_period(flows)) {
    const queue::TailBoundary found = queue::periodic_min_level(flows, requested.target, digits);
    return {.buffer = found.level.value,
            .probability = numeric::to_claim(found.at.probability),
            .proof = FlowProof::exact,
            .needed = found.level.value};
  }
  const queue::FlowLevel found = FlowBounds(flows).min_level(requested.target);
  PortLevel level{.buffer = found.level, .proof = found.proof, .minimum = found.needed == found.level};
  if (found.proof != FlowProof::never) level.probability = found.probability;
  level.needed = found.needed;
  level.pattern = found.pattern;
  return level;
}

PortLevel level_of_starts(const Flows& flows, const ShareOfStarts& requested) {
  require_one_period(flows);
  const queue::EverBoundary found = queue::periodic_ever_level(flows, requested.target);
  const bool exact = !std::holds_alternative<numeric::UpperBound<unit::Probability>>(found.probability);
  PortLevel level{.buffer = found.level, .probability = found.probability, .minimum = exact};
  level.proof = exact ? FlowProof::exact : FlowProof::periods;
  return level;
}

PortLevel level_of(const Flows& flows, const Assurance& assurance, numeric::Digits digits) {
  if (const auto* time = std::get_if<ShareOfTime>(&assurance)) return level_in_time(flows, *time, digits);
  if (const auto* starts = std::get_if<ShareOfStarts>(&assurance)) return level_of_starts(flows, *starts);
  return never_level(queue::never_exceeded(flows));
}

void find_probabilities(const PortGuaranteeQuery& query, PortGuaranteeAnswer& answer) {
  const std::int64_t capacity = *query.capacity;
  if (of_one_period(query.flows)) {
    answer.exact = queue::periodic_tail(query.flows, capacity, query.digits).probability;
    answer.ever = queue::periodic_ever(query.flows, capacity);
    return;
  }
  const FlowBounds bounds(query.flows);
  answer.maximum = bounds.upper(capacity);
  answer.witnessed = bounds.lower(capacity);
}

/// Does the capacity suffice? Not if they offer a packet per slot or more.
bool fits(const PortGuaranteeQuery& query, const Flows& flows) {
  if (queue::load(flows) >= 1) return false;
  return level_of(flows, query.assurance, query.digits).buffer <= *query.capacity;
}

[[noreturn]] void nothing_fits(const PortGuaranteeQuery& query, const std::string& what) {
  throw NoAnswer("a buffer of " + std::to_string(*query.capacity) + " packets does not suffice, " + what);
}

Flows max_flows(const PortGuaranteeQuery& query) {
  Flows flows = query.flows;
  FlowGroup& group = flows[query.varied];
  const std::int64_t maximum = last_that(1, FlowGroup::max_flows, [&](std::int64_t count) {
    group.count = count;
    return fits(query, flows);
  });
  if (maximum == 0) nothing_fits(query, "even for one flow");
  group.count = maximum;
  return flows;
}

Flows min_period(const PortGuaranteeQuery& query) {
  Flows flows = query.flows;
  FlowGroup& group = flows[query.varied];
  // Longer periods are easier: finds the last that is too short.
  const auto too_short = [&](std::int64_t period) {
    group.period = period;
    return !fits(query, flows);
  };
  if (too_short(FlowGroup::longest_period)) nothing_fits(query, "even at the lowest rate");
  group.period = last_that(1, FlowGroup::longest_period, too_short) + 1;
  return flows;
}

/// To four digits.
Flows max_rate(const PortGuaranteeQuery& query) {
  Flows flows = query.flows;
  FlowGroup& group = flows[query.varied];
  Rational unit = 1;
  const auto suffices = [&](std::int64_t units) {
    group.buckets.front().rate = units * unit;
    return !is_above_peak(group) && fits(query, flows);
  };
  for (int digits = 0; digits < 6; ++digits) {
    unit = unit / 10;
    if (suffices(1)) break;
  }
  if (!suffices(1)) nothing_fits(query, "even at the lowest rate");
  std::int64_t units = 0;
  for (int digits = 0; digits < 4; ++digits) {
    units = last_that(std::max<std::int64_t>(1, units * 10), units * 10 + 9, suffices);
    if (digits < 3) unit = unit / 10;
  }
  group.buckets.front().rate = units * unit;
  return flows;
}

}  // namespace

bool is_above_peak(const FlowGroup& group) {
  return std::any_of(group.buckets.begin(), group.buckets.end(), [&](const traffic::TokenBucket& peak) {
    return peak.rate < group.buckets.front().rate;
  });
}

PortGuaranteeAnswer answer(const PortGuaranteeQuery& query) {
  queue::check_flows(query.flows);
  PortGuaranteeAnswer answer{.flows = query.flows, .load = 0, .never = {}};
  if (std::holds_alternative<ShareOfStarts>(query.assurance)) require_one_period(query.flows);
  const FlowGroup& varied = query.flows[query.varied];
  switch (query.solve) {
    case PortSolve::buffer:
      break;
    case PortSolve::flows:
      answer.flows = max_flows(query);
      answer.max_flows = answer.flows[query.varied].count;
      break;
    case PortSolve::rate:
      if (varied.kind == FlowKind::regulated) {
        answer.flows = max_rate(query);
        answer.max_rate = answer.flows[query.varied].buckets.front().rate;
      } else {
        answer.flows = min_period(query);
        answer.min_period = answer.flows[query.varied].period;
      }
      break;
  }
  answer.load = queue::load(answer.flows);
  if (answer.load == 1)
    throw NoAnswer(
        "the load of the flows is exactly 1 packet per slot; guarantees of one port are computed for loads "
        "below "
        "1 (a backlog that is never exceeded may still exist)");
  queue::require_stable(answer.flows);
  answer.never = queue::never_exceeded(answer.flows);
  if (query.capacity && query.solve == PortSolve::buffer)
    find_probabilities(query, answer);
  else if (std::holds_alternative<Never>(query.assurance))
    answer.level = never_level(answer.never);
  else
    answer.level = level_of(answer.flows, query.assurance, query.digits);
  return answer;
}

std::function<FlowTail(std::int64_t level)> flow_tail(const std::vector<FlowGroup>& flows) {
  const auto log10 = [](const numeric::Real& value) {
    return value > 0 ? numeric::log2_magnitude(value) * std::log10(2.0)
                     : -std::numeric_limits<double>::infinity();
  };
  return [bounds = std::make_shared<const FlowBounds>(flows), log10](std::int64_t level) {
    return FlowTail{log10(bounds->upper(level).value), log10(bounds->lower(level).value)};
  };
}

}  // namespace tailbound::answers
