#pragma once

#include <tailbound/answers/validation/validate_switch.hpp>
#include <tailbound/render/fields.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tailbound::render {

using ValidateSwitchPoint = std::pair<answers::ValidateSwitchQuery, answers::ValidateSwitchAnswer>;

/// \param requested  number of points; if some are missing, the document is marked as stopped
/// \pre at least one point, all of one criterion
[[nodiscard]] Document document(std::vector<ValidateSwitchPoint> points, std::size_t requested);
/// The parameters of a point, as document() shows them.
[[nodiscard]] Cells inputs_of(const answers::ValidateSwitchQuery& query);

[[nodiscard]] Layout validate_switch_layout();

// --- for answers of this form, also of other commands

struct ValidatedRow;  // parts/validated.hpp

/// Names of their rows.
struct MemoryRowNames {
  bool losses = false, cells = false;  ///< of a finite buffer; of packets of several cells
  char letter = 'T';                   ///< of P(T > M)
  const char *tail = "total_tail", *mean = "mean_total";
};

/// "rows": a comparison and, if there is one, an approximation and its error.
/// \param predicted  name of the prediction: "bound"
[[nodiscard]] Table<ValidatedRow> memory_table(const std::string& predicted);
[[nodiscard]] Shared<ValidatedRow> memory_rows(const answers::ValidateSwitchAnswer& answer,
                                               const MemoryRowNames& names);
/// The prediction, the approximation and the simulation against the memory, as far as available.
[[nodiscard]] std::vector<Curve> memory_curves(
    const std::vector<const answers::ValidateSwitchAnswer*>& answers, const char* predicted);

}  // namespace tailbound::render
