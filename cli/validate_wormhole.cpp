#include <cli/option_group.hpp>
#include <cli/simulate_wormhole.hpp>
#include <cli/simulated_points.hpp>
#include <tailbound/answers/validate_wormhole.hpp>
#include <tailbound/render/documents/validate_wormhole.hpp>

#include <memory>
#include <vector>

namespace tailbound::cli {
namespace {

using answers::ValidateWormholeQuestion;

Reply answer(const WormholeSimulationOptions& options, const Context& context) {
  std::vector<ValidateWormholeQuestion> questions;
  for (answers::SimulateWormholeQuestion& simulation : read_wormhole_simulations(options))
    questions.push_back({.simulation = std::move(simulation)});
  const std::size_t asked = questions.size() * questions.front().simulation.offered.values.size();
  const auto networks = paired(questions, simulate_each(questions, asked, options.run, context).finished);
  return judged(render::document(networks, asked), networks, context);
}

}  // namespace

Command add_validate_wormhole(CLI::App& validate) {
  CLI::App* command = validate.add_subcommand("wormhole", "latency of a wormhole network");
  const auto options = std::make_shared<WormholeSimulationOptions>();
  add_wormhole_simulation_options(*command, *options);
  OptionGroup(*command, "Traffic")
      .add("--precision", options->latency.precision, "P", "of the search of --of simulated, relative (1%)");
  add_plot_option(*command);
  return {.app = command, .answer = [options](const Context& context) { return answer(*options, context); }};
}

}  // namespace tailbound::cli
