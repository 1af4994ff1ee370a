#pragma once

#include <tailbound/answers/simulate_switch.hpp>
#include <tailbound/answers/units.hpp>
#include <tailbound/render/document.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace tailbound::render {

using SimulateSwitchPoint = std::pair<answers::SimulateSwitchQuestion, answers::SimulateSwitchAnswer>;

/// \param asked  points; where they are not all there, the document is stopped
/// \pre at least one point
[[nodiscard]] Document document(std::vector<SimulateSwitchPoint> points, std::size_t asked,
                                const answers::Units& units = {});

[[nodiscard]] Layout simulate_switch_layout();

}  // namespace tailbound::render
