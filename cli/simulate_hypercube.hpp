#pragma once

#include <cli/broadcast_question.hpp>
#include <cli/command.hpp>
#include <cli/estimates.hpp>
#include <cli/simulated_loads.hpp>
#include <cli/simulation_options.hpp>
#include <tailbound/sim/simulate_broadcasts.hpp>

/// Unicasts and broadcasts in wormhole hypercubes, simulated flit by flit.
namespace tailbound::cli {

/// As typed; an option that was not given is empty.
struct HypercubeSimulationOptions {
  BroadcastOptions question;
  SimulationOptions run{.unit = "cycle"};
  std::optional<std::string> buffer_flits;
  LatencyOptions latency;
};

/// `options` must outlive the parse.
void add_hypercube_simulation_options(CLI::App& command, HypercubeSimulationOptions& options);

/// The options as understood.
struct HypercubeSimulation {
  BroadcastQuestion question;
  sim::BroadcastModel network;      ///< without a rate
  double model_saturation = 0;      ///< of the default variant of the model
  std::vector<double> percentiles;  ///< as fractions
};

/// \throws InvalidArgument  an option out of range
[[nodiscard]] HypercubeSimulation read_hypercube_simulation(const HypercubeSimulationOptions& options);
[[nodiscard]] Json inputs_json(const HypercubeSimulation& simulation);
/// In two lines: "6-dimensional hypercube (64 nodes) with 4 virtual channels,\nmessages of 32 flits,
/// broadcast 0.01, start-up 1, buffers of 1 flit"
[[nodiscard]] std::string in_words(const HypercubeSimulation& simulation);

/// One rate, simulated.
struct SimulatedBroadcasts {
  double rate = 0;      ///< messages/cycle/node
  double fraction = 0;  ///< of the model's saturation rate
  Simulated simulated;
  sim::BroadcastEstimates found;
};

/// One point a rate, in their order; each rate has its own warm-up, batches and, unless told, cycles.
/// \throws InvalidArgument  --checkpoint or --resume with several rates
/// \throws NoAnswer         the queues at the ports grow without end at a rate
[[nodiscard]] std::vector<SimulatedBroadcasts> simulate(const HypercubeSimulation& simulation,
                                                        const HypercubeSimulationOptions& options,
                                                        const Context& context);

/// Unicast or broadcast latency of a point, if there were any.
using LatencyOf = std::optional<numeric::Estimate<unit::Slot>> sim::BroadcastEstimates::*;
/// Mean latencies against rate, with their intervals.
[[nodiscard]] plots::Curve simulated_curve(const std::vector<SimulatedBroadcasts>& points, LatencyOf latency,
                                           std::string title);

/// `tailbound simulate hypercube`, under `simulate`.
Command add_simulate_hypercube(CLI::App& simulate);
/// `tailbound validate broadcast`, under `validate`: the model beside its simulation.
Command add_validate_broadcast(CLI::App& validate);

}  // namespace tailbound::cli
