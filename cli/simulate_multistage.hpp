#pragma once

#include <cli/command.hpp>
#include <cli/estimates.hpp>
#include <cli/multistage_question.hpp>
#include <cli/simulation_options.hpp>
#include <tailbound/sim/simulate_multistage.hpp>

/// Combining multistage networks, simulated.
namespace tailbound::cli {

/// As typed; an option that was not given is empty.
struct MultistageSimulationOptions {
  MultistageOptions question;
  SimulationOptions run;
  std::optional<std::string> wiring, links;
};

/// `options` must outlive the parse.
void add_multistage_simulation_options(CLI::App& command, MultistageSimulationOptions& options);

/// One load, simulated; delays in the unit of --service.
struct SimulatedPoint {
  numeric::Rational load;
  Simulated simulated;
  sim::MultistageEstimates found;
};

/// One point a load, in their order; each load has its own warm-up, batches and, unless told, slots.
/// \throws InvalidArgument  an option out of range; --checkpoint or --resume with several loads
[[nodiscard]] std::vector<SimulatedPoint> simulate(const MultistageQuestion& question,
                                                   const MultistageSimulationOptions& options,
                                                   const Context& context);

/// Throughputs or delays with their intervals, for the picture of multistage_axes().
[[nodiscard]] plots::Curve simulated_curve(const std::vector<SimulatedPoint>& points, MultistageCurve curve);

/// `tailbound simulate multistage`, under `simulate`.
Command add_simulate_multistage(CLI::App& simulate);
/// `tailbound validate multistage`, under `validate`: the model beside its simulation.
Command add_validate_multistage(CLI::App& validate);

}  // namespace tailbound::cli
