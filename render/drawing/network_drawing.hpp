#pragma once

#include <tailbound/render/picture.hpp>

#include <string>
#include <utility>
#include <vector>

/// Drawings of networks: in layers where switches are so far from hosts that links join neighbouring distances alone (trees,
/// fat-trees, leaves and spines), otherwise by stress majorization (Gansner, Koren, North 2004).
///
/// CONTRACT  the same network, the same drawing
/// COST      nodes squared, times some sixty steps
/// TESTS     tests/render/network_drawing_test.cpp
namespace tailbound::render {

/// More are not drawn.
inline constexpr std::size_t most_nodes_drawn = 600;

struct NetworkPlan {
  std::vector<std::pair<double, double>> at;  ///< of each node [px]
  bool layered = false;
  double height = 0;
};

/// \throws NoAnswer  it has more than `most_nodes_drawn` nodes, or none
[[nodiscard]] NetworkPlan network_plan(const NetworkPicture& network, double width);

struct NetworkSvg {
  std::string body{};
  double height = 0;
};

/// Hosts as dots, switches as boxes with their names, as many wires as wide a line, the load of links as colour and the
/// busiest named.  \throws NoAnswer  as network_plan
[[nodiscard]] NetworkSvg network_svg(const NetworkPicture& network, double width);

}  // namespace tailbound::render
