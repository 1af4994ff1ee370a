#pragma once

#include <tailbound/network/fabric.hpp>

#include <random>

/// Fabrics to compare two ways of answering with.
namespace tailbound::test {

/// Up to 30 switches in a ring, a mesh of random wires or a leaf-spine, regular or not, with up to 170 hosts, one to
/// two classes of traffic of all kinds, shortest ways or spread.
[[nodiscard]] network::Fabric random_fabric(std::mt19937_64& random);

/// The same wires with uniform traffic in place of the demands.
[[nodiscard]] network::Fabric with_uniform(network::Fabric fabric, const network::Rational& rate,
                                           network::RouteRule route = network::RouteRule::spread);

}  // namespace tailbound::test
