#pragma once

#include <tailbound/answers/wormhole/wormhole.hpp>
#include <tailbound/render/document.hpp>

#include <utility>
#include <vector>

namespace tailbound::render {

/// A network at all of its loads.
using WormholeNetworkAnswer = std::pair<answers::WormholeQuery, answers::WormholeAnswer>;

/// A result for each load of each network.
/// \pre at least one network, with at least one point
[[nodiscard]] Document document(const std::vector<WormholeNetworkAnswer>& networks);
/// The parameters of a query for one load, as document() shows them; without the load where it is a fraction.
[[nodiscard]] Cells inputs_of(const answers::WormholeQuery& query);

[[nodiscard]] Layout wormhole_layout();

}  // namespace tailbound::render
