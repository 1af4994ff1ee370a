#pragma once

#include <tailbound/network/mix/message_classes.hpp>
#include <tailbound/network/network.hpp>
#include <tailbound/network/worms/worm_network_file.hpp>

#include <cstddef>
#include <memory>
#include <vector>

/// Classes of messages in networks from files.
///
/// MODEL     A class has the flows that name it; a class without flows of its own has those that name none.
///           Answers return by the rule of the flows that they answer, by shortest routes where these have
///           given paths. Without shares in the file, the classes' shares are those of their flows' rates, or
///           equal if a class has uniform traffic.
/// TESTS     tests/network/mix/routed_mix_test.cpp
namespace tailbound::network {

/// Adds the flows of the classes with answers. Call once, when all other flows are there.
/// \throws InvalidArgument  "class": answers to an unknown class or in a circle, no route back
void add_answer_flows(Network& network);

/// The flows of a class: those that name it, or if there are none those that name no class.
[[nodiscard]] std::vector<std::size_t> flows_of_class(const Network& network, std::size_t message_class);

/// Virtual networks of a file; all have the same physical channels.
struct RoutedMix {
  MessageMix mix;
  std::vector<std::shared_ptr<const RoutedWormNetwork>> networks;  ///< of each virtual network
};

/// \param flits  lengths of all messages, where the network has no classes
/// \throws InvalidArgument  as message_mix() and RoutedWormNetwork; a class without flows
[[nodiscard]] RoutedMix routed_mix(const Network& network, const MessageLengths& flits);

}  // namespace tailbound::network
