#pragma once

#include <tailbound/answers/guarantee/port_guarantee.hpp>
#include <tailbound/answers/units.hpp>
#include <tailbound/render/document.hpp>

/// Presentation of guarantees of one port.
namespace tailbound::render {

/// The layout of guarantees of networks, extended by that of one port.
[[nodiscard]] Layout with_port_guarantee(Layout guarantee);
[[nodiscard]] Document document(const answers::PortGuaranteeQuery& query,
                                const answers::PortGuaranteeAnswer& answer, const answers::Units& units);

}  // namespace tailbound::render
