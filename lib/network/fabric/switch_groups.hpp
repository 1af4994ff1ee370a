#pragma once

#include <tailbound/network/fabric/fabric.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

/// Groups of switches: of those that a minimal route leads from and to, and of which a Valiant route passes one that is
/// drawn for each packet.
///
/// MODEL     A switch is in the group that Node::group says, or in none. A host is in the group of the switches that it
///           is wired to, if these all are of one group. Drawn are groups into which a link leads from a switch that
///           is not of the group: what failures have cut off is not drawn. A packet between two groups draws
///           each of the others with equal chances; one within a group draws none.
/// SOURCE    Valiant 1982; of dragonflies Kim, Dally, Scott and Abts 2008
/// TESTS     tests/network/fabric/valiant_test.cpp
namespace tailbound::network {

struct SwitchGroups {
  static constexpr std::uint32_t none = Node::no_group;

  std::vector<std::uint32_t> of_node;
  std::vector<std::vector<std::uint32_t>> switches;  ///< of each group: nodes
  std::vector<std::vector<std::uint32_t>> entries;   ///< of them those that such links lead to
  std::vector<std::uint32_t> drawn;                  ///< groups, in rising order

  [[nodiscard]] std::size_t size() const { return switches.size(); }
  [[nodiscard]] bool is_drawn(std::uint32_t group) const { return !entries[group].empty(); }
  /// Among how many groups a packet draws that goes from this one to another: that one, too, is drawn by others.
  [[nodiscard]] std::size_t choices(std::uint32_t from) const {
    return drawn.size() - 1 - (is_drawn(from) ? 1U : 0U);
  }
};

/// COST  linear in the network
/// \param rule  minimal or valiant
/// \throws InvalidArgument  "groups": fewer that are drawn than the rule needs: three of Valiant routes, two of minimal ones
[[nodiscard]] SwitchGroups switch_groups(const Network& network, RouteRule rule);

/// \throws InvalidArgument  the node is in no group
void require_in_group(const Network& network, const SwitchGroups& groups, std::size_t node, RouteRule rule);
/// \throws InvalidArgument  a node that sends or gets packets is in no group
void require_in_groups(const Network& network, const SwitchGroups& groups, const Demand& demand);

}  // namespace tailbound::network
