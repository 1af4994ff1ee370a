#pragma once

#include <tailbound/network/fabric/routing.hpp>
#include <tailbound/network/network.hpp>

#include <cstddef>
#include <vector>

/// Uniform traffic for a network of any shape.
///
/// MODEL     Each end sends the same number of packets per slot, spread evenly over all other ends that it
///           can reach; an end that reaches none sends nothing. Ends are the hosts, or the switches of a
///           network without hosts.
/// EXCLUDES  packets to the sender itself, which occur in the trees of network/tree.hpp: there each of k ends
///           sends 1/k of its packets to every end, itself included.
/// TESTS     tests/network/demands/uniform_traffic_test.cpp
namespace tailbound::network {

/// Maximum number of ends that send to each other.
inline constexpr std::size_t max_uniform_ends = 1000;

/// Positions in Network::nodes of the hosts, or of the switches if there are no hosts.
[[nodiscard]] std::vector<std::size_t> ends_of(const Network& network);

/// Adds a flow "source -> destination" for each ordered pair of ends that are connected, source by source.
/// \param rate  that each end sends [packets/slot], above 0 and at most the rate of its fastest link
/// \throws InvalidArgument  a rate out of range, a network with flows, with fewer than two ends or more than
///                          max_uniform_ends, or without a connected pair
/// \throws LimitExceeded    routes beyond the limits of routing.hpp, or a common denominator of the flows'
///                          rates of more than 256 bits
void add_uniform_traffic(Network& network, const Rational& rate, RouteRule rule = default_route);

}  // namespace tailbound::network
