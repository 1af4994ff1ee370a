#include <fmt/format.h>
#include <cli/broadcast_command.hpp>
#include <cli/broadcast_options.hpp>
#include <cli/show.hpp>
#include <tailbound/answers/saturated.hpp>
#include <tailbound/render/documents/broadcast.hpp>
#include <tailbound/render/documents/hypercube.hpp>

#include <memory>

namespace tailbound::cli {
namespace {

using answers::BroadcastAnswer;
using answers::BroadcastQuestion;

struct Options {
  BroadcastOptions question;
  std::optional<std::string> replication;
};

/// One question for each combination of what was given as lists.
std::vector<BroadcastQuestion> read_questions(const Options& options) {
  const OfferedLoads offered = read_rates(options.question);
  std::vector<BroadcastQuestion> questions;
  for (const answers::BroadcastHypercube& hypercube : read_hypercubes(options.question))
    for (const answers::Replication replication : read_replications(options.replication))
      questions.push_back({.hypercube = hypercube, .replication = replication, .offered = offered});
  return questions;
}

/// \throws NoAnswer  saturated: which network, and by how much
BroadcastAnswer ask(const BroadcastQuestion& question, const answers::Run& run) {
  try {
    return answers::answer(question, run);
  } catch (const answers::Saturated& saturated) {
    throw NoAnswer(fmt::format(
        "the network is saturated at rate {}: by variant {} the {} saturates at {:.10g} messages/cycle/node, "
        "{:.3g} % below",
        saturated.load(), render::replication_name(question.replication),
        render::network_in_words(question.hypercube), saturated.saturation(),
        100 * (1 - saturated.saturation() / saturated.load())));
  }
}

Reply answer(const Options& options, const Context& context) {
  const std::vector<BroadcastQuestion> questions = read_questions(options);
  const answers::Run run = analysis_run(context);
  auto networks =
      answers::for_each_point(questions.size(), run, [&](std::size_t i) { return ask(questions[i], run); });
  std::size_t finished = 0;
  for (const BroadcastAnswer& network : networks.finished) finished += network.points.size();
  const std::size_t asked = questions.size() * questions.front().offered.values.size();
  render::Document document = render::document(paired(questions, std::move(networks.finished)));
  if (finished < asked) render::mark_stopped(document, finished, asked);
  return show(std::move(document), context);
}

}  // namespace

Command add_broadcast_command(CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("broadcast", "wormhole hypercube: unicast and broadcast latency, saturation");
  const auto options = std::make_shared<Options>();
  add_broadcast_options(*command, options->question);
  add_replication_option(*command, options->replication);
  add_plot_option(*command);
  command->footer(
      "Example:\n"
      "  tailbound broadcast --dimensions 3 --virtual-channels 4 --flits 32 --broadcast 0.01 --fractions "
      "10%,50%,80%\n"
      "prints\n"
      "\n"
      "  3-dimensional hypercube (8 nodes) with 4 virtual channels,\n"
      "  messages of 32 flits, broadcast 0.01, start-up 1; variant conserving;\n"
      "  saturation at 0.02593103543 messages/cycle/node\n"
      "\n"
      "    rate [messages/cycle/node]  of saturation  unicast [cycles]  broadcast [cycles]  multiplexing  "
      "injection wait [cycles]\n"
      "                     0.0025931         10.0 %           37.9345             111.107        1.1076     "
      "            0.534868\n"
      "                     0.0129655         50.0 %           60.8653             177.009       1.65266     "
      "             3.07211\n"
      "                     0.0207448         80.0 %           87.1245             251.519       2.17408     "
      "             5.74431\n"
      "\n"
      "  rate 0.0025931\n"
      "\n"
      "    Channels of each dimension:\n"
      "\n"
      "    dimension   busy  service [cycles]  wait [cycles]     all busy  blocking [cycles]  multiplexing\n"
      "            1  5.0 %           32.9604       0.874436  6.42467e-06        5.61796e-06       1.10598\n"
      "            2  5.1 %           33.4406       0.900218  6.80733e-06        6.12808e-06        1.1076\n"
      "            3  5.2 %           33.9208       0.926969  7.20684e-06        6.68051e-06       1.10923\n"
      "\n"
      "  rate 0.0129655\n"
      "\n"
      "    Channels of each dimension:\n"
      "\n"
      "    dimension    busy  service [cycles]  wait [cycles]    all busy  blocking [cycles]  multiplexing\n"
      "            1  25.2 %           32.9828        5.55789  0.00402633          0.0223779        1.6411\n"
      "            2  25.6 %           33.4759        5.75044  0.00427258          0.0245692       1.65264\n"
      "            3  25.9 %           33.9703         5.9517  0.00453062          0.0269649       1.66425\n"
      "\n"
      "  rate 0.0207448\n"
      "\n"
      "    Channels of each dimension:\n"
      "\n"
      "    dimension    busy  service [cycles]  wait [cycles]   all busy  blocking [cycles]  multiplexing\n"
      "            1  40.7 %           33.2723        11.4148  0.0273258           0.311917       2.14553\n"
      "            2  41.5 %           33.9468        12.0367  0.0296097           0.356404       2.17364\n"
      "            3  42.3 %           34.6508        12.7286  0.0321437           0.409144       2.20306\n"
      "\n"
      "    An approximate model; its digits are not proved. Latencies in cycles, of a broadcast until its "
      "last receiver.\n"
      "    Variant conserving counts each copy of a broadcast once. Against simulation of 21 networks with "
      "broadcast up to\n"
      "    0.05, up to 80 % of the saturation rate of conserving: unicast latency -30 to +11 %, broadcast "
      "latency -32 to\n"
      "    +35 %; with up to 6 virtual channels the networks carried 1.2 to 1.7 times its saturation "
      "rate.\n");
  return {.app = command, .answer = [options](const Context& context) { return answer(*options, context); }};
}

}  // namespace tailbound::cli
