#pragma once

#include <tailbound/answers/comparison.hpp>
#include <tailbound/answers/wormhole/simulate_wormhole.hpp>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

/// How far is the model of wormhole networks off its simulation?
///
/// TESTS     tests/answers/wormhole/wormhole_test.cpp, tests/golden/wormhole_test.cpp
namespace tailbound::answers {

struct ValidateWormholeQuestion {
  SimulateWormholeQuestion simulation;  ///< its percentiles are not compared
};

/// What the model has. It is of the simulated network: its virtual channels, buffers, lengths and ends.
struct WormholeModelled {
  std::optional<int> virtual_channels;  ///< of each link; nothing of an own network, where they are its own
  bool bernoulli_arrivals = false;      ///< the model is of Poisson arrivals, Bernoulli ones are simulated
};

/// Mean latency at one load.
struct WormholeComparison {
  double load = 0;                                                    ///< [flits/cycle/node]
  std::optional<numeric::Model<unit::Ratio>> fraction_of_saturation;  ///< as in the simulation
  Comparison<unit::Cycle> latency;
};

struct ValidateWormholeAnswer {
  SimulateWormholeAnswer simulation;  ///< fractions are of the saturation load of the model that is compared
  WormholeModelled modelled;
  std::vector<WormholeComparison> rows;  ///< one a point of the simulation
  Tally tally;
  std::shared_ptr<const bounds::wormhole::Model>
      model;  ///< that is compared; null in an answer that was stored
};

/// \throws as the simulation
/// \throws NoAnswer  no model has such a network, so that there is nothing to compare; or no message was delivered
///                   while measured
[[nodiscard]] ValidateWormholeAnswer answer(const ValidateWormholeQuestion& question, const Run& run);

/// For pictures: the model up to the greatest load that was compared and that it solves.
[[nodiscard]] LatencyCurve latency_curve(const ValidateWormholeQuestion& question,
                                         const ValidateWormholeAnswer& answer);

}  // namespace tailbound::answers
