#pragma once

#include <tailbound/network/network.hpp>

/// Classes of virtual channels that keep the messages of a wormhole network from deadlock.
///
/// MODEL     A message that holds one link and waits for the next makes the second depend on the first.
///           Routes can deadlock only if these dependencies have a cycle. A message begins in class 0 and
///           goes to the next class on each turn that closes a cycle: a dateline. It begins in class 0 again
///           where no cycle leads back. If that needs fewer classes, each link between two groups of switches
///           is a dateline, or each link. The dependencies of (link, class) then have no cycle.
/// SOURCE    Dally and Seitz 1987; for dragonflies Kim, Dally, Scott and Abts 2008
/// TESTS     tests/network/channels/dateline_classes_test.cpp
namespace tailbound::network {

/// Can the messages on the routes of the flows wait for each other in a cycle?
/// \pre require_valid()
[[nodiscard]] bool can_deadlock(const Network& network);

/// Sets Link::classes and Route::classes, with a remark; does nothing if the routes cannot deadlock, or would
/// need more than 16 classes.
/// COST   linear in the links and routes, times the logarithm of the links' dependencies
/// \pre   require_valid(); all classes are 1 and routes name none
void add_dateline_classes(Network& network);

}  // namespace tailbound::network
