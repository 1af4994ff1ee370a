#pragma once

#include <tailbound/numeric/rational.hpp>
#include <tailbound/traffic/token_bucket.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

/// A network of ports, and the policed flows that pass them: what guarantees are about.
///
/// All numbers are rational, in units of data and time that are the caller's: packets and slots, or bytes and
/// microseconds. In slots every packet is 1 and every rate 1.
namespace tailbound::network {

/// Who is sent next.
enum class Scheduler {
  fifo,
  priority,  ///< strict, a packet under way is finished; class 0 first
  drr,       ///< deficit round robin
  cbs,       ///< credit-based shaper of classes 0 (A) and 1 (B), the rest best effort
};
[[nodiscard]] constexpr auto names_of(Scheduler) {
  return std::array{"fifo", "priority", "drr", "cbs"};
}

/// The sending side of a link.
struct PolicedPort {
  std::string name{};        ///< "s1 -> s2"
  numeric::Rational rate{};  ///< C [data/time], above 0
  /// Of the node before it: a packet is ready to be sent at most so much after its last bit is in.
  numeric::Rational latency{};
  numeric::Rational wire{};  ///< time on the wire behind it; adds to delays, not to their variation
  Scheduler scheduler = Scheduler::fifo;
  std::vector<numeric::Rational> quanta{};  ///< drr: of each class [data]
  std::vector<numeric::Rational>
      idle_slopes{};  ///< cbs: of class 0 and, if there is one, class 1 [data/time]
  /// Not fifo, not drr: longest packet of other traffic, which is sent when no class may send; 0 for none.
  numeric::Rational best_effort{};
  /// Behind it each flow has a regulator, which gives it the curve of its source again; one that flows share does so without
  /// more delay only where all flows of the port come from sources or regulators.
  bool reshaped = false;
};

struct PolicedFlow {
  std::string name{};
  std::vector<std::size_t> path{};              ///< ports, from the source's own on; each at most once
  std::size_t traffic_class = 0;                ///< 0 is the highest
  std::vector<traffic::TokenBucket> buckets{};  ///< one or more; burst >= `longest`
  numeric::Rational longest = 1, shortest = 1;  ///< packet [data], shortest above 0
};

struct PolicedNetwork {
  std::vector<PolicedPort> ports;
  std::vector<PolicedFlow> flows;
  std::vector<std::string> classes;  ///< names, highest first; one or more
};

}  // namespace tailbound::network
