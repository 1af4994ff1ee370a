#pragma once

#include <cli/reproduce_figures.hpp>
#include <tailbound/bounds/wormhole/broadcast.hpp>

#include <string>
#include <vector>

namespace tailbound::cli::reproduce {

/// Shahrabi and Ould-Khaoua 2003: broadcast (figure 3) and unicast (figure 4) latency of hypercubes.
[[nodiscard]] std::vector<Figure> shahrabi_figures();

/// A hypercube and its messages.
struct BroadcastCase {
  int dimensions = 6, virtual_channels = 4;
  std::int64_t flits = 32;
  std::string broadcast;  ///< "0.01"

  [[nodiscard]] bounds::wormhole::BroadcastCube cube(bounds::wormhole::Replication replication) const;
};

/// Mean latency by simulation, at a rate below the saturation of all variants that are judged.
struct SimulatedBroadcast {
  double rate = 0;        ///< messages/cycle/node
  double latency = 0;     ///< cycles
  double half_width = 0;  ///< of its interval [cycles]
};

/// The least and greatest error of each variant at the points up to 80 % of the default variant's saturation
/// rate; it agrees with the paper if its own variant, `literal`, is within 5 %. \param latency  of the model:
/// what the figure shows
[[nodiscard]] Finding judge(const BroadcastCase& its, double bounds::wormhole::BroadcastPoint::*latency,
                            const std::vector<SimulatedBroadcast>& points);

}  // namespace tailbound::cli::reproduce
