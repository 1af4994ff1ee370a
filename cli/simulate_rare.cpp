#include <cln/rational.h>
#include <cli/simulate_tree.hpp>
#include <cli/simulated_points.hpp>
#include <cli/traffic_options.hpp>
#include <tailbound/answers/simulate_rare.hpp>
#include <tailbound/render/documents/simulate_tree.hpp>

#include <utility>

namespace tailbound::cli {
namespace {

using answers::RareMethod;
using answers::SimulateRareQuestion;
using numeric::Rational;

constexpr std::int64_t most_packets = 100'000;

void require_alone(const TreeSimulationOptions& options) {
  const std::pair<const char*, bool> others[] = {
      {"--network", options.topology.network.has_value()},      {"--buffer", options.buffer.has_value()},
      {"--occupancy", options.occupancy.has_value()},           {"--ccdf", options.ccdf.has_value()},
      {"--percentiles", options.percentiles.has_value()},       {"--reorder", options.reorder},
      {"--reorder-levels", options.reorder_levels.has_value()}, {"--hop-ns", options.hop_ns.has_value()}};
  for (const auto& [name, given] : others)
    if (given)
      throw InvalidArgument(name, "given together with --rare",
                            "left out: --rare asks for P(Q > level) in a tree, and nothing else");
}

/// Importance sampling has neither a warm-up nor replications to choose.
void require_fitting_run(const SimulateRareQuestion& question, const SimulationOptions& run) {
  if (method_of(question) != RareMethod::importance_sampling) return;
  for (const auto& [name, value] :
       {std::pair{"--warmup", &run.warmup}, std::pair{"--replications", &run.replications}})
    if (*value)
      throw InvalidArgument(name, "given for the first hop of --rare",
                            "left out: cycles of one queue need no warm-up and are independent");
}

/// Levels and probabilities, as the numbers are.
std::vector<std::variant<Packets, Rational>> read_rare(const TreeSimulationOptions& options) {
  std::vector<std::variant<Packets, Rational>> all;
  for (const Rational& entry : parse_list(*options.rare, "--rare")) {
    const std::string text = is_list(*options.rare) ? plain(entry) : *options.rare;
    if (entry <= 0)
      throw InvalidArgument("--rare", text, "a probability below 1, or a level: 1 packet or more");
    if (entry < 1)
      all.emplace_back(entry);
    else
      all.emplace_back(Packets(to_integer(entry, "--rare", 1, most_packets)));
  }
  return all;
}

/// One question for each combination of what was given as lists.
std::vector<SimulateRareQuestion> read_questions(const TreeSimulationOptions& options) {
  require_alone(options);
  const std::vector<answers::Topology> trees = read_topologies_to_simulate(options.topology, options.burst);
  const std::string hops = options.hop.value_or("1");
  const answers::RunLength length = read_run_length(options.run, 64);
  std::vector<SimulateRareQuestion> questions;
  for (const answers::Topology& its : trees) {
    const auto& tree = std::get<answers::TreeTopology>(its);
    for (const std::int64_t hop : parse_integers(hops, "--hop", 1, sim::stage_count(tree.tree)))
      for (const std::variant<Packets, Rational>& rare : read_rare(options)) {
        questions.push_back({.topology = tree, .hop = static_cast<int>(hop), .rare = rare, .length = length});
        require_fitting_run(questions.back(), options.run);
      }
  }
  return questions;
}

}  // namespace

Reply answer_rare(const TreeSimulationOptions& options, const Context& context) {
  const answers::Units units = read_units(options.units);
  const std::vector<SimulateRareQuestion> questions = read_questions(options);
  if (context.draws && questions.size() < 2)
    throw InvalidArgument("--plot", "given together with --rare",
                          "left out: the answer is one number; or --rare (--load, --hop, ...) a list");
  return {.document = simulate_points(
              questions, options.run, context,
              [&](const auto& points, std::size_t asked) { return render::document(points, asked, units); })};
}

}  // namespace tailbound::cli
