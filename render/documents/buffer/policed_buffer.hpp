#pragma once

#include <tailbound/answers/buffer/policed_buffer.hpp>
#include <tailbound/answers/units.hpp>
#include <tailbound/render/document.hpp>

#include <utility>
#include <vector>

namespace tailbound::render {

using PolicedBufferPoint = std::pair<answers::PolicedBufferQuery, answers::PolicedBufferAnswer>;

/// \pre at least one point; all of them with the same unknown (a buffer or a probability)
[[nodiscard]] Document document(const std::vector<PolicedBufferPoint>& points, const answers::Units& units);
/// The parameters of a point, as document() shows them.
[[nodiscard]] Cells inputs_of(const answers::PolicedBufferQuery& query, const answers::Units& units);

/// The keys of `buffer`, followed by those of --police.
[[nodiscard]] Layout with_policing(Layout buffer);

}  // namespace tailbound::render
