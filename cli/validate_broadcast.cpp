#include <cli/simulate_hypercube.hpp>
#include <cli/simulated_points.hpp>
#include <tailbound/render/documents/validate_broadcast.hpp>

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
  for (const answers::SimulateHypercubeQuestion& simulation :
       read_hypercube_simulations(options.simulation)) {
    for (const answers::Replication replication : replications)
      answers::check(simulation.network.hypercube, replication);
    questions.push_back({.simulation = simulation, .replication = replications.front()});
  }
  const std::size_t rates = questions.size() * questions.front().simulation.offered.values.size();
  auto networks = simulate_each(questions, rates, options.simulation.run, context);
  // Each is simulated once and judged by each variant.
  std::vector<std::pair<ValidateBroadcastQuestion, ValidateBroadcastAnswer>> points;
  for (std::size_t i = 0; i < networks.finished.size(); ++i)
    for (const answers::Replication replication : replications)
      points.emplace_back(
          ValidateBroadcastQuestion{.simulation = questions[i].simulation, .replication = replication},
          answers::judged_by(networks.finished[i], replication));
  return judged(render::document(points, rates * replications.size()), points);
}

void declare(OptionTable& table, Options& options) {
  add_hypercube_simulation_options(table, options.simulation);
  add_replication_option(table, options.replication);
}

}  // namespace

Command validate_broadcast_command() {
  return command_of<Options>("validate broadcast", "unicast and broadcast latency of a wormhole hypercube",
                             true, declare, answer);
}

}  // namespace tailbound::cli
