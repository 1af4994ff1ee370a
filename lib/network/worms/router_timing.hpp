#pragma once

#include <array>
#include <cstdint>
#include <string>

/// How long a router, a link and the credits between two routers take.
///
/// MODEL     A flit that crosses a link in cycle t can cross the next one in cycle t + link + router at the earliest; over
///           an injection channel in t + 1 + router; over an ejection channel it has left the network in t + 1. The
///           place that a flit leaves in cycle t can be filled from cycle t + credit on: a virtual channel of B flits
///           passes at most B flits in link + router + credit cycles.
/// SOURCE    Dally and Towles 2004, chapters 13, 16 and 17
/// EXCLUDES  conflicts within a router: each virtual channel has a way of its own to each wire
/// TESTS     tests/sim/router_timing_test.cpp
namespace tailbound::network {

/// When a virtual channel may be given to the next message.
enum class Reallocate {
  empty,  ///< once the upstream router knows that the tail has left its buffer
  tail,  ///< once the tail has crossed its wire: a buffer may hold flits of several messages, first come first served
};
[[nodiscard]] constexpr auto names_of(Reallocate) {
  return std::array{"empty", "tail"};
}

struct RouterTiming {
  static constexpr std::uint32_t most_cycles = 30;

  std::uint32_t router_cycles = 0;  ///< 0 .. most_cycles
  std::uint32_t link_cycles = 1;    ///< 1 .. most_cycles
  std::uint32_t credit_cycles = 0;  ///< 0 .. most_cycles; from 1 with Reallocate::tail
  Reallocate reallocate = Reallocate::empty;

  friend bool operator==(const RouterTiming&, const RouterTiming&) = default;
  /// Cycles from the head's crossing of a link to that of the next, where nobody is in the way.
  [[nodiscard]] std::uint32_t hop() const { return link_cycles + router_cycles; }
  /// What messages take longer than with routers of no time, on a way of so many channels, injection and ejection
  /// included.
  [[nodiscard]] double extra_cycles(double distance) const {
    return (distance - 2) * (link_cycles - 1) + (distance - 1) * router_cycles;
  }
  /// Cycles from when a flit is sent to a buffer until its place there can be filled, where nobody is in the way.
  [[nodiscard]] std::uint32_t round_trip() const { return hop() + credit_cycles; }
  /// Cycles in which a message of so many flits crosses a link where nobody is in the way: of each buffer's flits the
  /// first waits for the credit of the first of those before.
  /// \param flits, buffer_flits  of a message and of a channel, from 1
  [[nodiscard]] double crossing_cycles(double flits, double buffer_flits) const;
  /// Cycles for which a channel is still held after its message's last flit could have left it, with routers of no time:
  /// the tail's way through the router, and what the channel's being free takes to be known. With Reallocate::empty.
  /// \param injection  is it the channel from a node to its router?
  [[nodiscard]] std::uint32_t turnaround(bool injection) const {
    return (injection ? 1 + router_cycles : hop()) - 1 + credit_cycles;
  }
  /// ", routers of 2 cycles, ..": what differs from the usual.
  [[nodiscard]] std::string in_words() const;
};

/// \throws InvalidArgument  a field out of range
void check(const RouterTiming& timing);

}  // namespace tailbound::network
