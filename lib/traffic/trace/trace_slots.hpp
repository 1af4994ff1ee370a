#pragma once

#include <tailbound/traffic/trace/trace_packet.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

/// The cells of a trace, slot by slot.
///
/// MODEL     A slot is the time of a cell on the output's link. Packets fill cells without gaps: those that
///           have arrived with b bytes together are ceil(b / cell) cells, so that the load does not depend on
///           the cell, and a queue in bytes only by about a cell. The cells of a packet come all in the slot
///           in which its first bit arrives (`whole`), or one per slot from then on (`cells`), after those
///           that its input is still sending. Times, slots and their quotients are exact rationals. A
///           printed double (TracePacket::rounding) that is within its rounding below the beginning of a slot
///           counts as the beginning; at most 1/1024 of a slot.
/// TESTS     tests/traffic/trace_test.cpp
namespace tailbound::traffic {

enum class TraceArrival { whole, cells };
[[nodiscard]] constexpr auto names_of(TraceArrival) {
  return std::array{"whole", "cells"};
}

struct TraceSlotting {
  numeric::Rational slot_ns = 0;  ///< above 0
  std::int64_t cell_bytes = 64;
  TraceArrival arrival = TraceArrival::whole;
};

/// Statistics of the time stamps.
struct TraceStamps {
  std::uint64_t packets = 0, bytes = 0;
  std::set<std::int64_t> inputs{};        ///< those that the trace names, 4096 at most
  numeric::Rational first = 0, last = 0;  ///< [ns]
  /// All times differ by multiples of this [ns], up to their rounding; 0 where they are all the same.
  numeric::Rational resolution = 0;
};

class TraceSlots {
 public:
  /// \param take  receives a slot and its number of cells: in order, each once, empty slots omitted
  TraceSlots(const TraceSlotting& slotting, std::function<void(std::int64_t slot, std::int64_t cells)> take);

  /// \param packet  in the order of arrival
  /// \throws ParseError  it arrives 2^60 slots after the first one; gives the packet's number
  void packet(const TracePacket& packet, const std::string& name);
  void finish();

  [[nodiscard]] const TraceStamps& stamps() const { return stamps_; }
  /// Bytes that a packet found waiting in a queue with the output's link, and with its own; maxima.
  [[nodiscard]] double max_wait() const { return max_wait_; }
  [[nodiscard]] double max_backlog() const { return max_backlog_; }
  /// Slots up to the last one with a cell.
  [[nodiscard]] std::int64_t slots() const { return last_slot_ + 1; }

 private:
  void pass(std::int64_t slot);
  [[nodiscard]] std::int64_t slot_of(const TracePacket& packet, const std::string& name) const;
  void note_resolution(const TracePacket& packet);
  void add_to_backlog(const TracePacket& packet);
  [[nodiscard]] numeric::Rational rounding_of(const TracePacket& packet) const;

  TraceSlotting slotting_;
  std::function<void(std::int64_t, std::int64_t)> take_;
  TraceStamps stamps_;
  std::map<std::int64_t, std::int64_t> coming_;      ///< cells of slots that are not yet complete
  std::map<std::int64_t, std::int64_t> busy_until_;  ///< for `cells`: per input
  std::int64_t last_slot_ = -1;
  std::int64_t unfilled_ = 0;  ///< bytes left in the last cell
  numeric::Rational origin_ = 0, last_arrival_ = 0;
  double bytes_per_ns_ = 0, backlog_ = 0, max_wait_ = 0, max_backlog_ = 0;
};

}  // namespace tailbound::traffic
