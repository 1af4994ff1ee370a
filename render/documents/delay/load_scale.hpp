#pragma once

#include <tailbound/answers/delay/solve_load_scale.hpp>
#include <tailbound/render/document.hpp>

#include <utility>
#include <vector>

namespace tailbound::render {

using LoadScalePoint = std::pair<answers::LoadScaleQuery, answers::LoadScaleAnswer>;

/// Maximum scaling of the rates of a network, with the keys of `delay`.
/// \pre at least one point; all of them with the same kind of target
[[nodiscard]] Document document(std::vector<LoadScalePoint> points);
/// The parameters of a point, as document() shows them.
[[nodiscard]] Cells inputs_of(const answers::LoadScaleQuery& query);

/// The columns for it in the layout of `delay`: inputs, results and the tables "limits" and "limit_groups".
[[nodiscard]] std::vector<Column> load_scale_inputs();
[[nodiscard]] std::vector<Column> load_scale_results();
[[nodiscard]] std::vector<TableLayout> load_scale_tables();

}  // namespace tailbound::render
