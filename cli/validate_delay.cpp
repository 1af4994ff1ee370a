#include <cli/commands.hpp>
#include <cli/delay_question.hpp>
#include <cli/simulate_tree.hpp>
#include <cli/simulated_points.hpp>
#include <tailbound/answers/validate_delay.hpp>
#include <tailbound/render/documents/validate_delay.hpp>

namespace tailbound::cli {
namespace {

using answers::ValidateDelayQuestion;

/// As typed; an option that was not given is empty.
struct Options {
  TopologyOptions topology;
  BurstOptions burst;
  SimulationOptions run;
  DelayModelOptions model;
  UnitOptions units;
  std::optional<std::string> percentiles, ccdf, hop_ns;
};

/// One question for each combination of what was given as lists.
std::vector<ValidateDelayQuestion> read_questions(const Options& options) {
  const std::vector<answers::Topology> topologies =
      read_topologies_to_simulate(options.topology, options.burst);
  ValidateDelayQuestion asked;
  asked.length = read_run_length(options.run);
  asked.time = read_slot_time(options.hop_ns, options.units);
  if (options.ccdf)
    for (const std::int64_t slots : read_ccdf_slots(*options.ccdf)) asked.levels.emplace_back(slots);
  asked.percentiles = read_percentiles(options.percentiles);
  const std::vector<queue::HopDelay> hop_delays = read_hop_delays(options.model);
  std::vector<ValidateDelayQuestion> questions;
  for (const network::Sources sources : read_sources_list(options.model, topologies.front()))
    for (const queue::HopDelay hop_delay : hop_delays)
      for (const answers::Topology& topology : topologies) {
        ValidateDelayQuestion& question = questions.emplace_back(asked);
        question.topology = topology;
        question.sources = sources;
        question.hop_delay = hop_delay;
      }
  return questions;
}

Reply answer(const Options& options, const Context& context) {
  const answers::Units units = read_units(options.units);
  const auto questions = read_questions(options);
  const auto points =
      paired(questions, simulate_each(questions, questions.size(), options.run, context).finished);
  return judged(render::document(points, questions.size(), units), points);
}

void declare(OptionTable& table, Options& options) {
  add_topology_options(table, options.topology);
  add_burst_options(table, options.burst, "A tree under uniform traffic");
  const OptionGroup question(table, "Question");
  add_delay_model_options(table, options.model);
  question.add("--ccdf", options.ccdf, "LIST",
               "slots t of P(queueing delay > t); where the analysis says\n0.5 ... 1e-6 unless told");
  question.add("--percentiles", options.percentiles, "LIST",
               "in percent; 50,90,99,99.99,99.9999 unless told");
  add_simulation_options(table, options.run);
  add_unit_options(table, options.units);
  add_hop_option(table, options.hop_ns);
}

}  // namespace

Command validate_delay_command() {
  return command_of<Options>("validate delay", "end-to-end delays of a tree or any network", true, declare,
                             answer);
}

}  // namespace tailbound::cli
