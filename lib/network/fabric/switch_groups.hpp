#pragma once

#include <tailbound/network/fabric/fabric.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

/// Groups of switches, for minimal routes (source and destination group) and Valiant routes (intermediate
/// group drawn per packet).
///
/// MODEL     A switch is in the group given by Node::group, or in none. A host is in the group of the
///           switches that it is connected to, if these are all in one group. The groups drawn are those with
///           an incoming link from a switch outside the group: groups cut off by failures are not drawn. A
///           packet between two groups draws each of the others with equal probability; one within a group
///           draws none.
/// SOURCE    Valiant 1982; for dragonflies Kim, Dally, Scott and Abts 2008
/// TESTS     tests/network/fabric/valiant_test.cpp
namespace tailbound::network {

struct SwitchGroups {
  static constexpr std::uint32_t none = Node::no_group;

  std::vector<std::uint32_t> of_node;
  std::vector<std::vector<std::uint32_t>> switches;  ///< per group: nodes
  /// per group: the nodes with an incoming link from another group
  std::vector<std::vector<std::uint32_t>> entries;
  std::vector<std::uint32_t> drawn;  ///< groups, ascending

  [[nodiscard]] std::size_t size() const { return switches.size(); }
  [[nodiscard]] bool is_drawn(std::uint32_t group) const { return !entries[group].empty(); }
  /// Number of groups from which a packet between this group and another draws; this group is drawn by
  /// packets of others.
  [[nodiscard]] std::size_t choices(std::uint32_t from) const {
    return drawn.size() - 1 - (is_drawn(from) ? 1U : 0U);
  }
};

/// COST  linear in the network
/// \param rule  minimal or valiant
/// \throws InvalidArgument  "groups": fewer groups that can be drawn than the rule needs: three for Valiant
///                          routes, two for minimal ones
[[nodiscard]] SwitchGroups switch_groups(const Network& network, RouteRule rule);

/// \throws InvalidArgument  the node is in no group
void require_in_group(const Network& network, const SwitchGroups& groups, std::size_t node, RouteRule rule);
/// \throws InvalidArgument  a node that sends or receives packets is in no group
void require_in_groups(const Network& network, const SwitchGroups& groups, const Demand& demand);

}  // namespace tailbound::network
