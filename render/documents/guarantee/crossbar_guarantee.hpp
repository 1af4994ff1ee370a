#pragma once

#include <tailbound/answers/guarantee/crossbar_guarantee.hpp>
#include <tailbound/answers/units.hpp>
#include <tailbound/render/document.hpp>

#include <utility>
#include <vector>

/// Presentation of the guarantees of a crossbar.
namespace tailbound::render {

using CrossbarGuaranteePoint = std::pair<answers::CrossbarGuaranteeQuery, answers::CrossbarGuaranteeAnswer>;

/// \pre at least one point
[[nodiscard]] Document document(const std::vector<CrossbarGuaranteePoint>& points,
                                const answers::Units& units);
/// The parameters of a point, as document() shows them.
[[nodiscard]] Cells inputs_of(const answers::CrossbarGuaranteeQuery& query);

/// The keys of `guarantee`, followed by those of --crossbar.
[[nodiscard]] Layout with_crossbar_guarantee(Layout guarantee);

}  // namespace tailbound::render
