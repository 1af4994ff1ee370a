#pragma once

#include <tailbound/answers/guarantee/headroom.hpp>
#include <tailbound/render/document.hpp>

#include <utility>
#include <vector>

/// Presentation of the headroom of links with pause frames.
namespace tailbound::render {

using HeadroomPoint = std::pair<answers::HeadroomQuery, answers::HeadroomAnswer>;

/// \pre at least one point; all of them with cells, or none
[[nodiscard]] Document document(const std::vector<HeadroomPoint>& points);
/// The parameters of a point, as document() shows them.
[[nodiscard]] Cells inputs_of(const answers::HeadroomQuery& query);

/// The keys of `guarantee`, followed by those of --headroom.
[[nodiscard]] Layout with_headroom(Layout guarantee);

}  // namespace tailbound::render
