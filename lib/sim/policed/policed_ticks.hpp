#pragma once

#include <tailbound/network/policed/policed_network.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

/// A network of policed flows in whole numbers: lengths in a common unit of data, times in a common tick.
///
/// MODEL     Every packet is a whole number of units. A tick divides the time in which each port sends a
///           unit, and in which each bucket and each idle slope earns one, as well as all latencies and
///           propagation delays: every event of a simulation is at a whole tick.
/// CONTRACT  exact: no rounding can make a simulated delay longer than it is.
/// TESTS     tests/sim/policed_events_test.cpp
/// Internal to the sim module.
namespace tailbound::sim {

using Ticks = std::int64_t;
using DataUnits = std::int64_t;
constexpr Ticks latest_tick = Ticks{1} << 62;  ///< of any event

struct TickedBucket {
  Ticks per_unit;  ///< time in which it earns a unit
  Ticks depth;     ///< time in which it fills from empty
};

constexpr std::uint32_t no_hop = ~std::uint32_t{0};

/// A port on the tree of a flow's routes.
struct TickedHop {
  std::size_t port, queue;
  std::uint32_t before = no_hop;             ///< no_hop: the source
  std::uint32_t next = no_hop;               ///< the first of the hops behind it that store packets
  std::uint32_t ahead = no_hop;              ///< the first of those that cut through
  std::uint32_t sibling = no_hop;            ///< another hop of the same kind behind the same one
  DataUnits header = 0;                      ///< cut-through: a packet has arrived with so much of it
  std::optional<std::size_t> destination{};  ///< at the end of its link: position among those of all flows
};

/// Packet n is due at `offset` + n `period` of its clock, for any whole n, and sent at most `jitter` later.
struct TickedPeriod {
  Ticks period, jitter, offset;
  std::optional<std::size_t> clock{};  ///< none: due at any times
};

struct TickedFlow {
  std::vector<TickedHop> hops{};
  std::size_t first_destination = 0, destinations = 1;  ///< one after the other
  std::size_t traffic_class = 0;
  DataUnits longest = 1, shortest = 1;
  DataUnits uncut = 1;  ///< the longest packet that is nowhere cut, or else the shortest
  std::vector<TickedBucket> buckets{};
  std::optional<TickedPeriod> periodic{};
  /// Packets that empty the smallest of its buckets at once, to the last unit if possible; one or more.
  std::vector<DataUnits> full_burst{};
};

/// When a gate is open, in a cycle that repeats without end.
struct TickedGate {
  struct Window {
    Ticks opens, closes;  ///< opens within the cycle; may close after its end
  };
  /// In order, none touches another; empty: always open, or never.
  std::vector<Window> windows{};
  bool always = true;
  Ticks reserved = 0;  ///< Guard::fixed: a packet may begin if so much is left

  /// Time until it closes; 0 if it is closed.  \param position  in the cycle
  [[nodiscard]] Ticks left(Ticks position, Ticks cycle) const;
  /// Time until it opens, above 0.
  [[nodiscard]] Ticks to_opening(Ticks position, Ticks cycle) const;
};

/// Of a frame that is cut, in bytes: before each fragment, after it, and the minimum of the last one.
constexpr long preamble_bytes = 8, cut_check_bytes = 4, gap_bytes = 12, last_fragment_bytes = 64;

struct TickedPort {
  Ticks per_unit = 1;  ///< time in which a unit is sent
  Ticks latency = 0, wire = 0;
  network::Scheduler scheduler = network::Scheduler::fifo;
  std::vector<DataUnits> quanta{};
  std::vector<Ticks> slopes{};  ///< ticks in which a class's idle slope earns a unit
  DataUnits best_effort = 0;
  bool reshaped = false;
  bool ahead = false;                      ///< is there a port with cut-through behind it?
  Ticks cycle = 0;                         ///< of its gates; 0: none
  std::vector<TickedGate> gates{};         ///< [class]
  std::optional<std::size_t> clock{};      ///< of its gates; none: their phase is free
  Ticks gate_offset = 0, clock_error = 0;  ///< a cycle begins then, at most so much earlier or later
  network::Guard guard = network::Guard::fit;
  Ticks byte = 0;                           ///< preemption: time in which a byte is sent; 0: none
  Ticks whole = 0;                          ///< so much of a frame is sent at least before it is cut
  std::size_t first_queue = 0, queues = 0;  ///< one after the other, higher classes first
  std::size_t first_preemptable = 0;        ///< queue; those from it on
};

/// Time in which the longest packet is sent that cannot be cut.
[[nodiscard]] Ticks longest_uncut(const TickedPort& port);

struct TickedQueue {
  std::size_t port;
  std::optional<std::size_t> traffic_class;  ///< none: the queue of all classes
  bool regulated = true;                     ///< do all flows arrive directly from sources or regulators?
};

struct TickedNetwork {
  numeric::Rational unit, tick;  ///< [data], [time]
  std::vector<TickedPort> ports{};
  std::vector<TickedFlow> flows{};
  /// on the paths of flows, by port, then class: as bounds::NetworkGuarantee
  std::vector<TickedQueue> queues{};
  std::size_t classes = 1;
  std::size_t destinations = 0;  ///< of all flows
  std::vector<Ticks> clocks{};   ///< time after which all its flows and gates repeat, or a limit
};

/// \throws InvalidArgument  a network that is not well-formed
/// \throws LimitExceeded    no common tick that fits in 62 bits
[[nodiscard]] TickedNetwork ticked(const network::PolicedNetwork& network);

}  // namespace tailbound::sim
