#include <cli/simulate_wormhole.hpp>
#include <cli/simulated_points.hpp>
#include <tailbound/answers/validate_wormhole.hpp>
#include <tailbound/render/documents/validate_wormhole.hpp>

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
  return judged(render::document(networks, asked), networks);
}

void declare(OptionTable& table, WormholeSimulationOptions& options) {
  add_wormhole_simulation_options(table, options);
  OptionGroup(table, "Traffic")
      .add("--precision", options.latency.precision, "P", "of the search of --of simulated, relative (1%)");
}

}  // namespace

Command validate_wormhole_command() {
  return command_of<WormholeSimulationOptions>("validate wormhole", "latency of a wormhole network", true,
                                               declare, answer);
}

}  // namespace tailbound::cli
