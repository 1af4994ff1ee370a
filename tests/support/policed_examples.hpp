#pragma once

#include <string>

/// Network files of policed flows: examples that several tests share.
namespace tailbound::test {

extern const std::string bytes;  ///< the line with the units: bytes, us, Mbit/s

/// \param keys  lines of a [[flow]]
[[nodiscard]] std::string flow(const std::string& keys);

/// A flow along all links of a line, crossed by others over one or two links; hosts have fast links.
/// \param rate  Mbit/s of each flow  \param packets  of 1250 bytes, in a burst
[[nodiscard]] std::string crossed_line(int hops, int rate, int packets);

/// A flow from each switch over `hops` links of a ring.
[[nodiscard]] std::string ring(int switches, int hops, int rate, int packets);

/// End systems of 100 Mbit/s, three switches, as published; with_two: a packet of v6 goes to two of them.
[[nodiscard]] std::string avionics(bool with_two);

}  // namespace tailbound::test
