#pragma once

#include <cli/commands.hpp>
#include <cli/loads.hpp>
#include <cli/simulation_options.hpp>
#include <cli/wormhole_question.hpp>
#include <tailbound/answers/simulate_wormhole.hpp>

#include <optional>
#include <string>
#include <vector>

/// Wormhole networks, simulated flit by flit: options.
namespace tailbound::cli {

/// As typed; an option that was not given is empty.
struct WormholeSimulationOptions {
  WormholeOptions question;
  SimulationOptions run{.unit = "cycle"};
  std::optional<std::string> buffer_flits, lengths, arrivals, of;
  LatencyOptions latency;
};

/// `options` must outlive the parse.
void add_wormhole_simulation_options(OptionTable& table, WormholeSimulationOptions& options);

/// One for each combination of what was given as lists.  \throws InvalidArgument, ParseError, LimitExceeded
[[nodiscard]] std::vector<answers::SimulateWormholeQuestion> read_wormhole_simulations(
    const WormholeSimulationOptions& options);

}  // namespace tailbound::cli
