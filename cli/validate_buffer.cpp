#include <cli/burst_options.hpp>
#include <cli/option_group.hpp>
#include <cli/shares.hpp>
#include <cli/simulated_points.hpp>
#include <cli/traffic_options.hpp>
#include <cli/unit_options.hpp>
#include <cli/validate_command.hpp>
#include <tailbound/answers/validate_buffer.hpp>
#include <tailbound/network/tree.hpp>
#include <tailbound/render/documents/validate_buffer.hpp>

#include <memory>
#include <utility>

namespace tailbound::cli {
namespace {

using answers::ValidateBufferQuestion;
using network::Tree;
using numeric::Rational;

/// As typed; an option that was not given is empty.
struct Options {
  std::optional<std::string> inputs, load, levels;
  BurstOptions bursts;
  SimulationOptions run;
  UnitOptions units;
};

/// One question for each combination of what was given as lists.
std::vector<ValidateBufferQuestion> read_questions(const Options& options) {
  const std::string& sizes =
      required(options.inputs, "--inputs", "given with --load: inputs of the switch, 2 to 1024");
  const std::string& loads =
      required(options.load, "--load", "given with --inputs: packets a slot, such as 0.9 or 9/10");
  ValidateBufferQuestion asked;
  if (options.levels)
    for (const std::int64_t level : parse_integers(*options.levels, "--levels", 0, 1'000'000))
      asked.levels.emplace_back(level);
  asked.length = read_run_length(options.run);
  std::vector<ValidateBufferQuestion> questions;
  for (const std::int64_t inputs : parse_integers(sizes, "--inputs", Tree::least_radix, Tree::most_radix))
    for (const Rational& load : parse_percent_list(loads, "--load"))
      for (const auto& burst :
           read_bursts(options.bursts, load, is_list(options.load) ? plain(load) : loads)) {
        ValidateBufferQuestion& question = questions.emplace_back(asked);
        question.inputs = inputs;
        question.load = load;
        question.burst = burst;
      }
  return questions;
}

Reply answer(const Options& options, const Context& context) {
  const answers::Units units = read_units(options.units);
  bool optimistic = false;
  Reply reply = show(simulate_points(read_questions(options), options.run, context,
                                     [&](auto points, std::size_t asked) {
                                       for (const auto& point : points)
                                         optimistic = optimistic || point.second.tally.optimistic() > 0;
                                       return render::document(std::move(points), asked, units);
                                     }),
                     context);
  if (optimistic) reply.status = no_answer;
  return reply;
}

}  // namespace

Command add_validate_buffer(CLI::App& validate) {
  CLI::App* command = validate.add_subcommand("buffer", "the occupancy of one output queue");
  const auto options = std::make_shared<Options>();
  const OptionGroup traffic(*command, "Traffic");
  const OptionGroup question(*command, "Question");
  traffic.add("--inputs", options->inputs, "K", "inputs of the switch, 2 to 1024, each with load R / K");
  traffic.add("--load", options->load, "R", "packets a slot of the queue");
  add_burst_options(*command, options->bursts, "Traffic");
  question.add("--levels", options->levels, "LIST",
               "packets n of P(Q > n); where the analysis says 0.5 ... 1e-6\nunless told");
  add_simulation_options(*command, options->run);
  add_unit_options(*command, options->units);
  add_plot_option(*command);
  command->footer(
      "Example:\n"
      "  tailbound validate buffer --inputs 16 --load 0.8 --levels 0:40:10\n"
      "prints\n"
      "\n"
      "  Occupancy by analysis and by simulation: 16 inputs at load 0.8\n"
      "\n"
      "    conclusion      the analysis is inside the interval in all 5 rows; too rare to judge: 1\n"
      "    intervals       99.17 % each, so that all 6 hold together in 95 % of such runs\n"
      "    simulated       4 replications of 5800000 slots after a warm-up of 512 (by rule), seed 1\n"
      "    took            6.0 s on 2 threads\n"
      "\n"
      "                 analysis       simulation                seen    error  analysis is\n"
      "      P(Q > 0)   0.8000000      0.799988 +- 4.9e-05  296955494   +0.0 %  inside\n"
      "      P(Q > 10)  0.009017375    0.00907 +- 9.2e-05     3366653   -0.6 %  inside\n"
      "      P(Q > 20)  0.00009290172  9.56e-05 +- 8.9e-06      35479   -2.8 %  inside\n"
      "      P(Q > 30)  9.571222e-7    1.4e-06 +- 9.6e-07         520  -31.7 %  inside\n"
      "      P(Q > 40)  9.860774e-9    0 (below 1.5e-08)            0        -  too rare\n"
      "      mean of Q  2.3            2.3003 +- 0.0017             -   -0.0 %  inside\n"
      "\n"
      "    Q: packets in the queue just after the arrivals of a slot, the one in service included. inside: "
      "within the\n"
      "    simulation's interval; above: conservative; below: optimistic; too rare: not judged. Error: "
      "prediction /\n"
      "    simulation - 1.\n");
  return {.app = command, .answer = [options](const Context& context) { return answer(*options, context); }};
}

}  // namespace tailbound::cli
