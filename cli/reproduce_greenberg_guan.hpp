#pragma once

#include <cli/reproduce_figures.hpp>
#include <tailbound/bounds/wormhole/latency.hpp>

#include <string>
#include <vector>

namespace tailbound::cli::reproduce {

/// Greenberg and Guan 1997: figure 3 of the paper on fat-trees, and the comparison of meshes and tori in the
/// slides of the other.
[[nodiscard]] std::vector<Figure> greenberg_guan_figures();

/// A network and its messages, with a curve of the model in a figure.
struct WormholeCase {
  std::string network;  ///< a short name: "8 x 8 mesh"
  std::int64_t flits = 0;
  bounds::wormhole::Model model;
  double saturation = 0;  ///< of the model [flits/cycle/processor]
};

/// Mean latency by simulation.
struct SimulatedLatency {
  double load = 0;        ///< flits/cycle/processor
  double latency = 0;     ///< cycles
  double half_width = 0;  ///< of its interval [cycles]
};

/// Adds simulated points to a figure that has the model's curve: to the picture, the table, and a finding on
/// the model's error up to 70 % of its saturation load and beyond.
void add_simulation(Result& result, const WormholeCase& its, const std::vector<SimulatedLatency>& points);

}  // namespace tailbound::cli::reproduce
