#pragma once

#include <tailbound/bounds/wormhole/broadcast.hpp>

#include <optional>
#include <vector>

/// The latencies of bounds/wormhole/broadcast.hpp by a model of what simulation shows: worms share wires.
///
/// MODEL     A worm is slowed by those that it meets: each takes an equal part of the wire. On one link these
///           are as many as in a queue with processor sharing, of which V are served at a time; along a way,
///           those that stay with the worm count once. Of the copies of broadcasts a link has one at a time,
///           as all of them come through one port. Where all V channels are taken, a head waits as in
///           M/G/V; then the worm holds what is behind it for longer. A port is M/G/1. A broadcast ends with
///           the last of its tree, whose steps are taken to be independent. An ejection channel is M/G/1, and
///           worms that wait for it do not share wires with those that they wait for. At one injection
///           channel the copies that a node sends are a batch, one after the other.
/// RESULT    approximate; nothing is proved of its digits. Measured against simulation in
///           docs/derivations/broadcast.md.
/// SOURCE    docs/derivations/broadcast.md, "Wires that worms share", by its equations' numbers
/// EXCLUDES  buffers of more than one flit
/// TESTS     tests/bounds/wormhole/shared_wire_test.cpp, tests/validation/broadcast_test.cpp
/// Internal to the bounds module.
namespace tailbound::bounds::wormhole {

/// Streams of unicasts that one over d links meets, in those of a link: [d], d = 0 .. n. Eq. (S1); those of one
/// injection channel do not meet, and those to one ejection channel are left out: (S9), (S10).
/// \param dimensions  n, 1 .. 20
[[nodiscard]] std::vector<double> streams_met(int dimensions, network::WormEnds ends = network::all_port);

/// A step of a broadcast: W + E + base; the injection channel is free with probability 1 - busy, otherwise W is
/// exponential.
struct BroadcastStep {
  double base = 1;               ///< cycles, above 0
  double startup = 0, hops = 0;  ///< of these, before and behind the time at the injection channel
  double wait = 0, busy = 0;     ///< mean of W [cycles], and P(W > 0)
  double extra = 0, spread = 0;  ///< mean [cycles] and variance of E, which has a gamma distribution
};

/// Mean time until the last node of a tree over n dimensions has the message [cycles]. Eq. (S8), (S12).
///
/// METHOD  By ports T_0 = 0, T_(r+1) = max(T_r, step + T_r') with independent parts. By one injection channel, with X
///         the step without startup, W and hops, T_r = startup + W + U_r, U_0 = 0, U_(r+1) = X + max(U_r, hops + T_r').
///         On a grid of 24 points a mean step, which leaves an error of some 0.1 %, or 0.3 % by one injection channel.
/// \param dimensions  1 .. 20
[[nodiscard]] double tree_time(int dimensions, const BroadcastStep& step,
                               network::Injection injection = network::Injection::ports);

/// As broadcast_latency() and broadcast_saturation() for Replication::shared_wire, whose inputs they have
/// checked. Of a dimension, `utilization` is flits a cycle, `service` the mean time for which a worm holds a
/// virtual channel, `multiplexing` 1 and those met on one link; all dimensions are alike.
[[nodiscard]] std::optional<BroadcastPoint> shared_wire_latency(const BroadcastCube& cube, double rate);
[[nodiscard]] bool shared_wire_carries(const BroadcastCube& cube, double rate);

}  // namespace tailbound::bounds::wormhole
