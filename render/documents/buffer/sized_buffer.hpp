#pragma once

#include <tailbound/answers/buffer/sized_buffer.hpp>
#include <tailbound/render/document.hpp>

#include <utility>
#include <vector>

namespace tailbound::render {

using SizedBufferPoint = std::pair<answers::SizedBufferQuestion, answers::SizedBufferAnswer>;

/// \pre at least one point; all of them ask for the same (a buffer or a probability)
[[nodiscard]] Document document(const std::vector<SizedBufferPoint>& points);

/// The keys of `buffer`, and behind them those that --sizes adds.
[[nodiscard]] Layout with_packet_sizes(Layout buffer);

}  // namespace tailbound::render
