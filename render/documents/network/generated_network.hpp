#pragma once

#include <tailbound/answers/network/generated_network.hpp>
#include <tailbound/render/document.hpp>

namespace tailbound::render {

/// Its picture is a drawing of the network, up to a few hundred nodes.
[[nodiscard]] Document document(const answers::GeneratedNetworkQuery& query,
                                const answers::GeneratedNetworkAnswer& answer);

[[nodiscard]] Layout generated_network_layout();

}  // namespace tailbound::render
