#pragma once

#include <tailbound/answers/units.hpp>
#include <tailbound/answers/validation/validate_buffer.hpp>
#include <tailbound/render/document.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace tailbound::render {

using ValidateBufferPoint = std::pair<answers::ValidateBufferQuery, answers::ValidateBufferAnswer>;

/// \param requested  number of points; if some are missing, the document is marked as stopped
/// \pre at least one point
[[nodiscard]] Document document(std::vector<ValidateBufferPoint> points, std::size_t requested,
                                const answers::Units& units = {});
/// The parameters of a point, as document() shows them.
[[nodiscard]] Cells inputs_of(const answers::ValidateBufferQuery& query, const answers::Units& units);

[[nodiscard]] Layout validate_buffer_layout();

}  // namespace tailbound::render
