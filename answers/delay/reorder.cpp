#include <tailbound/answers/delay/reorder.hpp>
#include <tailbound/series/files/pmf_file.hpp>

#include <algorithm>

namespace tailbound::answers {
namespace {

constexpr numeric::Precision precision{128};

}  // namespace

std::vector<numeric::Rational> parse_delays(const std::string& text, const std::string& name) {
  return series::parse_pmf(text, name, series::Normalise::rounding);
}

ReorderAnswer reorder_answer(const bounds::DelayDistribution& delays, const numeric::Rational& flow_rate,
                             const ReorderTargets& targets) {
  ReorderAnswer answer{flow_rate, std::nullopt, {}, false, false};
  if (targets.probability)
    answer.size = bounds::reorder_buffer(flow_rate, delays, *targets.probability, precision);
  if (!targets.levels.empty()) {
    const Packets deepest = *std::max_element(targets.levels.begin(), targets.levels.end());
    const auto tails =
        bounds::reorder_tails(flow_rate, delays, static_cast<std::size_t>(deepest.value) + 1, precision);
    for (const Packets level : targets.levels)
      answer.tail.push_back(tails[static_cast<std::size_t>(level.value)]);
  }
  return answer;
}

ReorderAnswer reorder_in_order(const numeric::Rational& flow_rate, const ReorderTargets& targets) {
  const numeric::Enclosure<unit::Probability> zero(numeric::Theorem::sojourn, numeric::Real(0),
                                                   numeric::Real(0));
  ReorderAnswer answer{flow_rate, std::nullopt, {}, false, true};
  if (targets.probability) answer.size = bounds::ReorderBuffer{Packets(0), zero, std::nullopt};
  answer.tail.assign(targets.levels.size(), zero);
  return answer;
}

ReorderAnswer answer(const ReorderQuery& query, const Run&) {
  return reorder_answer(bounds::from_pmf(query.delays), query.flow_rate, query.targets);
}

}  // namespace tailbound::answers
