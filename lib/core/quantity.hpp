#pragma once

#include <compare>
#include <cstdint>

/// Counts with their unit as a type: a number of packets does not convert to a number of slots.
namespace tailbound {

/// A count of `Unit`. Explicit conversions; same-unit arithmetic only.
template <class Unit>
struct Count {
  std::int64_t value = 0;

  constexpr Count() = default;
  constexpr explicit Count(std::int64_t count) : value(count) {}

  friend constexpr auto operator<=>(Count, Count) = default;
  friend constexpr Count operator+(Count a, Count b) { return Count(a.value + b.value); }
  friend constexpr Count operator-(Count a, Count b) { return Count(a.value - b.value); }
};

/// Units: tag types, never instantiated.
namespace unit {
struct Packet;
struct Slot;
struct Byte;
struct Probability;     ///< dimensionless, 0 to 1
struct PerPacket;       ///< 1/packet: the decay rate of a tail
struct Load;            ///< packets/slot
struct Ratio;           ///< dimensionless, >= 0
struct PacketsSquared;  ///< a variance of a number of packets
struct SlotsSquared;
struct Cycle;  ///< of a wormhole network's clock
struct Flit;
struct Channel;           ///< hops between routers, injection and ejection included
struct FlitsPerCycle;     ///< flits/cycle/node
struct MessagesPerCycle;  ///< messages/cycle/node
struct Request;           ///< from a processor to a memory, through a multistage network
struct RequestsPerSlot;   ///< requests/slot/processor; a slot is a service time
struct Time;              ///< in the unit of the query
}  // namespace unit

using Packets = Count<unit::Packet>;
using Slots = Count<unit::Slot>;

}  // namespace tailbound
