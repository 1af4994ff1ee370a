#pragma once

#include <tailbound/answers/guarantee/network_guarantee.hpp>

#include <string>

/// A guarantee as others can check it.
///
/// RESULT    JSON: the network, and every curve, service and variation that the delays and backlogs rest on, as fractions. Each
///           can be checked by those beside it, without computing it: docs/derivations/policed_traffic.md, section 5.
/// TESTS     tests/golden/certificate_test.cpp
namespace tailbound::render {

[[nodiscard]] std::string certificate(const answers::NetworkGuaranteeQuestion& question,
                                      const answers::NetworkGuaranteeAnswer& answer);

}  // namespace tailbound::render
