#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/fabric/switch_groups.hpp>

#include <algorithm>
#include <string>

namespace tailbound::network {

SwitchGroups switch_groups(const Network& network, RouteRule rule) {
  const auto& nodes = network.nodes;
  SwitchGroups groups;
  for (std::uint32_t node = 0; node < nodes.size(); ++node) {
    const std::uint32_t group = nodes[node].host ? SwitchGroups::none : nodes[node].group;
    groups.of_node.push_back(group);
    if (group == SwitchGroups::none) continue;
    if (group >= nodes.size())
      throw InvalidArgument("group of " + nodes[node].name, std::to_string(group),
                            "below the number of nodes");
    if (groups.switches.size() <= group) groups.switches.resize(std::size_t{group} + 1);
    groups.switches[group].push_back(node);
  }
  groups.entries.resize(groups.size());
  std::vector<char> wired(nodes.size(), 0);
  const auto wire = [&](std::size_t host, std::size_t other) {
    const std::uint32_t group = nodes[other].host ? SwitchGroups::none : nodes[other].group;
    if (wired[host] == 0) groups.of_node[host] = group;
    if (groups.of_node[host] != group) groups.of_node[host] = SwitchGroups::none;
    wired[host] = 1;
  };
  for (const Link& link : network.links) {
    if (nodes[link.from].host) wire(link.from, link.to);
    if (nodes[link.to].host) wire(link.to, link.from);
    if (nodes[link.from].host || nodes[link.to].host) continue;
    const std::uint32_t into = nodes[link.to].group;
    if (into != SwitchGroups::none && into != nodes[link.from].group)
      groups.entries[into].push_back(static_cast<std::uint32_t>(link.to));
  }
  for (std::uint32_t group = 0; group < groups.size(); ++group) {
    auto& entries = groups.entries[group];
    std::sort(entries.begin(), entries.end());
    entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
    if (!entries.empty()) groups.drawn.push_back(group);
  }
  if (rule == RouteRule::valiant && groups.drawn.size() < 3)
    throw InvalidArgument("groups", std::to_string(groups.drawn.size()),
                          "3 or more for valiant routes (groups of switches with incoming links)");
  if (groups.drawn.size() < 2)
    throw InvalidArgument("groups", std::to_string(groups.drawn.size()),
                          "2 or more for minimal routes (groups of switches with incoming links, as in a "
                          "dragonfly; key \"groups\")");
  return groups;
}

void require_in_group(const Network& network, const SwitchGroups& groups, std::size_t node, RouteRule rule) {
  if (groups.of_node[node] == SwitchGroups::none)
    throw InvalidArgument("route", name_of(rule),
                          "shortest or spread: " + network.nodes[node].name +
                              " is in no group, and its switches are not all in one group");
}

void require_in_groups(const Network& network, const SwitchGroups& groups, const Demand& demand) {
  if (const auto* product = std::get_if<ProductDemand>(&demand.rates)) {
    for (std::size_t node = 0; node < product->out.size(); ++node)
      if (product->out[node] != 0 || product->in[node] != 0)
        require_in_group(network, groups, node, demand.route);
  } else {
    for (const SparseDemand::Entry& entry : std::get<SparseDemand>(demand.rates).entries)
      for (const std::size_t node : {std::size_t{entry.from}, std::size_t{entry.to}})
        require_in_group(network, groups, node, demand.route);
  }
}

}  // namespace tailbound::network
