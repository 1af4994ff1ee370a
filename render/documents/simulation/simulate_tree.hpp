#pragma once

#include <tailbound/answers/simulation/simulate_rare.hpp>
#include <tailbound/answers/simulation/simulate_tree.hpp>
#include <tailbound/answers/units.hpp>
#include <tailbound/render/document.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace tailbound::render {

using SimulateTreePoint = std::pair<answers::SimulateTreeQuery, answers::SimulateTreeAnswer>;
using SimulateRarePoint = std::pair<answers::SimulateRareQuery, answers::SimulateRareAnswer>;

/// \param requested  number of points; if some are missing, the document is marked as stopped
/// \pre at least one point
[[nodiscard]] Document document(std::vector<SimulateTreePoint> points, std::size_t requested,
                                const answers::Units& units = {});

/// Points that splitting never observed have no probability.
/// \throws NoAnswer  no point has a probability
[[nodiscard]] Document document(const std::vector<SimulateRarePoint>& points, std::size_t requested,
                                const answers::Units& units = {});
/// The parameters of a point, as document() shows them.
[[nodiscard]] Cells inputs_of(const answers::SimulateTreeQuery& query, const answers::Units& units);
[[nodiscard]] Cells inputs_of(const answers::SimulateRareQuery& query, const answers::Units& units);

/// Below the headline of one rare event: its interval, its method, its run.  \pre it has a probability
[[nodiscard]] std::vector<Line> rare_lines(const answers::SimulateRareAnswer& answer);

/// For both: rare events are an option of the same command.
[[nodiscard]] Layout simulate_tree_layout();

}  // namespace tailbound::render
