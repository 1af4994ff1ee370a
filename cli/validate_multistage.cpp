#include <cli/simulate_multistage.hpp>
#include <cli/simulated_points.hpp>
#include <tailbound/render/documents/validate_multistage.hpp>

#include <algorithm>
#include <memory>

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
  Reply reply = show(render::document(points, questions.size(), curve), context);
  if (std::any_of(points.begin(), points.end(),
                  [](const auto& point) { return point.second.of_blocking.optimistic() > 0; }))
    reply.status = no_answer;
  return reply;
}

}  // namespace

Command add_validate_multistage(CLI::App& validate) {
  CLI::App* command =
      validate.add_subcommand("multistage", "throughput and delay of a combining multistage network");
  const auto options = std::make_shared<MultistageSimulationOptions>();
  add_multistage_simulation_options(*command, *options);
  add_plot_option(*command);
  return {.app = command, .answer = [options](const Context& context) { return answer(*options, context); }};
}

}  // namespace tailbound::cli
