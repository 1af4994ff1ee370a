#include <cln/integer.h>
#include <cln/rational.h>
#include <tailbound/answers/guarantee/port_guarantee.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/core/last_that.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
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

PortLevel level_in_time(const Flows& flows, const ShareOfTime& asked, numeric::Digits digits) {
  if (of_one_period(flows)) {
    const queue::TailBoundary found = queue::periodic_least_level(flows, asked.target, digits);
    return {.buffer = found.level.value,
            .probability = numeric::to_claim(found.at.probability),
            .proof = FlowProof::exact,
            .needed = found.level.value};
  }
  const queue::FlowLevel found = FlowBounds(flows).least_level(asked.target);
  PortLevel level{.buffer = found.level, .proof = found.proof, .least = found.needed == found.level};
  if (found.proof != FlowProof::never) level.probability = found.probability;
  level.needed = found.needed;
  level.witness = found.witness;
  return level;
}

PortLevel level_of_starts(const Flows& flows, const ShareOfStarts& asked) {
  require_one_period(flows);
  const queue::EverBoundary found = queue::periodic_ever_level(flows, asked.target);
  const bool exact = !std::holds_alternative<numeric::UpperBound<unit::Probability>>(found.probability);
  PortLevel level{.buffer = found.level, .probability = found.probability, .least = exact};
  level.proof = exact ? FlowProof::exact : FlowProof::periods;
  return level;
}

PortLevel level_of(const Flows& flows, const HowSure& how_sure, numeric::Digits digits) {
  if (const auto* time = std::get_if<ShareOfTime>(&how_sure)) return level_in_time(flows, *time, digits);
  if (const auto* starts = std::get_if<ShareOfStarts>(&how_sure)) return level_of_starts(flows, *starts);
  return never_level(queue::never_exceeded(flows));
}

void find_probabilities(const PortGuaranteeQuestion& question, PortGuaranteeAnswer& answer) {
  const std::int64_t capacity = *question.capacity;
  if (of_one_period(question.flows)) {
    answer.exact = queue::periodic_tail(question.flows, capacity, question.digits).probability;
    answer.ever = queue::periodic_ever(question.flows, capacity);
    return;
  }
  const FlowBounds bounds(question.flows);
  answer.most = bounds.upper(capacity);
  answer.witnessed = bounds.lower(capacity);
}

/// Does the capacity suffice? Not if they offer a packet per slot or more.
bool fits(const PortGuaranteeQuestion& question, const Flows& flows) {
  if (queue::load(flows) >= 1) return false;
  return level_of(flows, question.how_sure, question.digits).buffer <= *question.capacity;
}

[[noreturn]] void nothing_fits(const PortGuaranteeQuestion& question, const std::string& what) {
  throw NoAnswer("a buffer of " + std::to_string(*question.capacity) + " packets does not suffice, " + what);
}

Flows most_flows(const PortGuaranteeQuestion& question) {
  Flows flows = question.flows;
  FlowGroup& group = flows[question.varied];
  const std::int64_t most = last_that(1, FlowGroup::most_flows, [&](std::int64_t count) {
    group.count = count;
    return fits(question, flows);
  });
  if (most == 0) nothing_fits(question, "even for one flow");
  group.count = most;
  return flows;
}

Flows least_period(const PortGuaranteeQuestion& question) {
  Flows flows = question.flows;
  FlowGroup& group = flows[question.varied];
  // Longer periods are easier: finds the last that is too short.
  const auto too_short = [&](std::int64_t period) {
    group.period = period;
    return !fits(question, flows);
  };
  if (too_short(FlowGroup::longest_period)) nothing_fits(question, "even at the lowest rate");
  group.period = last_that(1, FlowGroup::longest_period, too_short) + 1;
  return flows;
}

/// To four digits.
Flows greatest_rate(const PortGuaranteeQuestion& question) {
  Flows flows = question.flows;
  FlowGroup& group = flows[question.varied];
  Rational unit = 1;
  const auto holds = [&](std::int64_t units) {
    group.buckets.front().rate = units * unit;
    return fits(question, flows);
  };
  for (int digits = 0; digits < 6; ++digits) {
    unit = unit / 10;
    if (holds(1)) break;
  }
  if (!holds(1)) nothing_fits(question, "even at the lowest rate");
  std::int64_t units = 0;
  for (int digits = 0; digits < 4; ++digits) {
    units = last_that(std::max<std::int64_t>(1, units * 10), units * 10 + 9, holds);
    if (digits < 3) unit = unit / 10;
  }
  group.buckets.front().rate = units * unit;
  return flows;
}

}  // namespace

PortGuaranteeAnswer answer(const PortGuaranteeQuestion& question) {
  queue::check_flows(question.flows);
  PortGuaranteeAnswer answer{.flows = question.flows, .load = 0, .never = {}};
  if (std::holds_alternative<ShareOfStarts>(question.how_sure)) require_one_period(question.flows);
  const FlowGroup& varied = question.flows[question.varied];
  switch (question.solve) {
    case PortSolve::buffer:
      break;
    case PortSolve::flows:
      answer.flows = most_flows(question);
      answer.most_flows = answer.flows[question.varied].count;
      break;
    case PortSolve::rate:
      if (varied.kind == FlowKind::regulated) {
        answer.flows = greatest_rate(question);
        answer.greatest_rate = answer.flows[question.varied].buckets.front().rate;
      } else {
        answer.flows = least_period(question);
        answer.least_period = answer.flows[question.varied].period;
      }
      break;
  }
  queue::require_stable(answer.flows);
  answer.load = queue::load(answer.flows);
  answer.never = queue::never_exceeded(answer.flows);
  if (question.capacity && question.solve == PortSolve::buffer)
    find_probabilities(question, answer);
  else if (std::holds_alternative<Never>(question.how_sure))
    answer.level = never_level(answer.never);
  else
    answer.level = level_of(answer.flows, question.how_sure, question.digits);
  return answer;
}

FlowTails flow_tails(const std::vector<FlowGroup>& flows, std::int64_t last_level, std::int64_t step) {
  const FlowBounds bounds(flows);
  const auto log10 = [](const numeric::Real& value) {
    return value > 0 ? numeric::log2_magnitude(value) * std::log10(2.0)
                     : -std::numeric_limits<double>::infinity();
  };
  FlowTails tails;
  for (std::int64_t level = 0; level <= last_level; level += step) {
    tails.log10_most.push_back(log10(bounds.upper(level).value));
    tails.log10_witnessed.push_back(log10(bounds.lower(level).value));
  }
  return tails;
}

}  // namespace tailbound::answers
