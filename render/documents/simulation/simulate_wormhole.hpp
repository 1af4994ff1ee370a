#pragma once

#include <tailbound/answers/wormhole/simulate_wormhole.hpp>
#include <tailbound/render/document.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace tailbound::render {

/// A simulated network at all of its loads.
using SimulatedWormholeAnswered = std::pair<answers::SimulateWormholeQuery, answers::SimulateWormholeAnswer>;

/// A result for each load of each network. Marked as stopped if loads are missing or the last is partial.
/// \param requested  number of loads of all networks
/// \pre at least one network, each with at least one load
[[nodiscard]] Document document(const std::vector<SimulatedWormholeAnswered>& networks,
                                std::size_t requested);

using WormholeSaturationAnswered =
    std::pair<answers::WormholeSaturationQuery, answers::WormholeSaturationAnswer>;

/// \pre at least one
[[nodiscard]] Document document(const std::vector<WormholeSaturationAnswered>& networks);
/// The parameters of a query, for one load, as document() shows them.
[[nodiscard]] Cells inputs_of(const answers::SimulateWormholeQuery& query);
[[nodiscard]] Cells inputs_of(const answers::WormholeSaturationQuery& query);

[[nodiscard]] Layout simulate_wormhole_layout();

}  // namespace tailbound::render
