#pragma once

#include <tailbound/network/mix/message_kinds.hpp>
#include <tailbound/network/worms/worm_network.hpp>

#include <cstdint>
#include <vector>

/// The messages of each kind as routes are enumerated: who sends to whom, and by which routes.
///
/// MODEL     as message_kinds.hpp. Rates of all kinds are for one message of mean length per unit of time
///           from each node that sends.
/// TESTS     tests/network/mix/message_flows_test.cpp
namespace tailbound::network {

struct MessageFlows {
  WormTraffic traffic{};
  double scale = 1;                 ///< from the rates of `traffic` to messages
  std::uint32_t first_variant = 0;  ///< of its virtual network
  std::uint32_t variants = 1;
  double size = 1;  ///< mean length, relative to that of all messages

  /// Calls visit(source, destination, rate) for each pair; the rates of all kinds together sum to the number
  /// of nodes that send.
  template <class Visit>
  void for_each_pair(std::uint32_t nodes, const Visit& visit) const {
    for (const WormFlow& flow : traffic.flows) visit(flow.source, flow.destination, scale * flow.rate);
    if (!traffic.flows.empty()) return;
    const double rate = scale / (nodes - 1.0);
    for (std::uint32_t source = 0; source < nodes; ++source)
      for (std::uint32_t destination = 0; destination < nodes; ++destination)
        if (source != destination) visit(source, destination, rate);
  }
  [[nodiscard]] double pairs(std::uint32_t nodes) const {
    return traffic.flows.empty() ? static_cast<double>(nodes) * (nodes - 1.0)
                                 : static_cast<double>(traffic.flows.size());
  }
};

/// Of one kind of messages.
[[nodiscard]] std::vector<MessageFlows> flows_of(WormTraffic traffic, const WormLayout& layout);

/// In the order of the kinds.
/// \param layout  of all virtual networks together
/// \throws InvalidArgument  "class": a virtual network that does not exist
[[nodiscard]] std::vector<MessageFlows> flows_of(const std::vector<MessageKind>& kinds,
                                                 const WormLayout& layout, std::uint32_t virtual_networks);

}  // namespace tailbound::network
