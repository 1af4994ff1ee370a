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

[[nodiscard]] Layout broadcast_layout();

}  // namespace tailbound::render
