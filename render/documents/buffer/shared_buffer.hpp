#pragma once

#include <tailbound/answers/buffer/shared_buffer.hpp>
#include <tailbound/answers/units.hpp>
#include <tailbound/render/document.hpp>

#include <utility>
#include <vector>

namespace tailbound::render {

using SharedBufferPoint = std::pair<answers::SharedBufferQuestion, answers::SharedBufferAnswer>;

/// \pre at least one point; all of them ask for the same (a memory or a probability)
[[nodiscard]] Document document(const std::vector<SharedBufferPoint>& points,
                                const answers::Units& units = {});

/// The keys of `buffer`, and behind them those that --shared adds.
[[nodiscard]] Layout with_shared_memory(Layout buffer);

}  // namespace tailbound::render
