#pragma once

#include <tailbound/answers/crossbar/validate_crossbar.hpp>
#include <tailbound/answers/units.hpp>
#include <tailbound/render/document.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace tailbound::render {

using ValidateCrossbarPoint = std::pair<answers::ValidateCrossbarQuery, answers::ValidateCrossbarAnswer>;

/// \param requested  number of points; if some are missing, the document is marked as stopped
/// \pre at least one point
[[nodiscard]] Document document(std::vector<ValidateCrossbarPoint> points, std::size_t requested);
/// The parameters of a point, as document() shows them.
[[nodiscard]] Cells inputs_of(const answers::ValidateCrossbarQuery& query);

[[nodiscard]] Layout validate_crossbar_layout();

}  // namespace tailbound::render
