#pragma once

#include <tailbound/sim/fabric/fabric_replication.hpp>

#include <memory>

/// Simulation of a fabric whose links differ in speed, each link by its own clock.
///
/// MODEL     as sim/network/clocked_replication.hpp, of one class and without bursts. A node with several
///           links sends by the clock of the fastest one, at most one packet in each of its packet times.
/// METHOD    events in buckets, one for each tick or a few; those of a tick in random order. The begin of a
///           packet's transmission is known when it arrives at a queue, and so is its arrival at the next
///           switch. The phase of a sender is drawn anew with its first packet after every 512th slot.
///           Traffic and routes as in sim/fabric/fabric_replication.hpp. With the simulation of listed flows
///           it shares queues and the bins of waits, not events, traffic or routes.
/// RESULT    waits and delays of every packet, in WaitBins; occupancies over time, in ticks.
/// COST      some 70 ns per packet and hop; 200 ns with 65 536 hosts.
/// TESTS     tests/sim/clocked_fabric_test.cpp
/// Internal to the sim module: make_fabric_replication() selects it.
namespace tailbound::sim {

/// One slot of advance() is a packet time of the slowest used link.  \pre used links differ in speed
[[nodiscard]] std::unique_ptr<FabricReplication> make_clocked_fabric_replication(const FabricModel& model,
                                                                                 RandomKey key);

}  // namespace tailbound::sim
