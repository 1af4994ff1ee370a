#include <fmt/format.h>
#include <cli/broadcast_options.hpp>
#include <cli/commands.hpp>
#include <cli/show.hpp>
#include <tailbound/answers/saturated.hpp>
#include <tailbound/render/documents/broadcast.hpp>
#include <tailbound/render/documents/hypercube.hpp>

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
  return answers::as_piece(analysis_run(context), [&] {
    return show_networks(read_questions(options), context, ask,
                         [](const auto& networks) { return render::document(networks); });
  });
}

void declare(OptionTable& table, Options& options) {
  add_broadcast_options(table, options.question);
  add_replication_option(table, options.replication);
}

}  // namespace

Command broadcast_command() {
  return command_of<Options>("broadcast", "wormhole hypercube: unicast and broadcast latency, saturation",
                             true, declare, answer);
}

}  // namespace tailbound::cli
