#pragma once

#include <tailbound/answers/broadcast/broadcast.hpp>
#include <tailbound/render/document.hpp>

#include <utility>
#include <vector>

namespace tailbound::render {

/// One network, at each of its rates.
using BroadcastRatesAnswered = std::pair<answers::BroadcastQuery, answers::BroadcastAnswer>;

/// \pre at least one network, each with at least one rate
[[nodiscard]] Document document(const std::vector<BroadcastRatesAnswered>& networks);
/// The parameters of a query for one rate, as document() shows them; without the rate where it is a fraction.
[[nodiscard]] Cells inputs_of(const answers::BroadcastQuery& query);

[[nodiscard]] Layout broadcast_layout();

}  // namespace tailbound::render
