#pragma once

#include <cli/command.hpp>
#include <cli/estimates.hpp>
#include <cli/simulated_loads.hpp>
#include <cli/simulation_options.hpp>
#include <cli/wormhole_question.hpp>
#include <tailbound/bounds/wormhole/latency.hpp>
#include <tailbound/sim/simulate_worms.hpp>

/// Wormhole networks, simulated flit by flit.
namespace tailbound::cli {

/// As typed; an option that was not given is empty.
struct WormholeSimulationOptions {
  WormholeOptions question;
  SimulationOptions run{.unit = "cycle"};
  std::optional<std::string> virtual_channels, buffer_flits, lengths, arrivals;
  LatencyOptions latency;
};

/// `options` must outlive the parse.
void add_wormhole_simulation_options(CLI::App& command, WormholeSimulationOptions& options);

/// One load, simulated.
struct SimulatedWorms {
  double load = 0;      ///< flits/cycle/node
  double fraction = 0;  ///< of the model's saturation load
  Simulated simulated;
  sim::WormEstimates found;
};

/// The options as understood, and the model of the same network.
struct WormholeSimulation {
  WormholeQuestion question;
  sim::WormModel network;  ///< without a load
  bounds::wormhole::Network model;
  double model_saturation = 0;
  std::vector<double> percentiles;  ///< as fractions
};

/// \throws InvalidArgument  an option out of range
[[nodiscard]] WormholeSimulation read_wormhole_simulation(const WormholeSimulationOptions& options);
[[nodiscard]] Json inputs_json(const WormholeSimulation& simulation);
/// "8 x 8 mesh, messages of 32 flits, 1 virtual channel a link, buffers of 1 flit"
[[nodiscard]] std::string in_words(const WormholeSimulation& simulation);

/// One point a load, in their order; each load has its own warm-up, batches and, unless told, cycles.
/// \throws InvalidArgument  --checkpoint or --resume with several loads
/// \throws NoAnswer         the sources' queues grow without end at a load; worms block each other for ever
[[nodiscard]] std::vector<SimulatedWorms> simulate(const WormholeSimulation& simulation,
                                                   const WormholeSimulationOptions& options,
                                                   const Context& context);

/// The axes of a picture of mean latency against load, without curves.
[[nodiscard]] plots::Picture latency_axes(const WormholeSimulation& simulation);
/// Mean latencies against load, with their intervals.
[[nodiscard]] plots::Curve simulated_curve(const std::vector<SimulatedWorms>& points);

/// `tailbound simulate wormhole`, under `simulate`.
Command add_simulate_wormhole(CLI::App& simulate);
/// `tailbound validate wormhole`, under `validate`: the model beside its simulation.
Command add_validate_wormhole(CLI::App& validate);

}  // namespace tailbound::cli
