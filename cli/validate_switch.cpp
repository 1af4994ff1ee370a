#include <cli/commands.hpp>
#include <cli/simulated_points.hpp>
#include <cli/traffic_options.hpp>
#include <tailbound/answers/validate_switch.hpp>
#include <tailbound/render/documents/validate_switch.hpp>

namespace tailbound::cli {
namespace {

using answers::ValidateSwitchQuestion;
using bounds::Criterion;
using numeric::Rational;

constexpr std::int64_t most_inputs = 1024, most_outputs = 4096, most_memory = 1'000'000;

/// As typed; an option that was not given is empty.
struct Options {
  std::optional<std::string> inputs, outputs, load, criterion, threshold, memory;
  SimulationOptions run;
};

std::vector<std::optional<Rational>> read_thresholds(const Options& options, Criterion criterion) {
  if (!options.threshold) return {std::nullopt};
  if (criterion != Criterion::loss)
    throw InvalidArgument("--threshold", "given with --criterion overflow",
                          "given with --criterion loss: with unlimited room there is no threshold");
  std::vector<std::optional<Rational>> thresholds;
  for (const Rational& alpha : parse_list(*options.threshold, "--threshold")) thresholds.emplace_back(alpha);
  return thresholds;
}

/// One question for each combination of what was given as lists; of losses, for each memory.
std::vector<ValidateSwitchQuestion> read_questions(const Options& options) {
  const std::string& sizes = required(options.inputs, "--inputs", "given: from 1 to 1024");
  const std::string& loads =
      required(options.load, "--load", "given: packets a slot of each input, such as 0.8");
  const Criterion criterion =
      choices_or_first<Criterion>(options.criterion, "--criterion",
                                  {{"overflow", Criterion::overflow}, {"loss", Criterion::loss}})
          .front();
  if (options.criterion && is_list(*options.criterion))
    throw InvalidArgument("--criterion", *options.criterion, "one of overflow and loss");
  std::vector<Packets> memories;
  if (options.memory)
    for (const std::int64_t memory : parse_integers(*options.memory, "--memory", 1, most_memory))
      memories.emplace_back(memory);
  std::vector<ValidateSwitchQuestion> questions;
  const auto add = [&](ValidateSwitchQuestion question) {
    if (criterion == Criterion::overflow) {
      questions.push_back(std::move(question));
      return;
    }
    std::vector<Packets> each = memories;
    // Those that take no more than seconds to see.
    if (each.empty())
      each = answers::usual_memories(question, {Rational(1) / 100, Rational(1) / 1000, Rational(1) / 10'000});
    for (const Packets memory : each) questions.emplace_back(question).memories = {memory};
  };
  for (const std::int64_t inputs : parse_integers(sizes, "--inputs", 1, most_inputs))
    for (const std::int64_t outputs : integers_or(inputs, options.outputs, "--outputs", 1, most_outputs))
      for (const auto& threshold : read_thresholds(options, criterion))
        for (const Rational& load : parse_percent_list(loads, "--load")) {
          if (load <= 0 || load > 1)
            throw InvalidArgument("--load", numeric::plain(load), "above 0 and at most 1 packet a slot");
          add({.traffic = {inputs, load},
               .outputs = outputs,
               .criterion = criterion,
               .threshold = threshold,
               .memories = memories,
               .length = read_run_length(options.run)});
        }
  return questions;
}

Reply answer(const Options& options, const Context& context) {
  const auto questions = read_questions(options);
  const auto points =
      paired(questions, simulate_each(questions, questions.size(), options.run, context).finished);
  return judged(render::document(points, questions.size()), points);
}

void declare(OptionTable& table, Options& options) {
  const OptionGroup traffic(table, "Traffic");
  const OptionGroup question(table, "Question");
  traffic.add("--inputs", options.inputs, "K", "inputs, each sends at most one packet a slot");
  traffic.add("--outputs", options.outputs, "N", "outputs, each with a queue (K unless told)");
  traffic.add("--load", options.load, "R", "packets a slot of each input: 0.8 or 80%");
  question.add("--criterion", options.criterion, "NAME",
               "overflow: P(T > M) with unlimited room, the default; or loss:\nthe fraction of packets lost");
  question.add("--threshold", options.threshold, "ALPHA", "of losses: a dynamic threshold");
  question.add("--memory", options.memory, "LIST",
               "M; where about 0.5 ... 1e-6 are (of losses 1e-2 ... 1e-4)\nunless told");
  add_simulation_options(table, options.run);
}

}  // namespace

Command validate_switch_command() {
  return command_of<Options>("validate switch", "the memory that the ports of a switch share", true, declare,
                             answer);
}

}  // namespace tailbound::cli
