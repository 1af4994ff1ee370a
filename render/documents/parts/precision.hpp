#pragma once

#include <tailbound/answers/simulation/precision.hpp>
#include <tailbound/render/document.hpp>

#include <string>
#include <vector>

/// What is shown of runs that went on until their intervals were narrow.
namespace tailbound::render {

/// The estimates of a document whose half-width is more than so much of their value, by name: "mean latency",
/// "P(D > t) at 10".
[[nodiscard]] answers::WideIntervals wide_intervals(const Document& document,
                                                    const numeric::Rational& half_width);

/// Notes on what was reached, point by point.
void add_precision(Document& document, const answers::PrecisionTarget& target,
                   const std::vector<answers::PrecisionReached>& reached, double confidence);

}  // namespace tailbound::render
