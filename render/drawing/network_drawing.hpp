#pragma once

#include <tailbound/render/picture.hpp>

#include <string>
#include <utility>
#include <vector>

/// Drawings of networks: in layers if all links join switches of adjacent distances from the hosts (trees,
/// fat-trees, leaf-spine networks), otherwise by stress majorization (Gansner, Koren, North 2004).
///
/// CONTRACT  the same network gives the same drawing
/// COST      nodes squared, times about sixty steps
/// TESTS     tests/render/network_drawing_test.cpp
namespace tailbound::render {

/// Larger networks are not drawn.
inline constexpr std::size_t max_nodes_drawn = 600;

struct NetworkPlan {
  std::vector<std::pair<double, double>> at;  ///< of each node [px]
  bool layered = false;
  double height = 0;
};

/// \throws NoAnswer  it has more than `max_nodes_drawn` nodes, or none
[[nodiscard]] NetworkPlan network_plan(const NetworkPicture& network, double width);

struct NetworkSvg {
  std::string body{};
  double height = 0;
};

/// Hosts as dots, switches as boxes with names, line width by the number of links, link utilization as color;
/// the busiest link is labeled.  \throws NoAnswer  as network_plan
[[nodiscard]] NetworkSvg network_svg(const NetworkPicture& network, double width);

}  // namespace tailbound::render
