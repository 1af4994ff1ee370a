#include <tailbound/answers/buffer/incast_event.hpp>

#include <utility>

namespace tailbound::answers {

std::optional<numeric::Rational> IncastEventQuery::drop() const {
  const auto* minimum = std::get_if<MinBuffer>(&requested);
  return minimum == nullptr ? std::nullopt : std::optional(minimum->drop);
}

IncastEventAnswer answer(const IncastEventQuery& query, const Run&) {
  bounds::IncastPeak peak(query.event);
  const auto* minimum = std::get_if<MinBuffer>(&query.requested);
  const Packets buffer = minimum != nullptr ? peak.min_buffer(minimum->drop, query.criterion)
                                            : std::get<ProbabilityOf>(query.requested).capacity;
  const auto overflow = peak.at(buffer, bounds::Criterion::overflow);
  const auto loss = peak.at(buffer, bounds::Criterion::loss);
  IncastEventAnswer answer{.buffer = buffer,
                           .at = query.criterion == bounds::Criterion::overflow ? overflow : loss,
                           .overflow = overflow,
                           .loss = loss,
                           .worst = query.event.worst()};
  using Bound = numeric::UpperBound<unit::Probability>;
  if (minimum != nullptr && buffer > Packets(0) && !std::holds_alternative<Bound>(answer.at)) {
    auto before = peak.at(buffer - Packets(1), query.criterion);
    if (!std::holds_alternative<Bound>(before)) answer.before = std::move(before);
  }
  return answer;
}

}  // namespace tailbound::answers
