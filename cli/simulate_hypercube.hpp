#pragma once

#include <cli/broadcast_options.hpp>
#include <cli/commands.hpp>
#include <cli/loads.hpp>
#include <cli/simulation_options.hpp>
#include <tailbound/answers/simulate_hypercube.hpp>

#include <optional>
#include <string>
#include <vector>

/// Unicasts and broadcasts in wormhole hypercubes, simulated flit by flit: options.
namespace tailbound::cli {

/// As typed; an option that was not given is empty.
struct HypercubeSimulationOptions {
  BroadcastOptions question;
  SimulationOptions run{.unit = "cycle"};
  std::optional<std::string> buffer_flits;
  LatencyOptions latency;
};

/// `options` must outlive the parse.
void add_hypercube_simulation_options(OptionTable& table, HypercubeSimulationOptions& options);

/// One for each combination of what was given as lists.  \throws InvalidArgument  an option out of range
[[nodiscard]] std::vector<answers::SimulateHypercubeQuestion> read_hypercube_simulations(
    const HypercubeSimulationOptions& options);

}  // namespace tailbound::cli
