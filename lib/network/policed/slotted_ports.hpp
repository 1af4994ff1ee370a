#pragma once

#include <tailbound/network/policed/policed_network.hpp>

#include <vector>

/// Policed networks in slots: packets of one size, every port sends one per slot.
///
/// TESTS     tests/bounds/guarantee/slotted_guarantee_test.cpp, tests/sim/policed_replication_test.cpp
namespace tailbound::network {

/// \param schedulers  the permitted ones
/// \throws InvalidArgument  a rate, latency, wire, scheduler, packet size or regulator that is not possible
///                          in slots; a path that is empty, names a missing port or repeats one; an unknown
///                          class
void require_slotted(const PolicedNetwork& network, const std::vector<Scheduler>& schedulers);

}  // namespace tailbound::network
