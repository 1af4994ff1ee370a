#include <cli/commands.hpp>
#include <cli/show.hpp>
#include <cli/traffic_options.hpp>
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

/// One question for each network and length; its loads share what is costly.
std::vector<WormholeQuestion> read_questions(const Options& options) {
  std::vector<WormholeQuestion> questions;
  const std::optional<std::size_t> channels = read_channels(options);
  for (const answers::WormholeNetwork& network : read_wormhole_networks(options.question))
    for (const std::int64_t flits : read_lengths(options.question))
      for (const std::optional<int> virtual_channels : read_virtual_channels(options.question))
        questions.push_back({.network = network,
                             .flits = flits,
                             .offered = read_loads(options.question),
                             .channels = channels,
                             .virtual_channels = virtual_channels});
  return questions;
}

Reply answer(const Options& options, const Context& context) {
  const std::vector<WormholeQuestion> questions = read_questions(options);
  return show_networks(
      questions, context,
      [](const auto& question, const answers::Run& run) { return answers::answer(question, run); },
      [](const auto& networks) { return render::document(networks); });
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
  return {.app = command, .answer = [options](const Context& context) {
            return answers::as_piece(analysis_run(context), [&] { return answer(*options, context); });
          }};
}

}  // namespace tailbound::cli
