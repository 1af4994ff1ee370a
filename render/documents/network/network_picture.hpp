#pragma once

#include <tailbound/network/network.hpp>
#include <tailbound/render/picture.hpp>

/// A network as it is drawn: pairs of nodes with their wires, and how busy they are.
namespace tailbound::render {

/// Where flows are listed with their routes, each link's utilization: of a bundle that of all its wires together.
[[nodiscard]] NetworkPicture network_picture(const network::Network& network);

}  // namespace tailbound::render
