#pragma once

#include <tailbound/queue/markov/markov_queue.hpp>

/// A claim as one number. Internal to the bounds module.
namespace tailbound::bounds {

/// The proved upper bound; for an approximation its value.
[[nodiscard]] inline numeric::Real max_value(const queue::ProbabilityClaim& claim) {
  if (const auto* approximate = std::get_if<numeric::Approximation<unit::Probability>>(&claim))
    return approximate->value;
  if (const auto* bound = std::get_if<numeric::UpperBound<unit::Probability>>(&claim)) return bound->value;
  if (const auto* exact = std::get_if<numeric::Exact<unit::Probability>>(&claim))
    return numeric::enclose(*exact, {128}).upper();
  return std::get<numeric::Enclosure<unit::Probability>>(claim).upper();
}

}  // namespace tailbound::bounds
