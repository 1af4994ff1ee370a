#include <cli/option_group.hpp>
#include <cli/show.hpp>
#include <cli/simulate_wormhole.hpp>
#include <tailbound/answers/validate_wormhole.hpp>
#include <tailbound/render/documents/validate_wormhole.hpp>

#include <algorithm>
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
  auto networks = simulate_loads(options.run, context, [&](const answers::Run& run) {
    answers::require_one_load_to_resume(run, asked);
    return answers::for_each_simulation(questions.size(), run, [&](std::size_t i, const answers::Run& part) {
      return answers::answer(questions[i], part);
    });
  });
  const bool optimistic = std::any_of(networks.finished.begin(), networks.finished.end(),
                                      [](const auto& network) { return network.tally.optimistic() > 0; });
  Reply reply = show(render::document(paired(questions, std::move(networks.finished)), asked), context);
  if (optimistic) reply.status = no_answer;
  return reply;
}

}  // namespace

Command add_validate_wormhole(CLI::App& validate) {
  CLI::App* command = validate.add_subcommand("wormhole", "latency of a wormhole network");
  const auto options = std::make_shared<WormholeSimulationOptions>();
  add_wormhole_simulation_options(*command, *options);
  OptionGroup(*command, "Traffic")
      .add("--precision", options->latency.precision, "P", "of the search of --of simulated, relative (1%)");
  add_plot_option(*command);
  command->footer(
      "Example:\n"
      "  tailbound validate wormhole --topology mesh --nodes 64 --flits 32 --fractions 10%,50%,80%\n"
      "      --quiet\n"
      "prints\n"
      "\n"
      "    load [flits/cycle/node]  of saturation  model [cycles]  simulation [cycles]   error  model is\n"
      "                  0.0188562         10.0 %  39.8995         39.902 +- 0.017      -0.0 %  inside\n"
      "                   0.094281         50.0 %  49.9267         50.296 +- 0.087      -0.7 %  below\n"
      "                    0.15085         80.0 %  71.3994         71.41 +- 0.35        -0.0 %  inside\n"
      "\n"
      "and exits with status 1: at half of saturation the model's latency is below the interval. Status 0 "
      "says that\n"
      "it is nowhere.\n");
  return {.app = command, .answer = [options](const Context& context) { return answer(*options, context); }};
}

}  // namespace tailbound::cli
