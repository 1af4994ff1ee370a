#include <tailbound/core/error.hpp>
#include <tailbound/network/mix/message_flows.hpp>

#include <string>
#include <utility>

namespace tailbound::network {

std::vector<MessageFlows> flows_of(WormTraffic traffic, const WormLayout& layout) {
  std::vector<MessageFlows> all;
  all.push_back({.traffic = std::move(traffic), .variants = layout.variants});
  return all;
}

std::vector<MessageFlows> flows_of(const std::vector<MessageKind>& kinds, const WormLayout& layout,
                                   std::uint32_t virtual_networks) {
  const numeric::Rational mean = mean_flits(kinds);
  const std::uint32_t variants = layout.variants / virtual_networks;
  std::vector<MessageFlows> all;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const std::uint32_t network = kinds[k].virtual_network;
    if (network >= virtual_networks)
      throw InvalidArgument("class", "virtual network " + std::to_string(network),
                            "one of " + std::to_string(virtual_networks));
    all.push_back({.traffic = kinds[k].traffic,
                   .scale = kinds.size() == 1 ? 1 : rate_scale(kinds, k, layout.nodes),
                   .first_variant = network * variants,
                   .variants = variants,
                   .size = numeric::nearest_double(kinds[k].lengths.mean() / mean)});
  }
  return all;
}

}  // namespace tailbound::network
