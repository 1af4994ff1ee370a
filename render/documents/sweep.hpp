#pragma once

#include <tailbound/answers/points/sweep.hpp>
#include <tailbound/render/document.hpp>

/// Presentation of a sweep: one long table, one row per point or per row of the point's table, with all keys
/// of the commands used.
namespace tailbound::render {

/// Without the keys of the commands.
[[nodiscard]] Layout sweep_layout();

/// \param plan  the plan of the answer's points
/// \throws ParseError  an answer is damaged
[[nodiscard]] Document document(const answers::SweepPlan& plan, const answers::SweepAnswer& answer);

}  // namespace tailbound::render
