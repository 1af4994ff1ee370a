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
  bool optimistic = false;
  Reply reply = show(simulate_points(questions, options.run, context,
                                     [&](const auto& points, std::size_t asked) {
                                       optimistic =
                                           std::any_of(points.begin(), points.end(), [](const auto& point) {
                                             return point.second.of_blocking.optimistic() > 0;
                                           });
                                       return render::document(points, asked, curve);
                                     }),
                     context);
  if (optimistic) reply.status = no_answer;
  return reply;
}

}  // namespace

Command add_validate_multistage(CLI::App& validate) {
  CLI::App* command =
      validate.add_subcommand("multistage", "throughput and delay of a combining multistage network");
  const auto options = std::make_shared<MultistageSimulationOptions>();
  add_multistage_simulation_options(*command, *options);
  add_plot_option(*command);
  command->footer(
      "Example:\n"
      "  tailbound validate multistage --nodes 64 --hot 0.08 --loads 0.3,0.8\n"
      "prints\n"
      "\n"
      "  64 nodes, 2 x 2 switches, buffer 4, hot 0.08, combining up to 2, baseline wiring: two models beside "
      "simulation\n"
      "\n"
      "    load  optimistic rows  rows judged\n"
      "     0.3                3            4\n"
      "     0.8                1            4\n"
      "\n"
      "    At load 0.3:\n"
      "\n"
      "    quantity    simulation          blocking   error  is      published    error  is\n"
      "    throughput  0.30022 +- 0.00039       0.3  -0.1 %  inside     0.2989   -0.4 %  below\n"
      "    delay       6.9212 +- 0.003        6.869  -0.8 %  below       7.416   +7.2 %  above\n"
      "    hot_delay   7.804 +- 0.013           7.7  -1.3 %  below       8.846  +13.4 %  above\n"
      "    cold_delay  6.8443 +- 0.0025       6.796  -0.7 %  below       7.295   +6.6 %  above\n"
      "\n"
      "    At load 0.8:\n"
      "\n"
      "    quantity    simulation        blocking   error  is     published    error  is\n"
      "    throughput  0.7392 +- 0.0018    0.7436  +0.6 %  above     0.6916   -6.4 %  below\n"
      "    delay       14.968 +- 0.085      15.81  +5.6 %  above      12.14  -18.9 %  below\n"
      "    hot_delay   21.96 +- 0.22        22.56  +2.8 %  above      14.52  -33.9 %  below\n"
      "    cold_delay  14.359 +- 0.075      15.23  +6.0 %  above      11.96  -16.7 %  below\n"
      "\n"
      "    Verdict: blocking is optimistic beyond the interval in 4 of 8 rows. Simulated: 64 batches each, "
      "seed 1.\n"
      "    inside: within the simulation's 95 % interval; of throughput above, of delays below is "
      "optimistic. Error: model\n"
      "    / simulation - 1.\n"
      "\n"
      "and exits with status 1, for numbers of blocking are better than the interval allows. Status 0 says "
      "that no\n"
      "number of blocking is optimistic in that way. --quiet prints in how many rows it is.\n");
  return {.app = command, .answer = [options](const Context& context) { return answer(*options, context); }};
}

}  // namespace tailbound::cli
