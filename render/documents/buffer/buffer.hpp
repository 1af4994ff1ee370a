#pragma once

#include <tailbound/answers/buffer/buffer.hpp>
#include <tailbound/answers/units.hpp>
#include <tailbound/render/document.hpp>

#include <utility>
#include <vector>

namespace tailbound::render {

using BufferPoint = std::pair<answers::BufferQuestion, answers::BufferAnswer>;

/// \pre at least one point; all of them ask for the same (a buffer, a probability, a load or a speedup)
[[nodiscard]] Document document(const std::vector<BufferPoint>& points, const answers::Units& units = {});

/// What document() shows of one of many points, alone and without units: its inputs and what was found.
[[nodiscard]] Result buffer_result(const BufferPoint& point);

[[nodiscard]] Layout buffer_layout();

}  // namespace tailbound::render
