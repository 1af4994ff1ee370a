#pragma once

#include <array>

/// How messages enter a network of worms at their source, and leave it at their destination.
namespace tailbound::network {

/// The injection channels of a node. Each is held by one worm at a time and takes a flit a cycle.
enum class Injection {
  one,    ///< for all messages that the node sends
  ports,  ///< one for each link that leaves it; a message takes any of them with equal probability
};
[[nodiscard]] constexpr auto names_of(Injection) {
  return std::array{"one", "ports"};
}

/// What stands behind the last link of a worm.
enum class Ejection {
  one,        ///< a channel for all messages to the node, held by one worm at a time, a flit a cycle
  unlimited,  ///< nothing: what crosses the last link has arrived, on all links and virtual channels at once
};
[[nodiscard]] constexpr auto names_of(Ejection) {
  return std::array{"one", "unlimited"};
}

struct WormEnds {
  Injection injection = Injection::one;
  Ejection ejection = Ejection::one;

  friend bool operator==(const WormEnds&, const WormEnds&) = default;
};

/// A node that sends and receives on all of its links at once.
inline constexpr WormEnds all_port{.injection = Injection::ports, .ejection = Ejection::unlimited};

}  // namespace tailbound::network
