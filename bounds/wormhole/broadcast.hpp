#pragma once

#include <tailbound/network/channels/worm_ends.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

/// Unicast and broadcast latency of a wormhole hypercube with virtual channels.
///
/// MODEL     N = 2^n nodes, n injection ports each; messages of M flits come as Poisson processes of rate lg a
///           node. A fraction b are broadcasts: along a spanning binomial tree whose base dimension is
///           random, one message for each edge, sent on only when received whole. The others go to any other
///           node with equal probability, higher dimensions first. A physical channel has V virtual ones; a
///           head waits only where all are busy, as in M/G/1 with the variance (S_i - S_(i-1))^2. Virtual
///           channels share the wire: latencies are multiplied by the mean number of those busy.
///           With one ejection channel a node, that is one more stage behind the last dimension: a hop, and
///           the wait of M/D/1 for worms of other virtual channels; one injection channel is M/G/1 with the
///           batches of copies that a node sends, each for as long as sharing makes it.
/// RESULT    approximate; nothing is proved of its digits. A message that crosses one dimension in a broadcast
///           has no term for its hop: at load 0 the broadcast is n cycles short.
/// SOURCE    Shahrabi and Ould-Khaoua 2003, by its equations' numbers; docs/derivations/broadcast.md
/// EXCLUDES  start-up times of unicasts, finite queues at sources
/// TESTS     tests/bounds/wormhole/broadcast_test.cpp
namespace tailbound::bounds::wormhole {

/// How the copies that nodes send on are counted, and how links are shared.
enum class Replication {
  conserving,   ///< a broadcast crosses each of the N - 1 edges of its tree once
  literal,      ///< eqs. (11), (25) and (26) as printed: about half as many copies
  shared_wire,  ///< as conserving; another model of links and trees (bounds/wormhole/shared_wire.hpp)
};
[[nodiscard]] constexpr auto names_of(Replication) {
  return std::array{"conserving", "literal", "shared-wire"};
}

/// A hypercube and its messages; the legal sizes are those of network::modelled_hypercubes.
struct BroadcastCube {
  int dimensions = 1;                 ///< n, 1 .. 20; with n = 1 a broadcast has one receiver, and no copies
  std::int64_t virtual_channels = 2;  ///< V of each link, 2 .. 1 000 000
  double flits = 1;                   ///< M, 1 .. 10^9
  double broadcast = 0;               ///< b, from 0 to 1
  double startup = 0;                 ///< Delta of each step of a broadcast [cycles], 0 .. 10^9
  Replication replication = Replication::conserving;
  network::WormEnds ends = network::all_port;  ///< literal: this only
};

/// Messages on a channel for each message that a node generates: eqs. (7), (8), (11) over lg.
struct BroadcastRates {
  double unicast = 0, broadcast = 0, copies = 0;

  [[nodiscard]] double all() const { return unicast + broadcast + copies; }
};

/// The copies that a node sends at a time: of the batches of one broadcast, the sum of their sizes' squares. The sum of
/// their sizes is N - 1.
[[nodiscard]] double batch_squares(int dimensions);

/// \throws InvalidArgument  out of range
[[nodiscard]] BroadcastRates broadcast_rates(const BroadcastCube& cube);

/// The channels of a dimension; times in cycles.
struct BroadcastDimension {
  double service = 0;       ///< S_i: mean time for which a message holds a virtual channel
  double wait = 0;          ///< W_i: mean wait of a head that finds all virtual channels busy
  double blocking = 0;      ///< B_i = P_(V,i) W_i, mean over all heads
  double utilization = 0;   ///< r_i = l_c S_i, below 1
  double all_busy = 0;      ///< P_(V,i)
  double multiplexing = 0;  ///< V_i, mean number of busy virtual channels as seen by one of them, >= 1
};

/// A hypercube at a rate; times in cycles.
struct BroadcastPoint {
  double rate = 0;                             ///< lg, messages/cycle/node
  double unicast_latency = 0;                  ///< L_u, eq. (33); also at b = 1, of a unicast there would be
  double broadcast_latency = 0;                ///< from the start to the last receiver, eq. (1)
  double multiplexing = 0;                     ///< the mean of the dimensions', eq. (32)
  double source_wait = 0;                      ///< W_s, for an injection channel
  double source_utilization = 0;               ///< l_s S_s, below 1
  double ejection_wait = 0;                    ///< W_e, of any message for its ejection channel
  double unicast_service = 0;                  ///< S_u, eq. (27)
  double step_service = 0;                     ///< S_b of one step of a broadcast, eq. (23)
  std::vector<BroadcastDimension> dimensions;  ///< [i - 1]: of dimension i, the lowest first
};

/// Nothing where a channel of any kind would be saturated.
///
/// METHOD  Dimension by dimension: S_i = c_i + B_i(S_i), where c_i knows lower dimensions only. B_i rises and
///         is convex for V >= 2, so that its least solution is bracketed: below it the right side is greater
///         than S, and until the right side's slope is 1 it stays less. Bisection to neighbouring doubles.
/// COST    some 60 n powers; n V more steps at most for the multiplexing
/// \param rate  lg, >= 0
/// \throws InvalidArgument  the cube or the rate out of range
[[nodiscard]] std::optional<BroadcastPoint> broadcast_latency(const BroadcastCube& cube, double rate);

/// The rate from which on there is no solution [messages/cycle/node]: the lower end of a bracket whose
/// relative width is at most 1e-14, by bisection.
/// \throws InvalidArgument  the cube out of range
[[nodiscard]] double broadcast_saturation(const BroadcastCube& cube);

}  // namespace tailbound::bounds::wormhole
