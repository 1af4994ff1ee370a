#pragma once

#include <tailbound/answers/validation/validate_multistage.hpp>
#include <tailbound/render/documents/multistage/combining.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace tailbound::render {

using ValidateMultistagePoint =
    std::pair<answers::ValidateMultistageQuery, answers::ValidateMultistageAnswer>;

/// \param requested  number of points; if some are missing, the document is marked as stopped
/// \pre at least one point
[[nodiscard]] Document document(const std::vector<ValidateMultistagePoint>& points, std::size_t requested,
                                MultistageCurve curve = MultistageCurve::delay);

[[nodiscard]] Layout validate_multistage_layout();

}  // namespace tailbound::render
