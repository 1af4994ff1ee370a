#pragma once

#include <tailbound/answers/crossbar/crossbar.hpp>
#include <tailbound/answers/units.hpp>
#include <tailbound/render/document.hpp>

#include <utility>
#include <vector>

/// Presentation of delay, buffers and maximum load of input-queued switches.
namespace tailbound::render {

using CrossbarPoint = std::pair<answers::CrossbarQuery, answers::CrossbarAnswer>;

/// \pre at least one point; all of them with the same kind of request
[[nodiscard]] Document document(const std::vector<CrossbarPoint>& points, const answers::Units& units = {});

[[nodiscard]] Layout crossbar_layout();

/// The parameters of a point, as document() shows them.
[[nodiscard]] Cells inputs_of(const answers::CrossbarQuery& query, const answers::Units& units);

}  // namespace tailbound::render
