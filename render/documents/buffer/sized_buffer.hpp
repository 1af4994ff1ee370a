#pragma once

#include <tailbound/answers/buffer/sized_buffer.hpp>
#include <tailbound/answers/units.hpp>
#include <tailbound/render/document.hpp>

#include <utility>
#include <vector>

namespace tailbound::render {

using SizedBufferPoint = std::pair<answers::SizedBufferQuery, answers::SizedBufferAnswer>;

/// \pre at least one point; all of them with the same unknown (a buffer or a probability)
[[nodiscard]] Document document(const std::vector<SizedBufferPoint>& points,
                                const answers::Units& units = {});

/// The parameters of a point, as document() shows them.
/// \param units  link_gbps only; a slot is the time of a cell
[[nodiscard]] Cells inputs_of(const answers::SizedBufferQuery& query, const answers::Units& units = {});

/// The keys of `buffer`, followed by those of --sizes.
[[nodiscard]] Layout with_packet_sizes(Layout buffer);

}  // namespace tailbound::render
