#pragma once

#include <tailbound/numeric/rational.hpp>
#include <tailbound/traffic/token_bucket.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/// A network of ports and the policed flows that pass them: the subject of guarantees.
///
/// All numbers are rational, in units of data and time chosen by the caller: packets and slots, or bytes and
/// microseconds. In slots every packet is 1 and every rate 1.
namespace tailbound::network {

/// Which packet is sent next.
enum class Scheduler {
  fifo,
  priority,  ///< strict, non-preemptive; class 0 first
  drr,       ///< deficit round robin
  cbs,       ///< credit-based shaper of classes 0 (A) and 1 (B), the rest best effort
};
[[nodiscard]] constexpr auto names_of(Scheduler) {
  return std::array{"fifo", "priority", "drr", "cbs"};
}

/// When a packet may begin before its gate closes.
enum class Guard {
  fit,     ///< if it ends before
  fixed,   ///< if a packet of the class's longest permitted length (`max_sdu`) would end before
  overrun  ///< always
};
[[nodiscard]] constexpr auto names_of(Guard) {
  return std::array{"fit", "static", "overrun"};
}

/// An entry of a gate list (802.1Qbv).
struct GateEntry {
  numeric::Rational time{};  ///< how long it lasts, above 0
  std::vector<bool> open{};  ///< [class]
};

/// The sending end of a link.
struct PolicedPort {
  static constexpr std::size_t max_gates = 4096;
  std::string name{};        ///< "s1 -> s2"
  numeric::Rational rate{};  ///< C [data/time], above 0
  /// Of the node before the port: a packet is ready for sending at most this long after its last bit has
  /// arrived.
  numeric::Rational latency{};
  numeric::Rational wire{};  ///< propagation time of the link; adds to delays, not to their variation
  Scheduler scheduler = Scheduler::fifo;
  std::vector<numeric::Rational> quanta{};  ///< drr: per class [data]
  std::vector<numeric::Rational>
      idle_slopes{};  ///< cbs: of class 0 and, if there is one, class 1 [data/time]
  /// priority, cbs: longest packet of other traffic, sent when no class may send; 0 for none.
  numeric::Rational best_effort{};
  /// priority: the gate list, repeated without end; empty: always open.
  std::vector<GateEntry> gates{};
  /// Of the gates: a cycle begins at `gate_offset` of its time; empty: their phase is unknown to the sources.
  std::string clock{};
  numeric::Rational gate_offset{};  ///< with a clock only
  numeric::Rational clock_error{};  ///< the gates are early or late by at most this [time]
  Guard guard = Guard::fit;
  std::vector<numeric::Rational> max_sdu{};  ///< Guard::fixed: longest permitted packet of each class [data]
  /// priority: [class] can its packets be interrupted (802.1Qbu, 802.3br) by those of other classes? The
  /// lowest classes; empty: none. `best_effort` is preemptable if any class is.
  std::vector<bool> preemptable{};
  int fragment = 64;  ///< smallest fragment [bytes]: 64, 128, 192 or 256
  /// A packet may be sent as soon as this much of it has arrived [data]; none: all of it.
  std::optional<numeric::Rational> cut_through{};
  /// After the port each flow has a regulator that restores its source curve. A regulator shared by flows
  /// does so without additional delay only if all flows of the port come from sources or regulators.
  bool reshaped = false;
};

/// Packets of one length that a clock causes.
struct PeriodicSource {
  numeric::Rational period{};  ///< T, above 0
  numeric::Rational
      jitter{};  ///< J: packet n is sent in [offset + n T, offset + n T + J] of the clock's time
  std::optional<numeric::Rational> offset{};  ///< with a clock only
  std::string clock{};  ///< flows of one clock have a common unknown phase; empty: a phase of its own
};

struct PolicedDestination {
  std::string name{};   ///< of the node
  std::size_t hop = 0;  ///< position in the path of the port that leads to it
};

struct PolicedFlow {
  std::string name{};
  /// Ports, from the source's own on, each at most once; with several destinations a tree, a port after the
  /// one before it.
  std::vector<std::size_t> path{};
  /// Position in `path` of the port before each one; the first is not used. Empty: each follows the one
  /// listed before it.
  std::vector<std::size_t> before{};
  std::vector<PolicedDestination> destinations{};  ///< empty: one, at the end of the path
  std::size_t traffic_class = 0;                   ///< 0 is the highest
  std::vector<traffic::TokenBucket> buckets{};     ///< one or more; burst >= `longest`
  numeric::Rational longest = 1, shortest = 1;     ///< packet size [data], shortest above 0
  std::optional<PeriodicSource> periodic{};        ///< its bucket is (l/T, l (1 + J/T))

  /// Position in the path of the port before `hop`, which is not 0.
  [[nodiscard]] std::size_t hop_before(std::size_t hop) const {
    return before.empty() ? hop - 1 : before[hop];
  }
  /// Positions in the path of the ports that a packet passes, from the first one to that of `hop`.
  [[nodiscard]] std::vector<std::size_t> route_to(std::size_t hop) const;
  /// To each destination.
  [[nodiscard]] std::vector<std::vector<std::size_t>> routes() const;
};

struct PolicedNetwork {
  std::vector<PolicedPort> ports;
  std::vector<PolicedFlow> flows;
  std::vector<std::string> classes;  ///< names, highest first; one or more
  /// A byte in units of data; 0 with packets.
  numeric::Rational byte{};
};

}  // namespace tailbound::network
