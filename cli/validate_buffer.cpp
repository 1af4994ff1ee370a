#include <cli/commands.hpp>
#include <cli/number_options.hpp>
#include <cli/replies.hpp>
#include <cli/traffic_options.hpp>
#include <tailbound/answers/validate_buffer.hpp>
#include <tailbound/render/documents/validate_buffer.hpp>

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
  asked.levels = packets_of(options.levels, "--levels", 0, 1'000'000);
  asked.length = read_run_length(options.run);
  std::vector<ValidateBufferQuestion> questions;
  for (const std::int64_t inputs : parse_integers(sizes, "--inputs", Tree::least_radix, Tree::most_radix))
    for (const Rational& load : parse_percent_list(loads, "--load"))
      for (const traffic::Destination destination :
           read_destinations(options.bursts.destination, options.bursts.burst.has_value()))
        for (const auto& burst : read_bursts(options.bursts, load)) {
          ValidateBufferQuestion& question = questions.emplace_back(asked);
          question.inputs = inputs;
          question.load = load;
          question.burst = burst;
          question.destination = destination;
        }
  return questions;
}

Reply answer(const Options& options, const Context& context) {
  const answers::Units units = read_units(options.units);
  return judge_all(read_questions(options), options.run, context, [&](const auto& points, std::size_t asked) {
    return render::document(points, asked, units);
  });
}

void declare(OptionTable& table, Options& options) {
  const OptionGroup traffic(table, "Traffic");
  const OptionGroup question(table, "Question");
  traffic.add("--inputs", options.inputs, "K", "inputs of the switch, 2 to 1024, each with load R / K");
  traffic.add("--load", options.load, "R", "packets a slot of the queue");
  add_burst_options(table, options.bursts, "Traffic");
  question.add("--levels", options.levels, "LIST",
               "packets n of P(Q > n), the packet in service counts; where the\nanalysis says 0.5 ... 1e-6 "
               "unless told");
  add_simulation_options(table, options.run);
  add_unit_options(table, options.units);
}

}  // namespace

Command validate_buffer_command() {
  return command_of<Options>("validate buffer", "the occupancy of one output queue", true, declare, answer);
}

}  // namespace tailbound::cli
