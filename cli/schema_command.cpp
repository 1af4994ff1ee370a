#include <fmt/format.h>
#include <cli/commands.hpp>
#include <cli/traffic_options.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/render/documents/layouts.hpp>
#include <tailbound/render/schema.hpp>

#include <memory>
#include <string>
#include <vector>

namespace tailbound::cli {
namespace {

struct Options {
  std::vector<std::string> words;  ///< of the command: "simulate", "tree"
  bool keys = false;
};

Reply answer(const Options& options) {
  Reply reply;
  if (options.words.empty() && options.keys) {
    reply.text = render::output_page();
    return reply;
  }
  const std::vector<render::Layout> layouts = render::all_layouts();
  std::vector<std::string> names;
  for (const render::Layout& layout : layouts) names.push_back(layout.command);
  const std::string command = fmt::format("{}", fmt::join(options.words, " "));
  if (command.empty())
    throw InvalidArgument("COMMAND", "missing", fmt::format("one of {}", fmt::join(names, ", ")));
  const render::Layout& layout = layouts[parse_choice(command, "COMMAND", names)];
  reply.text = options.keys ? render::keys_as_markdown(layout) : render::json_schema(layout);
  return reply;
}

}  // namespace

Command add_schema_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand("schema", "what a command writes: JSON Schema, list of keys");
  const auto options = std::make_shared<Options>();
  command->add_option("COMMAND", options->words, "the command, such as buffer or simulate tree")
      ->expected(0, 2)
      ->group("Question");
  command
      ->add_flag("--keys", options->keys,
                 "the keys with unit, kind and meaning, as markdown; of all commands unless one is named")
      ->group("Question");
  return {.app = command, .answer = [options](const Context&) { return answer(*options); }};
}

}  // namespace tailbound::cli
