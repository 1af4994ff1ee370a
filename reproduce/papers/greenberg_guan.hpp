#pragma once

#include <reproduce/figure.hpp>
#include <tailbound/answers/validation/validate_wormhole.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace tailbound::figures {

/// Greenberg and Guan 1997: figure 3 of the paper on fat-trees, and the comparison of meshes and tori in the
/// slides of the other.
[[nodiscard]] std::vector<Figure> greenberg_guan_figures();

/// A network and its messages in a figure.
struct WormholeCase {
  std::string network;  ///< its name: "8 x 8 mesh"
  std::int64_t flits = 0;
  int colour = 0;  ///< of its curves
};

/// A simulated load, and the model at it.
struct LatencyAtLoad {
  double load = 0;                    ///< [flits/cycle/node]
  double fraction_of_saturation = 0;  ///< of the model
  answers::Comparison<unit::Cycle> latency{};
};

/// Adds simulated points: to the picture, the table, and a finding on the model's error up to 70 % of its
/// saturation load and beyond.
void add_simulation(Result& result, const WormholeCase& its, const std::vector<LatencyAtLoad>& points);

}  // namespace tailbound::figures
