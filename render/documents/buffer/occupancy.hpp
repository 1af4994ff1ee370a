#pragma once

#include <tailbound/answers/buffer/occupancy.hpp>
#include <tailbound/answers/units.hpp>
#include <tailbound/render/document.hpp>

#include <string>
#include <utility>
#include <vector>

namespace tailbound::render {

using OccupancyPoint = std::pair<answers::OccupancyQuery, answers::OccupancyAnswer>;

/// \pre at least one point
[[nodiscard]] Document document(const std::vector<OccupancyPoint>& points, const answers::Units& units = {});

[[nodiscard]] Layout occupancy_layout();

/// The parameters of a point, as document() shows them.
[[nodiscard]] Cells inputs_of(const answers::OccupancyQuery& query, const answers::Units& units);

// --- parts of pictures, also used by other documents about queues

/// P(Q > n), the highest first, as powers of ten; levels of probability 0 are not drawn.
[[nodiscard]] Curve tail_curve(const std::vector<answers::OccupancyLevel>& tail, std::string title,
                               CurveStyle style);
/// A horizontal line at a target.
[[nodiscard]] Curve target_curve(const numeric::Rational& target, double from, double to);

}  // namespace tailbound::render
