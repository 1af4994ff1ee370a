#pragma once

#include <tailbound/network/network.hpp>

#include <cstdint>
#include <vector>

/// Times of links of different speeds as whole ticks of one clock.
///
/// MODEL     A link of rate r (packets per slot) sends a packet in 1 / r slots. One tick divides the time of
///           a packet of every used link. Links without flows do not count.
/// TESTS     tests/network/clocks/link_clocks_test.cpp
namespace tailbound::network {

/// [link]: is it on the route of a flow?
[[nodiscard]] std::vector<bool> used_links(const Network& network);

/// Does each link send one packet per slot, as after in_own_slots() where used links do not differ in speed?
/// Otherwise each has a clock of its own, and slots are only a unit of time.
[[nodiscard]] bool has_unit_speeds(const Network& network);

/// Of the slowest used link [packets/slot]; 1 if none is used.
[[nodiscard]] Rational slowest_rate(const Network& network, const std::vector<bool>& used);

/// The same network in other slots: packet times of a link with a rate of `rate` packets per slot. Links
/// without flows get the rate 1, and bursts stay as long in packets.
/// \throws InvalidArgument  the quotient of two rates has a numerator or denominator above 128
[[nodiscard]] Network in_slots_of(Network network, const Rational& rate);
/// \param used  [link]: does it carry packets, of `flows` or of a fabric?
[[nodiscard]] Network in_slots_of(Network network, const Rational& rate, const std::vector<bool>& used);

/// In slots of its slowest used link: the network itself without flows.
/// \throws InvalidArgument  as in_slots_of()
[[nodiscard]] Network in_own_slots(Network network);

struct LinkClocks {
  std::int64_t slot = 1;             ///< ticks of one packet on a link of rate 1
  std::vector<std::int64_t> packet;  ///< [link]: ticks of one packet; 0 for links without flows
  std::int64_t slowest = 1;          ///< the longest of them
};

/// \param min_packet  ticks of one packet on the fastest used link, at least
/// \param used        [link], for traffic that is not listed
/// \throws LimitExceeded  the rates have no common clock of fewer than 2^40 ticks per slot
[[nodiscard]] LinkClocks link_clocks(const Network& network, std::int64_t min_packet = 1);
[[nodiscard]] LinkClocks link_clocks(const Network& network, const std::vector<bool>& used,
                                     std::int64_t min_packet = 1);

}  // namespace tailbound::network
