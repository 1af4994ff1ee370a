#pragma once

#include <tailbound/answers/points/sweep.hpp>
#include <tailbound/render/document.hpp>

/// What is shown of a sweep: one long table, a row a point or a row of the point's table, with all keys of the
/// questions asked.
namespace tailbound::render {

/// Without the keys of the questions.
[[nodiscard]] Layout sweep_layout();

/// \param plan  whose points the answer has
/// \throws ParseError  an answer is damaged
[[nodiscard]] Document document(const answers::SweepPlan& plan, const answers::SweepAnswer& answer);

}  // namespace tailbound::render
