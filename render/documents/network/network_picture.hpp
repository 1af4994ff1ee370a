#pragma once

#include <tailbound/answers/network/topology.hpp>
#include <tailbound/network/policed/policed_network.hpp>
#include <tailbound/render/picture.hpp>

#include <string>

/// A network as it is drawn: pairs of nodes with their wires, and how busy they are.
namespace tailbound::render {

/// Where flows are listed with their routes, each link's utilization: of a bundle that of all its wires together.
[[nodiscard]] NetworkPicture network_picture(const network::Network& network);

/// Of ports between nodes, with their utilization by the rates of the flows' slowest buckets. A node with one neighbour is
/// drawn as a host.
[[nodiscard]] NetworkPicture network_picture(const network::PolicedNetwork& network);

[[nodiscard]] Picture picture_of_network(std::string title, NetworkPicture network);

/// Of a page that answers something about it.  \throws NoAnswer  it is no listed network
[[nodiscard]] Picture picture_of_network(const answers::Topology& topology);

}  // namespace tailbound::render
