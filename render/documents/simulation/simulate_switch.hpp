#pragma once

#include <tailbound/answers/simulation/simulate_rare_switch.hpp>
#include <tailbound/answers/simulation/simulate_switch.hpp>
#include <tailbound/answers/units.hpp>
#include <tailbound/render/document.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace tailbound::render {

using SimulateSwitchPoint = std::pair<answers::SimulateSwitchQuestion, answers::SimulateSwitchAnswer>;
using SimulateRareSwitchPoint = std::pair<answers::SimulateRareSwitchQuestion, answers::SimulateRareAnswer>;

/// \param asked  points; where they are not all there, the document is stopped
/// \pre at least one point
[[nodiscard]] Document document(std::vector<SimulateSwitchPoint> points, std::size_t asked,
                                const answers::Units& units = {});

/// All of tails, or all of losses. Points that splitting never saw have no probability.
/// \throws NoAnswer  none of them has
[[nodiscard]] Document document(std::vector<SimulateRareSwitchPoint> points, std::size_t asked,
                                const answers::Units& units = {});

/// Of both: rare events are asked for by an option of the same command.
[[nodiscard]] Layout simulate_switch_layout();

}  // namespace tailbound::render
