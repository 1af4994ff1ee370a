#pragma once

#include <tailbound/answers/simulation/simulate_rare_switch.hpp>
#include <tailbound/answers/simulation/simulate_switch.hpp>
#include <tailbound/answers/units.hpp>
#include <tailbound/render/document.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace tailbound::render {

using SimulateSwitchPoint = std::pair<answers::SimulateSwitchQuery, answers::SimulateSwitchAnswer>;
using SimulateRareSwitchPoint = std::pair<answers::SimulateRareSwitchQuery, answers::SimulateRareAnswer>;

/// \param requested  number of points; if some are missing, the document is marked as stopped
/// \pre at least one point
[[nodiscard]] Document document(std::vector<SimulateSwitchPoint> points, std::size_t requested,
                                const answers::Units& units = {});

/// Either all tails or all losses. Points that splitting never observed have no probability.
/// \throws NoAnswer  no point has a probability
[[nodiscard]] Document document(std::vector<SimulateRareSwitchPoint> points, std::size_t requested,
                                const answers::Units& units = {});
/// The parameters of a point, as document() shows them.
[[nodiscard]] Cells inputs_of(const answers::SimulateSwitchQuery& query, const answers::Units& units);
[[nodiscard]] Cells inputs_of(const answers::SimulateRareSwitchQuery& query, const answers::Units& units);

/// For both: rare events are an option of the same command.
[[nodiscard]] Layout simulate_switch_layout();

}  // namespace tailbound::render
