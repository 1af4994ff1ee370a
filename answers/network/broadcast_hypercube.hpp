#pragma once

#include <tailbound/network/channels/worm_ends.hpp>
#include <tailbound/network/hypercube.hpp>
#include <tailbound/numeric/rational.hpp>

#include <cstdint>

namespace tailbound::answers {

/// A hypercube and its messages. Legal sizes: network::modelled_hypercubes; for simulation
/// network::simulated_hypercubes.
struct BroadcastHypercube {
  int dimensions = 1;                 ///< n, 1 .. 20; simulated 1 .. 16
  std::int64_t virtual_channels = 2;  ///< V of each link, 2 .. 1 000 000; simulated 2 .. 64
  std::int64_t flits = 1;             ///< M of a message, 1 .. 10^9; simulated 1 .. 10^6
  numeric::Rational broadcast = 0;    ///< b, the fraction of messages that are broadcasts, 0 .. 1
  numeric::Rational startup = 1;      ///< Delta of each step of a broadcast [cycles], 0 .. 10^9
  /// How messages enter and leave the network (default: as published).
  network::WormEnds ends = network::all_port;

  [[nodiscard]] std::int64_t nodes() const { return std::int64_t{1} << dimensions; }
};

}  // namespace tailbound::answers
