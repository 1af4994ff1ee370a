#pragma once

#include <tailbound/answers/guarantee/network_guarantee.hpp>

#include <string>

/// A guarantee in a form that others can verify.
///
/// RESULT    JSON: the network, and every curve, service and variation on which delays and backlogs are
/// based, as fractions.
///           Each can be verified from the others without computing it: docs/derivations/policed_traffic.md,
///           section 5.
/// TESTS     tests/golden/certificate_test.cpp
namespace tailbound::render {

[[nodiscard]] std::string certificate(const answers::NetworkGuaranteeQuery& query,
                                      const answers::NetworkGuaranteeAnswer& answer);

}  // namespace tailbound::render
