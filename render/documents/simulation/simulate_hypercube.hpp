#pragma once

#include <tailbound/answers/broadcast/simulate_hypercube.hpp>
#include <tailbound/render/document.hpp>

#include <utility>
#include <vector>

namespace tailbound::render {

/// One network, simulated at each of its rates.
using SimulatedHypercubeAnswered =
    std::pair<answers::SimulateHypercubeQuery, answers::SimulateHypercubeAnswer>;

/// Marked as stopped if rates are missing or the last is partial.
/// \param requested  number of rates of all networks
/// \pre at least one network, each with at least one rate
[[nodiscard]] Document document(const std::vector<SimulatedHypercubeAnswered>& networks,
                                std::size_t requested);

using HypercubeSaturationAnswered =
    std::pair<answers::HypercubeSaturationQuery, answers::HypercubeSaturationAnswer>;

/// \pre at least one
[[nodiscard]] Document document(const std::vector<HypercubeSaturationAnswered>& networks);
/// The parameters of a query, for one rate, as document() shows them.
[[nodiscard]] Cells inputs_of(const answers::SimulateHypercubeQuery& query);
[[nodiscard]] Cells inputs_of(const answers::HypercubeSaturationQuery& query);

[[nodiscard]] Layout simulate_hypercube_layout();

}  // namespace tailbound::render
