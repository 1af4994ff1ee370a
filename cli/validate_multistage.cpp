#include <cli/simulate_multistage.hpp>
#include <cli/simulated_points.hpp>
#include <tailbound/render/documents/validate_multistage.hpp>

#include <algorithm>

namespace tailbound::cli {
namespace {

using answers::ValidateMultistageQuestion;

Reply answer(const MultistageSimulationOptions& options, const Context& context) {
  std::vector<ValidateMultistageQuestion> questions;
  for (const answers::SimulateMultistageQuestion& simulation : read_simulations(options))
    questions.push_back({simulation});
  const render::MultistageCurve curve = read_curve(options.question);
  const auto points =
      paired(questions, simulate_each(questions, questions.size(), options.run, context).finished);
  Reply reply{.document = render::document(points, questions.size(), curve)};
  if (std::any_of(points.begin(), points.end(),
                  [](const auto& point) { return point.second.of_blocking.optimistic() > 0; }))
    reply.status = no_answer;
  return reply;
}

}  // namespace

Command validate_multistage_command() {
  return command_of<MultistageSimulationOptions>("validate multistage",
                                                 "throughput and delay of a combining multistage network",
                                                 true, add_multistage_simulation_options, answer);
}

}  // namespace tailbound::cli
