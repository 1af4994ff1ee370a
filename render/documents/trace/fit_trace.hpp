#pragma once

#include <tailbound/answers/trace/fit_trace.hpp>
#include <tailbound/render/document.hpp>

namespace tailbound::render {

[[nodiscard]] Layout fit_layout();
[[nodiscard]] Document document(const answers::FitQuery& query, answers::FitAnswer answer);

}  // namespace tailbound::render
