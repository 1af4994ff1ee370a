#pragma once

#include <tailbound/answers/multistage.hpp>
#include <tailbound/render/documents/combining.hpp>

#include <utility>
#include <vector>

namespace tailbound::render {

using MultistagePoint = std::pair<answers::MultistageQuestion, answers::MultistageAnswer>;

/// \pre at least one point
[[nodiscard]] Document document(const std::vector<MultistagePoint>& points,
                                MultistageCurve curve = MultistageCurve::delay);

[[nodiscard]] Layout multistage_layout();

}  // namespace tailbound::render
