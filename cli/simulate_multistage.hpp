#pragma once

#include <cli/commands.hpp>
#include <cli/multistage_options.hpp>
#include <cli/simulation_options.hpp>
#include <tailbound/answers/simulate_multistage.hpp>

#include <optional>
#include <string>
#include <vector>

/// Combining multistage networks, simulated.
namespace tailbound::cli {

/// As typed; an option that was not given is empty.
struct MultistageSimulationOptions {
  MultistageOptions question;
  SimulationOptions run;
  std::optional<std::string> wiring, links;
};

/// `options` must outlive the parse.
void add_multistage_simulation_options(OptionTable& table, MultistageSimulationOptions& options);

/// One question for each combination of what was given as lists; each has its own warm-up, batches and, unless
/// told, slots.
/// \throws InvalidArgument  an option out of range; --checkpoint or --resume with several points
[[nodiscard]] std::vector<answers::SimulateMultistageQuestion> read_simulations(
    const MultistageSimulationOptions& options);

}  // namespace tailbound::cli
