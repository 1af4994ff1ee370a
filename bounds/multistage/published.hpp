#pragma once

#include <tailbound/bounds/multistage/combining.hpp>

/// The pass of Mohapatra, Wong and Das 1994 through the stages, as in docs/derivations/multistage.md.
/// Internal to the bounds module.
namespace tailbound::bounds::multistage {

/// \param load  0 < load <= 1
/// \throws InvalidArgument  a field out of range
[[nodiscard]] Point published(const network::CombiningMultistage& network, double load);

}  // namespace tailbound::bounds::multistage
