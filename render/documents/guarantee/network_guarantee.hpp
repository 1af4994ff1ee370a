#pragma once

#include <tailbound/answers/guarantee/network_guarantee.hpp>
#include <tailbound/render/document.hpp>

/// Presentation of guarantees of networks.
namespace tailbound::render {

[[nodiscard]] Layout network_guarantee_layout();
[[nodiscard]] Document document(const answers::NetworkGuaranteeQuery& query,
                                answers::NetworkGuaranteeAnswer answer);

}  // namespace tailbound::render
