#include <cli/option_group.hpp>
#include <cli/simulate_multistage.hpp>
#include <cli/simulated_points.hpp>
#include <cli/traffic_options.hpp>
#include <tailbound/render/documents/simulate_multistage.hpp>

#include <memory>

namespace tailbound::cli {
namespace {

using answers::SimulateMultistageQuestion;

std::vector<network::Wiring> read_wirings(const std::optional<std::string>& text) {
  if (!text) return {network::Wiring::baseline};
  std::vector<network::Wiring> wirings;
  for (const std::size_t choice : parse_choices(*text, "--wiring", {"baseline", "omega"}))
    wirings.push_back(choice == 0 ? network::Wiring::baseline : network::Wiring::omega);
  return wirings;
}

std::vector<sim::Links> read_links(const std::optional<std::string>& text) {
  if (!text) return {sim::Links::unlimited};
  std::vector<sim::Links> links;
  for (const std::size_t choice : parse_choices(*text, "--links", {"unlimited", "one"}))
    links.push_back(choice == 0 ? sim::Links::unlimited : sim::Links::one);
  return links;
}

Reply answer(const MultistageSimulationOptions& options, const Context& context) {
  const std::vector<SimulateMultistageQuestion> questions = read_simulations(options);
  const render::MultistageCurve curve = read_curve(options.question);
  return show(simulate_points(questions, options.run, context,
                              [&](const auto& points, std::size_t asked) {
                                return render::document(points, asked, curve);
                              }),
              context);
}

}  // namespace

void add_multistage_simulation_options(CLI::App& command, MultistageSimulationOptions& options) {
  add_multistage_options(command, options.question);
  const OptionGroup network(command, "Network");
  network.add("--wiring", options.wiring, "NAME", "baseline (unless told) or omega");
  add_simulation_options(command, options.run);
}

std::vector<SimulateMultistageQuestion> read_simulations(const MultistageSimulationOptions& options) {
  const std::vector<render::CombiningPoint> points = read_multistage(options.question);
  std::vector<SimulateMultistageQuestion> questions;
  for (const network::Wiring wiring : read_wirings(options.wiring))
    for (const sim::Links links : read_links(options.links))
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

Command add_simulate_multistage(CLI::App& simulate) {
  CLI::App* command =
      simulate.add_subcommand("multistage", "combining multistage network under a hot spot, event by event");
  const auto options = std::make_shared<MultistageSimulationOptions>();
  add_multistage_simulation_options(*command, *options);
  const OptionGroup network(*command, "Network");
  network.add("--links", options->links, "NAME",
              "requests that an output or a memory takes at a time: unlimited (unless told) or one");
  add_plot_option(*command);
  command->footer(
      "Example:\n"
      "  tailbound simulate multistage --nodes 64 --hot 0.08 --loads 0.3,0.8 --quiet\n"
      "prints\n"
      "\n"
      "    load  throughput          delay            hot delay       cold delay        stalled\n"
      "     0.3  0.30022 +- 0.00039  6.9212 +- 0.003  7.804 +- 0.013  6.8443 +- 0.0025  0.000107 +- 2e-05\n"
      "     0.8  0.7392 +- 0.0018    14.968 +- 0.085  21.96 +- 0.22   14.359 +- 0.075   0.1209 +- 0.0026\n");
  return {.app = command, .answer = [options](const Context& context) { return answer(*options, context); }};
}

}  // namespace tailbound::cli
