#pragma once

#include <tailbound/answers/multistage/simulate_multistage.hpp>
#include <tailbound/render/documents/multistage/combining.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace tailbound::render {

using SimulateMultistagePoint =
    std::pair<answers::SimulateMultistageQuery, answers::SimulateMultistageAnswer>;

/// \param requested  number of points; if some are missing, the document is marked as stopped
/// \pre at least one point
[[nodiscard]] Document document(const std::vector<SimulateMultistagePoint>& points, std::size_t requested,
                                MultistageCurve curve = MultistageCurve::delay);
/// The parameters of a point, as document() shows them.
[[nodiscard]] Cells inputs_of(const answers::SimulateMultistageQuery& query);

[[nodiscard]] Layout simulate_multistage_layout();

}  // namespace tailbound::render
