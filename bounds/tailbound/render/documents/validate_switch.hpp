#pragma once

#include <tailbound/answers/validate_switch.hpp>
#include <tailbound/render/document.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace tailbound::render {

using ValidateSwitchPoint = std::pair<answers::ValidateSwitchQuestion, answers::ValidateSwitchAnswer>;

/// \param asked  points; where they are not all there, the document is stopped
/// \pre at least one point, all of one criterion
[[nodiscard]] Document document(std::vector<ValidateSwitchPoint> points, std::size_t asked);

[[nodiscard]] Layout validate_switch_layout();

}  // namespace tailbound::render
