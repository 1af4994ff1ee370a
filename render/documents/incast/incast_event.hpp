#pragma once

#include <tailbound/answers/buffer/incast_event.hpp>
#include <tailbound/answers/units.hpp>
#include <tailbound/render/document.hpp>

#include <utility>
#include <vector>

namespace tailbound::render {

using IncastEventPoint = std::pair<answers::IncastEventQuery, answers::IncastEventAnswer>;

/// \pre at least one point; all of them with the same unknown (a buffer or a probability)
[[nodiscard]] Document document(const std::vector<IncastEventPoint>& points, const answers::Units& units);
/// The parameters of a point, as document() shows them.
[[nodiscard]] Cells inputs_of(const answers::IncastEventQuery& query, const answers::Units& units);

/// The keys of `buffer`, followed by those of one incast.
[[nodiscard]] Layout with_incast_event(Layout buffer);

}  // namespace tailbound::render
