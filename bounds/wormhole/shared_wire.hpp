#pragma once

#include <tailbound/bounds/wormhole/broadcast.hpp>

#include <optional>
#include <vector>

/// The latencies of bounds/wormhole/broadcast.hpp by a model of shared physical channels, as observed in
/// simulation.
///
/// MODEL     A message is slowed by those that it meets: each gets an equal part of the physical channel.
///           Their number on one link is that of a processor-sharing queue that serves V at a time; along a
///           path, those that stay with the message count once. A link has only one broadcast copy at a time,
///           as all copies come through one port. Where all V channels are taken, a head waits as in M/G/V;
///           its message then occupies the channels behind it for longer. A port is M/G/1. A broadcast ends
///           with the last message of its tree, whose steps are assumed independent. An ejection channel is
///           M/G/1, and messages that wait for it do not share links with those that they wait for. At one
///           injection channel the copies that a node sends are a batch, one after the other.
/// RESULT    approximate, not proved. Compared with simulation in docs/derivations/broadcast.md.
/// SOURCE    docs/derivations/broadcast.md, "Wires that worms share"; comments cite its equation numbers
/// EXCLUDES  buffers of more than one flit
/// TESTS     tests/bounds/wormhole/shared_wire_test.cpp, tests/validation/broadcast_test.cpp
/// Internal to the bounds module.
namespace tailbound::bounds::wormhole {

/// Streams of unicasts met by one over d links, in units of a link's streams: [d], d = 0 .. n. Eq. (S1);
/// those of one injection channel do not meet, and those to one ejection channel are excluded: (S9), (S10).
/// \param dimensions  n, 1 .. 20
[[nodiscard]] std::vector<double> streams_met(int dimensions, network::WormEnds ends = network::all_port);

/// A step of a broadcast: W + E + base; the injection channel is free with probability 1 - busy, otherwise W
/// is exponential.
struct BroadcastStep {
  double base = 1;               ///< cycles, above 0
  double startup = 0, hops = 0;  ///< of these, before and after the time at the injection channel
  double wait = 0, busy = 0;     ///< mean of W [cycles], and P(W > 0)
  double extra = 0, spread = 0;  ///< mean [cycles] and variance of E, which has a gamma distribution
};

/// Mean time until the last node of a tree over n dimensions has received the message [cycles]. Eq. (S8),
/// (S12).
///
/// METHOD  By ports T_0 = 0, T_(r+1) = max(T_r, step + T_r') with independent parts. By one injection
///         channel, with X the step without startup, W and hops, T_r = startup + W + U_r, U_0 = 0, U_(r+1) =
///         X + max(U_r, hops + T_r'). On a grid of 24 points per mean step, with an error of some 0.1 %, or
///         0.3 % with one injection channel.
/// \param dimensions  1 .. 20
[[nodiscard]] double tree_time(int dimensions, const BroadcastStep& step,
                               network::Injection injection = network::Injection::ports);

/// As broadcast_latency() and broadcast_saturation() for Replication::shared_wire, whose inputs they have
/// checked. Per dimension, `utilization` is flits per cycle, `service` the mean time for which a message
/// occupies a virtual channel, `multiplexing` 1 plus those met on one link; all dimensions are identical.
[[nodiscard]] std::optional<BroadcastPoint> shared_wire_latency(const BroadcastCube& cube, double rate);
[[nodiscard]] bool shared_wire_carries(const BroadcastCube& cube, double rate);
/// As broadcast_fullness().
[[nodiscard]] double shared_wire_fullness(const BroadcastCube& cube, double rate);

}  // namespace tailbound::bounds::wormhole
