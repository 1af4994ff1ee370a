#pragma once

#include <tailbound/answers/classes/simulate_classes.hpp>
#include <tailbound/answers/units.hpp>
#include <tailbound/render/document.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace tailbound::render {

using SimulateClassesPoint = std::pair<answers::SimulateClassesQuery, answers::SimulateClassesAnswer>;

/// \param requested  number of points; if some are missing, the document is marked as stopped
/// \pre at least one point
[[nodiscard]] Document document(std::vector<SimulateClassesPoint> points, std::size_t requested,
                                const answers::Units& units = {});
/// The parameters of a point, as document() shows them.
[[nodiscard]] Cells inputs_of(const answers::SimulateClassesQuery& query, const answers::Units& units);

[[nodiscard]] Layout simulate_classes_layout();
/// Of queries with traffic.
[[nodiscard]] Layout simulate_buffer_layout();

}  // namespace tailbound::render
