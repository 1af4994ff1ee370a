#pragma once

#include <tailbound/core/error.hpp>

#include <array>

/// How messages enter a wormhole network at their source and leave it at their destination.
namespace tailbound::network {

/// The injection channels of a node. Each is occupied by one message at a time and carries one flit per
/// cycle.
enum class Injection {
  one,       ///< for all messages that the node sends
  ports,     ///< one for each link that leaves it; a message takes any of them with equal probability
  channels,  ///< as many virtual channels on one physical channel as a link has
};
[[nodiscard]] constexpr auto names_of(Injection) {
  return std::array{"one", "ports", "channels"};
}

/// What follows the last link of a message.
enum class Ejection {
  one,        ///< one channel for all messages to the node: one message at a time, one flit per cycle
  unlimited,  ///< nothing: what crosses the last link has arrived, on all links and virtual channels at once
  channels,   ///< as many virtual channels on one physical channel as a link has
};
[[nodiscard]] constexpr auto names_of(Ejection) {
  return std::array{"one", "unlimited", "channels"};
}

/// Nodes at a router.
inline constexpr int max_concentration = 64;

struct WormEnds {
  Injection injection = Injection::one;
  Ejection ejection = Ejection::one;

  friend bool operator==(const WormEnds&, const WormEnds&) = default;
  /// Does a node have virtual channels at either end?
  [[nodiscard]] bool by_channels() const {
    return injection == Injection::channels || ejection == Ejection::channels;
  }
};

/// For a hypercube with broadcasts.  \throws InvalidArgument  ends with virtual channels, which it does not
/// support
inline void check_without_channels(const WormEnds& ends) {
  if (ends.injection == Injection::channels)
    throw InvalidArgument("injection", "channels", "one or ports for broadcasts");
  if (ends.ejection == Ejection::channels)
    throw InvalidArgument("ejection", "channels", "one or unlimited for broadcasts");
}

/// A node that sends and receives on all of its links at once.
inline constexpr WormEnds all_port{.injection = Injection::ports, .ejection = Ejection::unlimited};

}  // namespace tailbound::network
