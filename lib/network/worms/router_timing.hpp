#pragma once

#include <array>
#include <cstdint>
#include <string>

/// Delays of a router, a link and the credits between two routers.
///
/// MODEL     A flit that crosses a link in cycle t can cross the next one in cycle t + link + router at the
///           earliest; over an injection channel in t + 1 + router; over an ejection channel it has left the
///           network in t + 1. The buffer slot that a flit leaves in cycle t can be filled from cycle t +
///           credit on: a virtual channel of B flits passes at most B flits in link + router + credit cycles.
/// SOURCE    Dally and Towles 2004, chapters 13, 16 and 17
/// EXCLUDES  conflicts within a router: each virtual channel has its own path to each physical channel
/// TESTS     tests/sim/router_timing_test.cpp
namespace tailbound::network {

/// When a virtual channel may be allocated to the next message.
enum class Reallocate {
  empty,  ///< once the upstream router knows that the tail has left its buffer
  /// once the tail has crossed its link: a buffer may hold flits of several messages, in FIFO order
  tail,
};
[[nodiscard]] constexpr auto names_of(Reallocate) {
  return std::array{"empty", "tail"};
}

struct RouterTiming {
  static constexpr std::uint32_t max_cycles = 30;

  std::uint32_t router_cycles = 0;  ///< 0 .. max_cycles
  std::uint32_t link_cycles = 1;    ///< 1 .. max_cycles
  std::uint32_t credit_cycles = 0;  ///< 0 .. max_cycles; from 1 with Reallocate::tail
  Reallocate reallocate = Reallocate::empty;

  friend bool operator==(const RouterTiming&, const RouterTiming&) = default;
  /// Cycles from the head's crossing of a link to that of the next, without contention.
  [[nodiscard]] std::uint32_t hop() const { return link_cycles + router_cycles; }
  /// Additional latency of messages compared with zero-delay routers, on a path of this many channels,
  /// injection and ejection included.
  [[nodiscard]] double extra_cycles(double distance) const {
    return (distance - 2) * (link_cycles - 1) + (distance - 1) * router_cycles;
  }
  /// Cycles from sending a flit to a buffer until its buffer slot can be filled again, without contention.
  [[nodiscard]] std::uint32_t round_trip() const { return hop() + credit_cycles; }
  /// Cycles in which a message of this many flits crosses a link without contention: of every bufferful of
  /// flits, the first waits for the credit of the first one of the bufferful before.
  /// \param flits, buffer_flits  of a message and of a channel, from 1
  [[nodiscard]] double crossing_cycles(double flits, double buffer_flits) const;
  /// Cycles for which a channel remains occupied after its message's last flit could have left it with
  /// zero-delay routers: the tail's time through the router, and the time until the release of the channel is
  /// known. With Reallocate::empty.
  /// \param injection  is it the channel from a node to its router?
  [[nodiscard]] std::uint32_t turnaround(bool injection) const {
    return (injection ? 1 + router_cycles : hop()) - 1 + credit_cycles;
  }
  /// ", routers of 2 cycles, ..": the differences from the defaults.
  [[nodiscard]] std::string in_words() const;
};

/// \throws InvalidArgument  a field out of range
void check(const RouterTiming& timing);

}  // namespace tailbound::network
