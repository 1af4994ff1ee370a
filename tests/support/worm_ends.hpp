#pragma once

#include <tailbound/network/channels/worm_ends.hpp>

#include <vector>

namespace tailbound::test {

/// All kinds of injection and ejection.
inline const std::vector<network::WormEnds> all_ends{
    {network::Injection::one, network::Ejection::one},
    {network::Injection::one, network::Ejection::unlimited},
    {network::Injection::ports, network::Ejection::one},
    {network::Injection::ports, network::Ejection::unlimited}};

}  // namespace tailbound::test
