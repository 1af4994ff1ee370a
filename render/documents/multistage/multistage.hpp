#pragma once

#include <tailbound/answers/multistage/multistage.hpp>
#include <tailbound/render/documents/multistage/combining.hpp>

#include <utility>
#include <vector>

namespace tailbound::render {

using MultistagePoint = std::pair<answers::MultistageQuery, answers::MultistageAnswer>;

/// \pre at least one point
[[nodiscard]] Document document(const std::vector<MultistagePoint>& points,
                                MultistageCurve curve = MultistageCurve::delay);
/// The parameters of a point, as document() shows them.
[[nodiscard]] Cells inputs_of(const answers::MultistageQuery& query);

[[nodiscard]] Layout multistage_layout();

}  // namespace tailbound::render
