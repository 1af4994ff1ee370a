#pragma once

#include <tailbound/answers/comparison.hpp>
#include <tailbound/answers/simulate_wormhole.hpp>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

/// How far is the model of wormhole networks off its simulation?
///
/// TESTS     tests/answers/wormhole_test.cpp, tests/golden/wormhole_test.cpp
namespace tailbound::answers {

struct ValidateWormholeQuestion {
  SimulateWormholeQuestion simulation;  ///< its percentiles are not compared
};

/// Of which network the model is, and what it takes for granted that is simulated otherwise.
struct WormholeModelled {
  std::optional<int> virtual_channels;  ///< of each link; nothing of an own network, where they are its own
  /// The model is of the number of virtual channels that was asked for, not of the usual one.
  bool virtual_channels_as_told = false;
  /// Another number of virtual channels is simulated, as a model of so many would take too long.
  std::optional<int> other_virtual_channels;
  bool deeper_buffers = false;      ///< the model is of buffers of one flit, deeper ones are simulated
  bool geometric_lengths = false;   ///< the (published) model is of messages of fixed length
  bool bernoulli_arrivals = false;  ///< the model is of Poisson arrivals
};

/// Mean latency at one load.
struct WormholeComparison {
  double load = 0;                                     ///< [flits/cycle/node]
  numeric::Model<unit::Ratio> fraction_of_saturation;  ///< of the model's saturation load
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
/// \throws NoAnswer  no message was delivered while measured
[[nodiscard]] ValidateWormholeAnswer answer(const ValidateWormholeQuestion& question, const Run& run);

/// Mean latencies by the model at so many loads up to the greatest that was compared and that it solves, for
/// a picture.
/// COST  that of so many solutions
[[nodiscard]] std::vector<std::pair<double, numeric::Model<unit::Cycle>>> model_curve(
    const ValidateWormholeQuestion& question, const ValidateWormholeAnswer& answer, int loads = 100);

}  // namespace tailbound::answers
