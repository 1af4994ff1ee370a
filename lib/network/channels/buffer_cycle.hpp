#pragma once

#include <tailbound/network/network.hpp>

#include <string>

/// Buffers of a network with flow control that wait for each other in a cycle.
///
/// MODEL     each link into a switch has a buffer at its receiver. A packet in the buffer of link a that goes
///           on by link b needs a place in the buffer of b: a depends on b if a route uses b directly after
///           a. Deliveries need no buffer. Without a cycle of dependencies the network cannot deadlock (Dally
///           and Seitz 1987).
/// COST      linear in the links and routes, apart from sorting
/// TESTS     tests/network/channels/buffer_cycle_test.cpp
namespace tailbound::network {

/// The links of a cycle of dependencies, each followed by one on which it depends, the last by the first;
/// empty if there is none.
[[nodiscard]] std::vector<std::size_t> buffer_cycle(const Network& network);

/// "a -> b, b -> c, c -> a"
[[nodiscard]] std::string link_names(const Network& network, const std::vector<std::size_t>& links);

}  // namespace tailbound::network
