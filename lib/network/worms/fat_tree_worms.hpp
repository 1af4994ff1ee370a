#pragma once

#include <tailbound/network/worms/worm_network.hpp>

#include <memory>

/// Butterfly fat-trees, channel by channel.
///
/// MODEL     N = 4^n processors and n levels of switches with four links down and, below the top, two up.
///           Level l has N / 2^(l+1) switches S(l, a). S(l, a) has as parents
///             S(l+1, floor(a / 2^(l+1)) 2^l + a mod 2^l)  and
///             S(l+1, floor(a / 2^(l+1)) 2^l + (a + 2^(l-1)) mod 2^l),
///           both by their port floor((a mod 2^(l+1)) / 2^(l-1)); processor p is at port p mod 4 of S(1,
///           floor(p / 4)). A message rises to the lowest level that leads to its destination, by either link
///           up (the two are one station), and descends on the unique path from there.
/// SOURCE    Greenberg and Guan 1997a, section 3
/// TESTS     tests/sim/worm_engine_test.cpp, tests/validation/rigid_worms_test.cpp
namespace tailbound::network {

/// \param levels            n, 1 .. 9
/// \param virtual_channels  of each link between switches, 1 .. 64; a message takes either of the two links
/// up
/// \throws InvalidArgument   one of them out of range
[[nodiscard]] std::unique_ptr<WormNetwork> make_fat_tree_worms(int levels, int virtual_channels = 1);

}  // namespace tailbound::network
