#pragma once

#include <tailbound/answers/buffer/occupancy.hpp>
#include <tailbound/answers/units.hpp>
#include <tailbound/render/document.hpp>

#include <utility>
#include <vector>

namespace tailbound::render {

using OccupancyPoint = std::pair<answers::OccupancyQuestion, answers::OccupancyAnswer>;

/// \pre at least one point
[[nodiscard]] Document document(const std::vector<OccupancyPoint>& points, const answers::Units& units = {});

[[nodiscard]] Layout occupancy_layout();

}  // namespace tailbound::render
