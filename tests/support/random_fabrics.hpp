#pragma once

#include <tailbound/network/fabric/fabric.hpp>

#include <cstdint>
#include <optional>
#include <random>

/// Random fabrics for comparing two methods.
namespace tailbound::test {

/// Up to 30 switches in a ring, a random mesh or a leaf-spine, regular or not, with up to 170 hosts, one or
/// two classes of traffic of all kinds, shortest or spread routes.
[[nodiscard]] network::Fabric random_fabric(std::mt19937_64& random);

/// The same with switches in groups, and Valiant routes for at least one class of traffic; none if fewer than
/// three groups would remain, with hosts connected to one each, or if too many pairs would send.
[[nodiscard]] std::optional<network::Fabric> with_valiant(network::Fabric fabric, std::mt19937_64& random,
                                                          std::uint64_t max_pairs);

/// The same links with uniform traffic instead of the demands.
[[nodiscard]] network::Fabric with_uniform(network::Fabric fabric, const network::Rational& rate,
                                           network::RouteRule route = network::RouteRule::spread);

}  // namespace tailbound::test
