#pragma once

#include <tailbound/answers/network/topology.hpp>
#include <tailbound/network/policed/policed_network.hpp>
#include <tailbound/render/picture.hpp>

#include <string>

/// Drawing of a network: pairs of nodes with their links and utilization.
namespace tailbound::render {

/// With the utilization of each link if flows are listed with their routes; for a bundle that of all its
/// links together.
[[nodiscard]] NetworkPicture network_picture(const network::Network& network);

/// From ports between nodes, with their utilization by the rates of the flows' slowest buckets. A node with
/// one neighbor is drawn as a host.
[[nodiscard]] NetworkPicture network_picture(const network::PolicedNetwork& network);

[[nodiscard]] Picture picture_of_network(std::string title, NetworkPicture network);

/// For the page of an answer about it.  \throws NoAnswer  it is not a listed network
[[nodiscard]] Picture picture_of_network(const answers::Topology& topology);

}  // namespace tailbound::render
