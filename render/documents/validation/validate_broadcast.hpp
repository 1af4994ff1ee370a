#pragma once

#include <tailbound/answers/validation/validate_broadcast.hpp>
#include <tailbound/render/document.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace tailbound::render {

/// One network at each of its rates.
using ValidateBroadcastAnswered =
    std::pair<answers::ValidateBroadcastQuery, answers::ValidateBroadcastAnswer>;

/// Marked as stopped if rates are missing or the last is partial.
/// \param requested  number of results: rates of all networks
/// \pre at least one network, each with at least one rate
[[nodiscard]] Document document(const std::vector<ValidateBroadcastAnswered>& networks,
                                std::size_t requested);

[[nodiscard]] Layout validate_broadcast_layout();

}  // namespace tailbound::render
