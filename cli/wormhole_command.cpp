#include <fmt/format.h>
#include <cli/show.hpp>
#include <cli/traffic_options.hpp>
#include <cli/wormhole_command.hpp>
#include <cli/wormhole_question.hpp>
#include <tailbound/render/documents/wormhole.hpp>

#include <memory>
#include <vector>

namespace tailbound::cli {
namespace {

using answers::WormholeQuestion;

struct Options {
  WormholeOptions question;
  std::vector<std::string> channels;  ///< --channels: the number, or "" if none is given
};

std::optional<std::size_t> read_channels(const Options& options) {
  if (options.channels.empty()) return std::nullopt;
  const std::string& text = options.channels.front();
  return text.empty() ? 10 : static_cast<std::size_t>(parse_integer(text, "--channels", 1, 1'000'000));
}

[[noreturn]] void refuse_saturated(const WormholeQuestion& question, const answers::Saturated& saturated) {
  throw NoAnswer(fmt::format(
      "the network is saturated at load {}: the {} saturates at {:.10g} flits/cycle/node, {:.3g} % below",
      saturated.load(), answers::name(question.network), saturated.saturation(),
      100 * (1 - saturated.saturation() / saturated.load())));
}

/// One question for each network and length; its loads share what is costly.
std::vector<WormholeQuestion> read_questions(const Options& options) {
  std::vector<WormholeQuestion> questions;
  const std::optional<std::size_t> channels = read_channels(options);
  for (const answers::WormholeNetwork& network : read_wormhole_networks(options.question))
    for (const std::int64_t flits : read_lengths(options.question))
      questions.push_back({.network = network,
                           .flits = flits,
                           .offered = read_loads(options.question),
                           .channels = channels});
  return questions;
}

Reply answer(const Options& options, const Context& context) {
  const std::vector<WormholeQuestion> questions = read_questions(options);
  const answers::Run run = analysis_run(context);
  std::vector<render::WormholeNetworkAnswer> networks;
  std::size_t finished = 0, asked = 0;
  for (const WormholeQuestion& question : questions) asked += question.offered.values.size();
  for (const WormholeQuestion& question : questions) {
    try {
      networks.emplace_back(question, answers::answer(question, run));
    } catch (const answers::Saturated& saturated) {
      refuse_saturated(question, saturated);
    } catch (const Stopped&) {
      if (networks.empty()) throw;
      break;
    }
    finished += networks.back().second.points.size();
    if (networks.back().second.stopped) break;
  }
  render::Document document = render::document(networks);
  if (finished < asked) render::mark_stopped(document, finished, asked);
  return show(std::move(document), context);
}

}  // namespace

Command add_wormhole_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand("wormhole", "wormhole network: latency, saturation, bottleneck");
  const auto options = std::make_shared<Options>();
  add_wormhole_options(*command, options->question);
  command
      ->add_option("--channels", options->channels,
                   "list the N busiest channels behind the sources for each load (10)")
      ->type_name("[N]")
      ->expected(0, 1)
      ->group("Output");
  add_plot_option(*command);
  command->footer(
      "Example:\n"
      "  tailbound wormhole --topology mesh --nodes 64 --flits 32 --fractions 10%,50%,80%\n"
      "prints\n"
      "\n"
      "  8 x 8 mesh, messages of 32 flits\n"
      "\n"
      "    load [flits/cycle/node]  of saturation  latency [cycles]  source wait [cycles]  service [cycles]  "
      "busiest channel    busy  saturation [flits/cycle/node]\n"
      "                  0.0188562         10.0 %           39.8995              0.332371           33.2338  "
      "(3,0) -> (4,0)    3.9 %                       0.188562\n"
      "                   0.094281         50.0 %           49.9267               2.89873           40.6947  "
      "(3,0) -> (4,0)   22.5 %                       0.188562\n"
      "                    0.15085         80.0 %           71.3994               10.8768           54.1893  "
      "(2,0) -> (3,0)   42.4 %                       0.188562\n"
      "\n"
      "    saturation 0.1885620332 flits/cycle/node; mean distance 7.333333333 channels, injection and "
      "ejection included\n"
      "    An approximate model; its digits are not proved. Against flit-level simulation of seven networks "
      "(fat-trees,\n"
      "    meshes, tori, a hypercube; uniform traffic) latency is within 2 % up to half of the saturation "
      "load and within 4\n"
      "    % up to 70 % of it; `tailbound validate wormhole` measures it on others.\n"
      "    Beyond 70 % of saturation it is off by -4 % (hypercube) to +5 % at 80 %, by -1 % to +16 % "
      "(fat-tree) at 90 %,\n"
      "    and pessimistic about saturation: networks carry more than its saturation load, fat-trees 13 %, "
      "meshes 17 %,\n"
      "    one-way tori 28 %, two-way tori 12 %, a hypercube 2 %.\n");
  return {.app = command, .answer = [options](const Context& context) { return answer(*options, context); }};
}

}  // namespace tailbound::cli
