#pragma once

#include <tailbound/numeric/rational.hpp>

#include <cstdint>
#include <functional>
#include <string>

/// Packets as observed on the link.
namespace tailbound::traffic {

struct TracePacket {
  numeric::Rational time = 0;  ///< of its first bit [ns], exactly as in the trace
  std::int64_t bytes = 0;      ///< on the link, framing included; above 0
  std::int64_t input = -1;     ///< if the trace gives it, at least 0
  /// Maximum distance of a time that the trace prints from a double; 0 for decimals [ns].
  numeric::Rational rounding = 0;
  std::int64_t link = -1;  ///< on which it was recorded: its packets arrive one after another; -1 if unknown
  numeric::Rational early = 0;  ///< its first bit arrived this much before its time (trace_order.hpp) [ns]

  [[nodiscard]] numeric::Rational arrival() const { return time - early; }
};

using TakePacket = std::function<void(const TracePacket&)>;

/// The file of a trace.
struct TraceSource {
  std::string link_type{};   ///< of a capture, as libpcap names it: EN10MB; empty for CSV
  std::int64_t framing = 0;  ///< bytes added to each packet: frame check sequence, preamble and gap
  bool cut = false;          ///< its last record is incomplete and was omitted
  [[nodiscard]] bool ethernet() const { return link_type == "EN10MB"; }
};
/// Passes on all packets in the order of the file.
using ReadTrace = std::function<TraceSource(const TakePacket&)>;

/// Of an Ethernet frame: frame check sequence 4, preamble and start delimiter 8, minimum gap 12 bytes.
constexpr std::int64_t ethernet_framing = 24;

}  // namespace tailbound::traffic
