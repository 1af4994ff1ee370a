#pragma once

#include <tailbound/network/fabric/fabric.hpp>

#include <cstdint>
#include <optional>
#include <random>

/// Fabrics to compare two ways of answering with.
namespace tailbound::test {

/// Up to 30 switches in a ring, a mesh of random wires or a leaf-spine, regular or not, with up to 170 hosts, one to
/// two classes of traffic of all kinds, shortest ways or spread.
[[nodiscard]] network::Fabric random_fabric(std::mt19937_64& random);

/// The same with switches in groups, and Valiant routes of at least one class of traffic; none where fewer than three groups
/// would be left, hosts being wired to one each, or more than so many pairs would send.
[[nodiscard]] std::optional<network::Fabric> with_valiant(network::Fabric fabric, std::mt19937_64& random,
                                                          std::uint64_t most_pairs);

/// The same wires with uniform traffic in place of the demands.
[[nodiscard]] network::Fabric with_uniform(network::Fabric fabric, const network::Rational& rate,
                                           network::RouteRule route = network::RouteRule::spread);

}  // namespace tailbound::test
