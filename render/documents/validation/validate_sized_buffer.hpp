#pragma once

#include <tailbound/answers/validation/validate_sized_buffer.hpp>
#include <tailbound/render/document.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace tailbound::render {

using ValidateSizedBufferPoint = std::pair<answers::ValidateSizedBufferQuery, answers::ValidateSwitchAnswer>;

/// \param requested  number of points; if some are missing, the document is marked as stopped
/// \pre at least one point; all of them with a capacity, or none
[[nodiscard]] Document document(std::vector<ValidateSizedBufferPoint> points, std::size_t requested);
/// The parameters of a point, as document() shows them.
[[nodiscard]] Cells inputs_of(const answers::ValidateSizedBufferQuery& query);

/// The keys of `validate buffer`, followed by those of --sizes.
[[nodiscard]] Layout with_validated_sizes(Layout buffer);

}  // namespace tailbound::render
