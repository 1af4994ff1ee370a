#pragma once

#include <tailbound/answers/validation/validate_sized_buffer.hpp>
#include <tailbound/render/document.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace tailbound::render {

using ValidateSizedBufferPoint =
    std::pair<answers::ValidateSizedBufferQuestion, answers::ValidateSwitchAnswer>;

/// \param asked  points; where they are not all there, the document is stopped
/// \pre at least one point; all of them with a capacity, or none
[[nodiscard]] Document document(std::vector<ValidateSizedBufferPoint> points, std::size_t asked);

/// The keys of `validate buffer`, and behind them those that --sizes adds.
[[nodiscard]] Layout with_validated_sizes(Layout buffer);

}  // namespace tailbound::render
