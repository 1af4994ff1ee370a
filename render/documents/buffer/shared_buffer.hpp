#pragma once

#include <tailbound/answers/buffer/shared_buffer.hpp>
#include <tailbound/answers/units.hpp>
#include <tailbound/render/document.hpp>

#include <utility>
#include <vector>

namespace tailbound::render {

using SharedBufferPoint = std::pair<answers::SharedBufferQuery, answers::SharedBufferAnswer>;

/// \pre at least one point; all of them with the same unknown (a memory or a probability)
[[nodiscard]] Document document(const std::vector<SharedBufferPoint>& points,
                                const answers::Units& units = {});
/// The parameters of a point, as document() shows them.
[[nodiscard]] Cells inputs_of(const answers::SharedBufferQuery& query, const answers::Units& units);

/// The keys of `buffer`, followed by those of --shared.
[[nodiscard]] Layout with_shared_memory(Layout buffer);

}  // namespace tailbound::render
