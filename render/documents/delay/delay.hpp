#pragma once

#include <tailbound/answers/delay/delay.hpp>
#include <tailbound/render/fields.hpp>

#include <string>
#include <utility>
#include <vector>

namespace tailbound::render {

using DelayPoint = std::pair<answers::DelayQuery, answers::DelayAnswer>;
using ReorderPoint = std::pair<answers::ReorderQuery, answers::ReorderAnswer>;

/// Each flow of each query is a result. Marked as stopped if an answer is.
/// \pre at least one point; all of them with the same percentiles, levels and targets
[[nodiscard]] Document document(std::vector<DelayPoint> points);
/// The parameters of a query, without those of a flow.
[[nodiscard]] Cells inputs_of(const answers::DelayQuery& query);

/// The reorder buffer for given delays.  \pre at least one point
[[nodiscard]] Document document(const std::vector<ReorderPoint>& points);
/// The parameters of a point, as document() shows them.
[[nodiscard]] Cells inputs_of(const answers::ReorderQuery& query);

[[nodiscard]] Layout delay_layout();

/// Columns of `delay` shared by its other answers.
struct DelayColumns {
  Column percentile, exceeded_by, latency_slots, latency_probability, latency_probability_before;
  Column digits, flow, mean_latency_slots, queues;
};
[[nodiscard]] const DelayColumns& delay_columns();
[[nodiscard]] const Fields<bounds::DropTarget>& drop_target_fields();

/// How far the bound of hops is proved, in one line.
[[nodiscard]] std::string bound_caution(const answers::Topology& topology);

}  // namespace tailbound::render
