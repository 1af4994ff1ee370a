#pragma once

#include <tailbound/answers/validation/validate_switch.hpp>
#include <tailbound/render/document.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace tailbound::render {

using ValidateSwitchPoint = std::pair<answers::ValidateSwitchQuery, answers::ValidateSwitchAnswer>;

/// \param requested  number of points; if some are missing, the document is marked as stopped
/// \pre at least one point, all of one criterion
[[nodiscard]] Document document(std::vector<ValidateSwitchPoint> points, std::size_t requested);
/// The parameters of a point, as document() shows them.
[[nodiscard]] Cells inputs_of(const answers::ValidateSwitchQuery& query);

[[nodiscard]] Layout validate_switch_layout();

}  // namespace tailbound::render
