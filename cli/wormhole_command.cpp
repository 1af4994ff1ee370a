#include <cli/commands.hpp>
#include <cli/show.hpp>
#include <cli/traffic_options.hpp>
#include <cli/wormhole_question.hpp>
#include <tailbound/render/documents/wormhole.hpp>

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
  return answers::as_piece(analysis_run(context), [&] {
    return show_networks(
        read_questions(options), context,
        [](const auto& question, const answers::Run& run) { return answers::answer(question, run); },
        [](const auto& networks) { return render::document(networks); });
  });
}

void declare(OptionTable& table, Options& options) {
  add_wormhole_options(table, options.question);
  OptionGroup(table, "Output")
      .add_words("--channels", options.channels, "[N]",
                 "list the N busiest channels behind the sources for each load (10)", 0, 1);
}

}  // namespace

Command wormhole_command() {
  return command_of<Options>("wormhole", "wormhole network: latency, saturation, bottleneck", true, declare,
                             answer);
}

}  // namespace tailbound::cli
