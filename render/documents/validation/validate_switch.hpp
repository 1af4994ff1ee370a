#pragma once

#include <tailbound/answers/validation/validate_switch.hpp>
#include <tailbound/render/document.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tailbound::render {

using ValidateSwitchPoint = std::pair<answers::ValidateSwitchQuestion, answers::ValidateSwitchAnswer>;

/// \param asked  points; where they are not all there, the document is stopped
/// \pre at least one point, all of one criterion
[[nodiscard]] Document document(std::vector<ValidateSwitchPoint> points, std::size_t asked);

[[nodiscard]] Layout validate_switch_layout();

// --- of answers of this form, also to other questions

/// What their rows are called.
struct MemoryRowNames {
  bool losses = false, cells = false;  ///< of a finite room; of packets of several cells
  char letter = 'T';                   ///< of P(T > M)
  const char *tail = "total_tail", *mean = "mean_total";
};

/// Rows with quantity, what, level, a comparison and, where there is one, an approximation and its error.
[[nodiscard]] std::vector<Cells> memory_rows(const answers::ValidateSwitchAnswer& answer,
                                             const MemoryRowNames& names);
/// The columns of these.  \param predicted  what the prediction is called: "bound"
[[nodiscard]] std::vector<Column> memory_columns(const std::string& predicted);
/// The prediction, the approximation and the simulation against the memory, as far as they are there.
[[nodiscard]] std::vector<Curve> memory_curves(
    const std::vector<const answers::ValidateSwitchAnswer*>& answers, const char* predicted);

}  // namespace tailbound::render
