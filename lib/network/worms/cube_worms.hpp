#pragma once

#include <tailbound/network/channels/cube.hpp>
#include <tailbound/network/worms/worm_network.hpp>

#include <memory>

/// Meshes, tori and hypercubes with dimension-order routing, channel by channel.
///
/// MODEL     as network/channels/cube.hpp. Each link has V virtual channels on one physical channel. In a
///           mesh or hypercube they are one station. In a torus the first half of them is the low station and
///           the second half the high one (for odd V the low one has one more). With a single virtual channel
///           all messages share it, and messages can block each other in a ring. Injection and ejection
///           channels have physical channels of their own. With injection by ports, the variant of a message
///           is the dimension (0 .. n - 1) of its port. Sides may be unequal, and routers may have several
///           nodes, each with ends of its own.
/// SOURCE    Greenberg and Guan 1997b; Dally and Seitz 1987, Dally 1992 (virtual channels)
/// EXCLUDES  rates and flows: network/channels/cube.hpp finds them without this header
/// TESTS     tests/network/walks/worm_walk_test.cpp, tests/network/walks/worm_meetings_test.cpp
namespace tailbound::network {

/// \param virtual_channels  per link, 1 .. 64
/// \throws InvalidArgument  a field out of range, or virtual channels on separate physical channels
[[nodiscard]] std::unique_ptr<WormNetwork> make_cube_worms(const Cube& cube, int virtual_channels);

/// The default per link: 1, or 2 in a torus.
[[nodiscard]] int usual_virtual_channels(const Cube& cube);

}  // namespace tailbound::network
