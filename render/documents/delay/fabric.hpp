#pragma once

#include <tailbound/answers/delay/fabric.hpp>
#include <tailbound/render/document.hpp>

#include <utility>
#include <vector>

namespace tailbound::render {

using FabricPoint = std::pair<answers::FabricQuery, answers::FabricAnswer>;

/// Delays and buffers of a network of many hosts, with the keys of `delay`.  \pre at least one point
[[nodiscard]] Document document(std::vector<FabricPoint> points);
/// The parameters of a point, as document() shows them.
[[nodiscard]] Cells inputs_of(const answers::FabricQuery& query);

/// The columns for it in the layout of `delay`.
[[nodiscard]] std::vector<Column> fabric_results();
[[nodiscard]] std::vector<TableLayout> fabric_tables();

}  // namespace tailbound::render
