#include <cli/commands/delays/fabric_delays.hpp>
#include <cli/options/files.hpp>
#include <cli/options/replies.hpp>
#include <cli/options/traffic_options.hpp>
#include <tailbound/answers/delay/fabric.hpp>
#include <tailbound/answers/points/combinations.hpp>
#include <tailbound/render/documents/delay/fabric.hpp>

#include <string>
#include <utility>
#include <vector>

namespace tailbound::cli {

void read_named(const std::string& path, const std::function<void(std::string_view bytes)>& take) {
  named_files().read_pieces(path, "traffic matrix of the network file", std::size_t{4} << 30, take);
}

std::vector<answers::FabricTopology> read_fabrics(const TopologyOptions& options, bool room) {
  if (!options.network || (options.matrix && options.uniform)) return {};
  const answers::NamedText file{*options.network, read_file(*options.network, "--network")};
  std::optional<answers::NamedText> matrix;
  if (options.matrix) matrix = {*options.matrix, read_file(*options.matrix, "--matrix")};
  return answers::read_fabrics(file, matrix, read_route(options), read_loads(options), read_named,
                               read_failures(options), room);
}

answers::NetworkTopology place_of(const answers::FabricTopology& topology) {
  return {.network = topology.fabric->network,
          .file = topology.file,
          .matrix = topology.matrix,
          .uniform = topology.uniform,
          .load_scale = topology.load_scale,
          .without = topology.without};
}

namespace {

constexpr const char* of_fabrics =
    "given for a network that is answered as a whole: more than 100000 pairs send, its routes are too many "
    "to "
    "list, or its switches share memory";

}  // namespace

void require_fabric_model(const DelayModelOptions& model) {
  const auto require = [](const char* option, const std::optional<std::string>& text, const char* legal) {
    if (text && *text != legal)
      throw InvalidArgument(option, *text, std::string(legal) + ": it is " + of_fabrics);
  };
  require("--sources", model.sources, "decoupled");
  require("--delay", model.delay, "wait");
  require("--hops", model.hops, "independent");
}

namespace {

std::vector<answers::FabricQuestion> read_questions(const DelayOptions& options) {
  require_fitting(options);
  const std::vector<answers::FabricTopology> topologies =
      read_fabrics(options.topology, options.drop.has_value());
  if (topologies.empty()) return {};
  refuse_given({{"--ccdf", &options.ccdf},
                {"--reorder", &options.reorder},
                {"--reorder-levels", &options.reorder_levels},
                {"--flow-rate", &options.flow_rate},
                {"--hop-ns", &options.hop_ns}},
               of_fabrics, "left out");
  require_fabric_model(options.model);
  answers::FabricQuestion plain_question;
  plain_question.percentiles = read_percentiles(options.percentiles);
  plain_question.digits = read_digits(options);
  plain_question.units = read_units(options.units);
  if (options.flow && *options.flow != "all") plain_question.flow = *options.flow;
  std::vector<answers::FabricQuestion> questions =
      answers::Combinations(plain_question)
          .by(topologies, &answers::FabricQuestion::topology)
          .by(read_drops(options), &answers::FabricQuestion::drop)
          .points();
  for (answers::FabricQuestion& question : questions) {
    question.check = read_check(options, questions.size());
    take_speed(question.units, question.topology.fabric->network);
  }
  return questions;
}

}  // namespace

std::vector<answers::ValidateDelayQuestion> read_fabric_validations(
    const TopologyOptions& topology, const DelayModelOptions& model,
    const answers::ValidateDelayQuestion& asked) {
  std::vector<answers::ValidateDelayQuestion> questions;
  for (const answers::FabricTopology& its : read_fabrics(topology)) {
    require_fabric_model(model);
    if (asked.time) throw InvalidArgument("--hop-ns", of_fabrics, "left out");
    answers::ValidateDelayQuestion& each = questions.emplace_back(asked);
    each.topology = place_of(its);
    each.fabric = {its.fabric, answers::simulated_fabric(*its.fabric)};
    each.hops = answers::Hops::independent;
  }
  return questions;
}

std::optional<Reply> reply_to_fabric(const DelayOptions& options, const Context& context) {
  const std::vector<answers::FabricQuestion> questions = read_questions(options);
  if (questions.empty()) return std::nullopt;
  if (context.draws && questions.size() < 2)
    throw InvalidArgument("--plot", "given for one network of many hosts",
                          "left out, or --uniform or --load-scale a list");
  const answers::Run run = analysis_run(context);
  return reply_of(questions,
                  answers::for_each_point(questions.size(), run,
                                          [&](std::size_t i) { return answers::answer(questions[i], run); }),
                  [](auto points) { return render::document(std::move(points)); });
}

}  // namespace tailbound::cli
