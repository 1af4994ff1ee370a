#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

/// Measured errors of approximate models against simulation, and whether a given network is covered by them.
///
/// MODEL     a table of measurements: a row is one network (or a survey of several, with ranges), its errors,
///           and what reproduces it. A network is covered if a row has its settings, or if it lies between
///           two measured ones that differ in one or two numbers, each by a factor of at most 8; errors are
///           then those of all rows between the two, as a range.
/// RESULT    error = model / simulation - 1: above 0 the model overestimates. The 95 % interval of the
///           simulation is not part of it (at most 0.7 % up to 85 % of saturation, 1.9 % at 95 %).
/// SOURCE    data/accuracy: docs/derivations, and simulations run for this table; docs/trust.md is generated
///           from it
/// EXCLUDES  proved numbers (exact, enclosure, bound): they have no error to measure
/// TESTS     tests/answers/accuracy/accuracy_test.cpp, tests/golden/accuracy_test.cpp
namespace tailbound::answers {

/// A model with measured errors.
enum class MeasuredModel {
  wormhole_finite_source,
  wormhole_paper,
  broadcast,
  multistage,
};

/// A property of a network or its traffic, as a number; for a choice the value of the enumerator.
enum class Setting {
  topology,          ///< choice: network::WormShape
  own_network,       ///< choice: 1 for a network from a file
  dimensions,        ///< of a mesh or torus
  nodes,             ///< processors or hosts
  virtual_channels,  ///< of each link
  buffer_flits,      ///< of each virtual channel
  router_cycles,     ///< of a flit in a router; this and the next two only if not the default
  link_cycles,       ///< of a flit on a link
  credit_cycles,     ///< until the buffer space of a departed flit can be reused
  flits,             ///< message length, or its mean if geometric
  lengths,           ///< choice: sim::WormLengths
  injection,         ///< choice: network::Injection
  ejection,          ///< choice: network::Ejection
  broadcast,         ///< fraction of messages
  startup,           ///< of each step of a broadcast [cycles]
  switch_size,       ///< s of s x s switches
  buffer,            ///< buffer for waiting requests
  hot,               ///< fraction of requests to one memory
  combining,         ///< maximum degree, infinite if unlimited
  links,             ///< choice: network::Links
  saturated,         ///< choice: 1 if throughput is less than 98 % of the load
  load,              ///< of a source [1/slot]
};

/// May a network lie between two measured ones with different values of it?
[[nodiscard]] bool interpolates(Setting setting);

/// One setting of a row, as a range from .. to.
struct MeasuredSetting {
  Setting setting = Setting::topology;
  double from = 0, to = 0;
};

/// One setting of the network in the query.
struct RequestedSetting {
  Setting setting = Setting::topology;
  double value = 0;
};

/// The measured quantity.
enum class Quantity { mean_latency, broadcast_latency, saturation, mean_delay, throughput };

/// An error, or the range of several, at one load or one probability.
struct MeasuredError {
  Quantity quantity = Quantity::mean_latency;
  double at = 0;                    ///< fraction of saturation (RowLoads); unused otherwise
  double minimum = 0, largest = 0;  ///< model / simulation - 1
};

/// What MeasuredError::at is a fraction of.
enum class RowLoads {
  none,       ///< the load is a setting
  simulated,  ///< the simulated saturation load
  model,      ///< that of the model
};

struct AccuracyRow {
  MeasuredModel model = MeasuredModel::wormhole_finite_source;
  std::string network;  ///< "8 x 8 mesh"; for several networks their common description
  std::vector<MeasuredSetting> settings;
  RowLoads loads = RowLoads::none;
  std::vector<MeasuredError> errors;  ///< the errors of one quantity in order of increasing difficulty
  /// Saturation loads [flits/cycle/node], or rates [messages/cycle/node], where Quantity::saturation was
  /// measured: of the model at the time, and simulated (the maximum stable load).
  std::optional<double> model_saturation{}, simulated_saturation{};
  std::string measured;  ///< version or date: "0.1.0", "2026-11-26"

  [[nodiscard]] const MeasuredSetting* find(Setting setting) const;
};

/// All rows.
[[nodiscard]] const std::vector<AccuracyRow>& accuracy_rows();

// --- look-up

/// The network and model whose accuracy is wanted.
struct RequestedAccuracy {
  MeasuredModel model = MeasuredModel::wormhole_finite_source;
  std::vector<RequestedSetting> settings;
  std::vector<double> at{};  ///< fractions of the model's saturation load
};

/// Errors of one quantity up to the highest requested load.
struct ErrorRange {
  Quantity quantity = Quantity::mean_latency;
  double minimum = 0, largest = 0;  ///< model / simulation - 1
  double up_to = 0;                 ///< fraction of saturation; 0 without a load
};

/// A setting in which the network differs from the nearest row.
struct OutsideSetting {
  RequestedSetting requested;
  std::optional<MeasuredSetting> measured;  ///< none: no row has it
};

struct Accuracy {
  RequestedAccuracy requested;
  std::vector<const AccuracyRow*> rows;  ///< rows that cover it; empty: not measured
  std::vector<MeasuredSetting> box;      ///< the settings between which the network lies
  std::vector<OutsideSetting> outside;   ///< differences to the nearest row, if it was not measured

  [[nodiscard]] bool measured() const { return !rows.empty(); }
  /// Errors from the lowest load up to `at`, a fraction of the model's saturation load; nothing if not
  /// measured.
  [[nodiscard]] std::optional<ErrorRange> errors(Quantity quantity, double at) const;
  /// The same up to the highest of requested.at, or to the highest measured load if that is lower.
  [[nodiscard]] std::optional<ErrorRange> errors(Quantity quantity) const;
  /// Is one of requested.at above every measured load?
  [[nodiscard]] bool beyond(Quantity quantity) const;
};

/// \param rows  the table to search
[[nodiscard]] Accuracy accuracy(RequestedAccuracy requested,
                                const std::vector<AccuracyRow>& rows = accuracy_rows());

}  // namespace tailbound::answers
