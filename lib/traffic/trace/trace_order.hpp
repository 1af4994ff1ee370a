#pragma once

#include <tailbound/traffic/trace/trace_packet.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

/// The packets of a trace in the order in which they arrived.
///
/// MODEL     Files are slightly disordered where several queues of a network card, or several interfaces,
///           write them: up to `window` packets are held to sort them by time. A link delivers its packets
///           one after another, so those of one time on one link have not arrived together: a card with
///           interrupt coalescing reads the clock once, after the last of them, and a coarse clock does not
///           distinguish them. The last one arrives at the time, those before it one transmission time
///           apart, but not before the previous time of the link: where that is too little, they divide it
///           in proportion to their bytes.
/// SOURCE    docs/derivations/traces.md
/// TESTS     tests/traffic/trace_test.cpp
namespace tailbound::traffic {

/// Sorts by time. Packets with equal times keep their order.
class TraceOrder {
 public:
  static constexpr std::size_t usual_window = 1 << 18;
  explicit TraceOrder(TakePacket take, std::size_t window = usual_window);

  /// \param name  of the file, for messages
  /// \throws ParseError  its time is before that of a packet that was passed on; gives the packet's number
  void packet(const TracePacket& packet, const std::string& name);
  void finish();

  [[nodiscard]] std::size_t packets() const { return packets_; }
  /// Packets whose time was before that of an earlier one.
  [[nodiscard]] std::size_t late() const { return late_; }
  [[nodiscard]] const numeric::Rational& max_lateness() const { return max_lateness_; }  ///< [ns]
  /// Number of packets of each size, until the first packet was passed on.
  [[nodiscard]] const std::map<std::int64_t, std::int64_t>& sizes() const { return sizes_; }
  /// The size of three quarters of these packets, or their mean size, rounded up.
  [[nodiscard]] std::int64_t usual_size() const;

 private:
  void pass_first();

  TakePacket take_;
  std::size_t window_, packets_ = 0, late_ = 0;
  std::multimap<numeric::Rational, TracePacket> held_;
  std::map<std::int64_t, std::int64_t> sizes_;
  numeric::Rational latest_ = 0, passed_ = 0, max_lateness_ = 0;
  bool passing_ = false;
};

/// Spaces packets of one time on one link, by TracePacket::early.
class TraceSpacing {
 public:
  /// \param gbps  rate of the links of the trace, above 0
  TraceSpacing(numeric::Rational gbps, TakePacket take, std::size_t window = TraceOrder::usual_window);

  /// \param packet  in the order of time
  /// \throws NoAnswer  more packets than the window have the same time
  void packet(const TracePacket& packet);
  void finish();

  [[nodiscard]] std::size_t times() const { return times_; }      ///< different ones
  [[nodiscard]] std::size_t spaced() const { return spaced_; }    ///< packets that were moved
  [[nodiscard]] std::size_t largest() const { return largest_; }  ///< maximum packets of one link and time
  /// Packets of known links per time of a link; 0 if there are none.
  [[nodiscard]] double packets_per_time() const;

 private:
  void pass_time();
  void space(std::vector<TracePacket>& of_link);
  void pass(bool all);

  numeric::Rational gbps_;
  TakePacket take_;
  std::size_t window_, times_ = 0, spaced_ = 0, largest_ = 0, of_links_ = 0, times_of_links_ = 0;
  std::map<std::int64_t, std::vector<TracePacket>> same_{};  ///< of the present time, for each link
  std::size_t waiting_ = 0;                                  ///< packets of the present time
  std::map<std::int64_t, numeric::Rational> previous_{};     ///< the last time of each link
  std::multimap<numeric::Rational, TracePacket> arranged_{};
  numeric::Rational time_ = 0, passed_ = 0;
};

}  // namespace tailbound::traffic
