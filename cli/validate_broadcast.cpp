#include <cli/show.hpp>
#include <cli/simulate_hypercube.hpp>
#include <tailbound/render/documents/validate_broadcast.hpp>

#include <algorithm>
#include <memory>

namespace tailbound::cli {
namespace {

using answers::ValidateBroadcastAnswer;
using answers::ValidateBroadcastQuestion;

struct Options {
  HypercubeSimulationOptions simulation;
  std::optional<std::string> replication;
};

Reply answer(const Options& options, const Context& context) {
  const std::vector<answers::Replication> replications = read_replications(options.replication);
  std::vector<ValidateBroadcastQuestion> questions;
  for (const answers::SimulateHypercubeQuestion& simulation : read_hypercube_simulations(options.simulation))
    questions.push_back({.simulation = simulation, .replication = replications.front()});
  const std::size_t rates = questions.size() * questions.front().simulation.offered.values.size();
  auto networks = simulate_loads(options.simulation.run, context, [&](const answers::Run& run) {
    answers::require_one_load_to_resume(run, rates);
    return answers::for_each_simulation(questions.size(), run, [&](std::size_t i, const answers::Run& part) {
      return answers::answer(questions[i], part);
    });
  });
  // Each is simulated once and judged by each variant.
  std::vector<std::pair<ValidateBroadcastQuestion, ValidateBroadcastAnswer>> judged;
  for (std::size_t i = 0; i < networks.finished.size(); ++i)
    for (const answers::Replication replication : replications)
      judged.emplace_back(
          ValidateBroadcastQuestion{.simulation = questions[i].simulation, .replication = replication},
          answers::judged_by(networks.finished[i], replication));
  Reply reply = show(render::document(judged, rates * replications.size()), context);
  if (std::any_of(judged.begin(), judged.end(),
                  [](const auto& network) { return network.second.tally.optimistic() > 0; }))
    reply.status = no_answer;
  return reply;
}

}  // namespace

Command add_validate_broadcast(CLI::App& validate) {
  CLI::App* command =
      validate.add_subcommand("broadcast", "unicast and broadcast latency of a wormhole hypercube");
  const auto options = std::make_shared<Options>();
  add_hypercube_simulation_options(*command, options->simulation);
  add_replication_option(*command, options->replication);
  add_plot_option(*command);
  command->footer(
      "Example:\n"
      "  tailbound validate broadcast --dimensions 6 --virtual-channels 4 --flits 32 --broadcast 0.01\n"
      "      --fractions 20%,50%,80% --quiet\n"
      "prints\n"
      "\n"
      "    rate [messages/cycle/node]  of saturation  unicast [cycles]  conserving [cycles]   error  it is  "
      "broadcast [cycles]  conserving [cycles]   error  it is\n"
      "                    0.00472369         20.0 %  43.095 +- 0.085   43.5038              +0.9 %  above  "
      "232.27 +- 0.91      244.809              +5.4 %  above\n"
      "                     0.0118092         50.0 %  60.44 +- 0.31     60.0288              -0.7 %  below  "
      "311.5 +- 2.3        336.258              +7.9 %  above\n"
      "                     0.0188948         80.0 %  89.14 +- 0.78     83.3905              -6.4 %  below  "
      "470 +- 5.6          460.655              -2.0 %  below\n"
      "\n"
      "and exits with status 1: at half of saturation and beyond, latencies of the variant chosen are below "
      "the\n"
      "interval. Status 0 says that none is. --replication chooses other variants.\n");
  return {.app = command, .answer = [options](const Context& context) { return answer(*options, context); }};
}

}  // namespace tailbound::cli
