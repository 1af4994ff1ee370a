#pragma once

#include <tailbound/answers/validation/validate_wormhole.hpp>
#include <tailbound/render/document.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace tailbound::render {

/// A network at all of its loads, by model and simulation.
using ValidatedWormhole = std::pair<answers::ValidateWormholeQuery, answers::ValidateWormholeAnswer>;

/// A result for each load of each network. Marked as stopped if loads are missing or the last is partial.
/// \param requested  number of loads of all networks
/// \pre at least one network, each with at least one load
[[nodiscard]] Document document(const std::vector<ValidatedWormhole>& networks, std::size_t requested);

[[nodiscard]] Layout validate_wormhole_layout();

}  // namespace tailbound::render
