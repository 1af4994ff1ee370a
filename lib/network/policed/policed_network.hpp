#pragma once

#include <tailbound/numeric/rational.hpp>
#include <tailbound/traffic/token_bucket.hpp>

#include <array>
#include <cstddef>
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

/// The sending end of a link.
struct PolicedPort {
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
  /// Not for fifo and drr: longest packet of other traffic, sent when no class may send; 0 for none.
  numeric::Rational best_effort{};
  /// After the port each flow has a regulator that restores its source curve. A regulator shared by flows
  /// does so without additional delay only if all flows of the port come from sources or regulators.
  bool reshaped = false;
};

struct PolicedFlow {
  std::string name{};
  std::vector<std::size_t> path{};              ///< ports, from the source's own on; each at most once
  std::size_t traffic_class = 0;                ///< 0 is the highest
  std::vector<traffic::TokenBucket> buckets{};  ///< one or more; burst >= `longest`
  numeric::Rational longest = 1, shortest = 1;  ///< packet size [data], shortest above 0
};

struct PolicedNetwork {
  std::vector<PolicedPort> ports;
  std::vector<PolicedFlow> flows;
  std::vector<std::string> classes;  ///< names, highest first; one or more
};

}  // namespace tailbound::network
