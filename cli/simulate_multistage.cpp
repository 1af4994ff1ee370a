#include <cli/simulate_multistage.hpp>
#include <cli/simulated_points.hpp>
#include <cli/traffic_options.hpp>
#include <tailbound/render/documents/simulate_multistage.hpp>

namespace tailbound::cli {
namespace {

using answers::SimulateMultistageQuestion;
using network::Wiring;
using sim::Links;

Reply answer(const MultistageSimulationOptions& options, const Context& context) {
  const std::vector<SimulateMultistageQuestion> questions = read_simulations(options);
  const render::MultistageCurve curve = read_curve(options.question);
  return {.document = simulate_points(
              questions, options.run, context,
              [&](const auto& points, std::size_t asked) { return render::document(points, asked, curve); })};
}

}  // namespace

void add_multistage_simulation_options(OptionTable& table, MultistageSimulationOptions& options) {
  add_multistage_options(table, options.question);
  const OptionGroup network(table, "Network");
  network.add("--wiring", options.wiring, "NAME", "baseline (unless told) or omega");
  add_simulation_options(table, options.run);
}

std::vector<SimulateMultistageQuestion> read_simulations(const MultistageSimulationOptions& options) {
  const std::vector<render::CombiningPoint> points = read_multistage(options.question);
  std::vector<SimulateMultistageQuestion> questions;
  for (const Wiring wiring : choices_or_first<Wiring>(
           options.wiring, "--wiring", {{"baseline", Wiring::baseline}, {"omega", Wiring::omega}}))
    for (const Links links : choices_or_first<Links>(options.links, "--links",
                                                     {{"unlimited", Links::unlimited}, {"one", Links::one}}))
      for (const render::CombiningPoint& point : points)
        questions.push_back({.network = point.network,
                             .load = point.load,
                             .service = point.service,
                             .wiring = wiring,
                             .links = links});
  require_one_to_resume(options.run, questions.size());
  const answers::RunLength length = read_run_length(options.run);
  for (SimulateMultistageQuestion& question : questions) {
    question.length = length;
    question.services /= static_cast<double>(questions.size());  // all together take no longer than one
  }
  return questions;
}

namespace {

void declare(OptionTable& table, MultistageSimulationOptions& options) {
  add_multistage_simulation_options(table, options);
  const OptionGroup network(table, "Network");
  network.add("--links", options.links, "NAME",
              "requests that an output or a memory takes at a time: unlimited (unless told) or one");
}

}  // namespace

Command simulate_multistage_command() {
  return command_of<MultistageSimulationOptions>(
      "simulate multistage", "combining multistage network under a hot spot, event by event", true, declare,
      answer);
}

}  // namespace tailbound::cli
