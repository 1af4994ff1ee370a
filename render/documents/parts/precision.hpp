#pragma once

#include <tailbound/answers/simulation/precision.hpp>
#include <tailbound/render/document.hpp>

#include <string>
#include <vector>

/// Presentation of runs with a target precision.
namespace tailbound::render {

/// The estimates of a document whose relative half-width exceeds the target, by name: "mean latency", "P(D >
/// t) at 10".
[[nodiscard]] answers::WideIntervals wide_intervals(const Document& document,
                                                    const numeric::Rational& half_width);

/// Notes on the precision reached, point by point.
void add_precision(Document& document, const answers::PrecisionTarget& target,
                   const std::vector<answers::PrecisionReached>& reached, double confidence);

}  // namespace tailbound::render
