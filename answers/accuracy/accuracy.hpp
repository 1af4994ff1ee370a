#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

/// How far each approximate model was off simulation, and whether that was measured for a given network.
///
/// MODEL     a table of measurements: a row is one network (or a survey of several, with ranges), its errors, and what
///           reproduces it. A network is covered if a row has its settings, or if it lies between two measured ones that
///           differ in one or two numbers, each by a factor of at most 8; errors are then those of all rows between the
///           two, from least to greatest.
/// RESULT    error = model / simulation - 1: above 0 the model overestimates. Of tail probabilities the 95 % interval
///           of the simulation is part of the range; of means it is not (at most 0.7 % up to 85 % of saturation, 1.9 %
///           at 95 %).
/// SOURCE    docs/derivations, and simulations run for this table; docs/trust.md is generated from it
/// EXCLUDES  what is proved (exact, enclosure, bound) has no error to be measured
/// TESTS     tests/answers/accuracy/accuracy_test.cpp, tests/golden/accuracy_test.cpp
namespace tailbound::answers {

/// A model whose error was measured.
enum class MeasuredModel {
  wormhole_finite_source,
  wormhole_paper,
  wormhole_conditional,
  broadcast_conserving,
  broadcast_literal,
  broadcast_shared_wire,
  multistage_blocking,
  multistage_published,
  delay_chain,        ///< hops depend on the one before (DelayAnswer::Hops::chain)
  delay_safe,         ///< of bursts that keep their path, conservative
  delay_independent,  ///< hops added as independent
  delay_fabric,       ///< networks answered as a whole
};

/// What a network or its traffic is like, as a number; of a choice that of the enumerator.
enum class Setting {
  topology,          ///< choice: network::WormShape
  own_network,       ///< choice: 1 for a network from a file
  fabric,            ///< choice: MeasuredFabric
  dimensions,        ///< of a mesh or torus
  nodes,             ///< processors or hosts
  virtual_channels,  ///< of each link
  buffer_flits,      ///< of each virtual channel
  router_cycles,     ///< of a flit in a router; this and the next two where they are not the usual
  link_cycles,       ///< of a flit on a link
  credit_cycles,     ///< until a place that a flit has left can be filled
  flits,             ///< length of a message, the mean if geometric
  lengths,           ///< choice: sim::WormLengths
  injection,         ///< choice: network::Injection
  ejection,          ///< choice: network::Ejection
  broadcast,         ///< fraction of messages
  startup,           ///< of each step of a broadcast [cycles]
  switch_size,       ///< s of s x s switches
  buffer,            ///< places for waiting requests
  hot,               ///< fraction of requests to one memory
  combining,         ///< greatest degree, infinite if unlimited
  links,             ///< choice: network::Links
  saturated,         ///< choice: 1 if less than 98 % of the load comes through
  radix,             ///< of a tree: ports of one side of a switch
  levels,            ///< of switches in a tree
  load,              ///< of a source [1/slot]
  routing,           ///< choice: network::TreeRouting
  destination,       ///< choice: traffic::Destination; of sources with bursts
  burst,             ///< mean length [slots]; 0 without bursts
  on_rate,           ///< packets per slot within a burst
};

/// Networks answered as a whole.
enum class MeasuredFabric { fat_tree, leaf_spine, jellyfish };

/// May a network lie between two that were measured with different values of it?
[[nodiscard]] bool interpolates(Setting setting);

/// One setting of a row, from .. to.
struct MeasuredSetting {
  Setting setting = Setting::topology;
  double from = 0, to = 0;
};

/// One setting of the network that somebody asks about.
struct AskedSetting {
  Setting setting = Setting::topology;
  double value = 0;
};

/// What was measured.
enum class Quantity { mean_latency, broadcast_latency, saturation, tail, mean_delay, throughput };

/// An error, or several from least to greatest, at one load or one probability.
struct MeasuredError {
  Quantity quantity = Quantity::mean_latency;
  /// Fraction of saturation (RowLoads), or the probability P(D > t) of a tail; of others not looked at.
  double at = 0;
  double least = 0, greatest = 0;  ///< model / simulation - 1
};

/// What MeasuredError::at is a fraction of.
enum class RowLoads {
  none,       ///< the load is a setting
  simulated,  ///< the simulated saturation load
  model,      ///< that of the model; of broadcasts that of variant conserving
};

struct AccuracyRow {
  MeasuredModel model = MeasuredModel::wormhole_finite_source;
  std::string network;  ///< "8 x 8 mesh"; of several networks what they have in common
  std::vector<MeasuredSetting> settings;
  RowLoads loads = RowLoads::none;
  std::vector<MeasuredError> errors;  ///< those of one quantity in the order in which they get harder
  /// Saturation loads [flits/cycle/node], or rates [messages/cycle/node]: of the model as it was measured, and simulated
  /// (the greatest that is stable); where Quantity::saturation was measured.
  std::optional<double> model_saturation{}, simulated_saturation{};
  int networks = 1;      ///< so many were measured
  std::string measured;  ///< with which version, or when: "0.1.0", "2026-11-26"

  [[nodiscard]] const MeasuredSetting* find(Setting setting) const;
};

/// All of them.
[[nodiscard]] const std::vector<AccuracyRow>& accuracy_rows();

// --- look-up

/// Whose accuracy is wanted.
struct AskedAccuracy {
  MeasuredModel model = MeasuredModel::wormhole_finite_source;
  std::vector<AskedSetting> settings;
  /// Fractions of the saturation load of the model (of broadcasts: of variant conserving), or tail probabilities.
  std::vector<double> at{};
};

/// Errors of one quantity up to the hardest point that was asked for.
struct ErrorRange {
  Quantity quantity = Quantity::mean_latency;
  double least = 0, greatest = 0;  ///< model / simulation - 1
  double up_to = 0;                ///< fraction of saturation, or probability; 0 where there is no load
};

/// A setting in which the network asked about is not like the nearest row.
struct OutsideSetting {
  AskedSetting asked;
  std::optional<MeasuredSetting> measured;  ///< none: no row says it
};

struct Accuracy {
  AskedAccuracy asked;
  std::vector<const AccuracyRow*> rows;  ///< that cover it; empty: not measured
  std::vector<MeasuredSetting> box;      ///< between what they lie
  std::vector<OutsideSetting> outside;   ///< if it was not measured, against the nearest row

  [[nodiscard]] bool measured() const { return !rows.empty(); }
  /// All errors from the easiest point up to `at` (a fraction of the model's saturation load, or a probability); nothing
  /// where that was not measured.
  [[nodiscard]] std::optional<ErrorRange> errors(Quantity quantity, double at) const;
  /// The same up to the hardest of asked.at, or, if that is harder than what was measured, up to the hardest measured.
  [[nodiscard]] std::optional<ErrorRange> errors(Quantity quantity) const;
  /// Is some of asked.at harder than all that was measured?
  [[nodiscard]] bool beyond(Quantity quantity) const;
};

/// \param rows  where to look
[[nodiscard]] Accuracy accuracy(AskedAccuracy asked, const std::vector<AccuracyRow>& rows = accuracy_rows());

}  // namespace tailbound::answers
