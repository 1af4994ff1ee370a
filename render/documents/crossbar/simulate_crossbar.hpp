#pragma once

#include <tailbound/answers/crossbar/simulate_crossbar.hpp>
#include <tailbound/answers/crossbar/simulate_rare_crossbar.hpp>
#include <tailbound/answers/units.hpp>
#include <tailbound/render/document.hpp>
#include <tailbound/render/fields.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tailbound::render {

using SimulateCrossbarPoint = std::pair<answers::SimulateCrossbarQuery, answers::SimulateCrossbarAnswer>;
using SimulateRareCrossbarPoint = std::pair<answers::SimulateRareCrossbarQuery, answers::SimulateRareAnswer>;

/// \param requested  number of points; if some are missing, the document is marked as stopped
/// \pre at least one point
[[nodiscard]] Document document(std::vector<SimulateCrossbarPoint> points, std::size_t requested,
                                const answers::Units& units = {});
/// Points that splitting never observed have no probability.
/// \throws NoAnswer  no point has a probability
[[nodiscard]] Document document(std::vector<SimulateRareCrossbarPoint> points, std::size_t requested,
                                const answers::Units& units = {});
/// The parameters of a point, as document() shows them.
[[nodiscard]] Cells inputs_of(const answers::SimulateCrossbarQuery& query, const answers::Units& units);
[[nodiscard]] Cells inputs_of(const answers::SimulateRareCrossbarQuery& query, const answers::Units& units);
/// For both: rare events are an option of the same command.
[[nodiscard]] Layout simulate_crossbar_layout();
/// Columns of rare events.
[[nodiscard]] std::vector<Column> rare_crossbar_columns();
[[nodiscard]] std::vector<Column> rare_crossbar_inputs();

/// The switch and its traffic, for every document about one.
[[nodiscard]] const Fields<sim::CrossbarModel>& crossbar_fields();
/// "16 x 16 crossbar at load 0.9, iSLIP with 4 iterations"; what differs between points is omitted.
[[nodiscard]] std::string in_words(const std::vector<const sim::CrossbarModel*>& models);

}  // namespace tailbound::render
