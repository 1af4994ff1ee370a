#pragma once

#include <tailbound/answers/buffer/buffer.hpp>
#include <tailbound/answers/units.hpp>
#include <tailbound/render/document.hpp>

#include <utility>
#include <vector>

namespace tailbound::render {

using BufferPoint = std::pair<answers::BufferQuery, answers::BufferAnswer>;

/// \pre at least one point; all of them with the same unknown (a buffer, a probability, a load or a speedup)
[[nodiscard]] Document document(const std::vector<BufferPoint>& points, const answers::Units& units = {});

[[nodiscard]] Layout buffer_layout();

/// The parameters of a point, as document() shows them.
[[nodiscard]] Cells inputs_of(const answers::BufferQuery& query, const answers::Units& units);

}  // namespace tailbound::render
