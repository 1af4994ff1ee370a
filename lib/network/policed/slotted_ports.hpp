#pragma once

#include <tailbound/network/policed/policed_network.hpp>

#include <vector>

/// Policed networks in slots: packets of one size, every port sends one a slot.
///
/// TESTS     tests/bounds/guarantee/slotted_guarantee_test.cpp, tests/sim/policed_replication_test.cpp
namespace tailbound::network {

/// \param schedulers  those that may be
/// \throws InvalidArgument  a rate, latency, wire, scheduler, packet size or regulator that slots do not have; a path that is
///                          empty, names no port or one twice; a class that there is not
void require_slotted(const PolicedNetwork& network, const std::vector<Scheduler>& schedulers);

}  // namespace tailbound::network
