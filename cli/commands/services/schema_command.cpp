#include <fmt/format.h>
#include <cli/commands.hpp>
#include <cli/options/options.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/render/documents/accuracy/accuracy.hpp>
#include <tailbound/render/documents/output_page.hpp>
#include <tailbound/render/documents/schema.hpp>

#include <string>
#include <vector>

namespace tailbound::cli {
namespace {

struct SchemaOptions {
  std::vector<std::string> words;  ///< of the command: "simulate", "tree"
  bool keys = false, accuracy = false;
};

/// Of every command that shows a document, in the order of the help.
std::vector<render::Layout> all_layouts() {
  std::vector<render::Layout> all;
  for (const Room& room : rooms())
    for (Command (*const make)() : room.commands)
      if (const Command command = make(); command.layout != nullptr) all.push_back(command.layout());
  return all;
}

Reply answer(const SchemaOptions& options, const Context&) {
  Reply reply;
  if (options.accuracy) {
    if (options.keys || !options.words.empty())
      throw InvalidArgument("--accuracy", "given with COMMAND or --keys", "given alone: it is of all models");
    reply.text = render::trust_page();
    return reply;
  }
  if (options.words.empty() && options.keys) {
    reply.text = render::output_page(all_layouts());
    return reply;
  }
  const std::vector<render::Layout> layouts = all_layouts();
  std::vector<std::string> names;
  for (const render::Layout& layout : layouts) names.push_back(layout.command);
  const std::string command = fmt::format("{}", fmt::join(options.words, " "));
  if (command.empty())
    throw InvalidArgument("COMMAND", "missing", fmt::format("one of {}", fmt::join(names, ", ")));
  const render::Layout& layout = layouts[parse_choice(command, "COMMAND", names)];
  reply.text = options.keys ? render::keys_as_markdown(layout) : render::json_schema(layout);
  return reply;
}

void declare(OptionTable& table, SchemaOptions& options) {
  const OptionGroup question(table, "Question");
  question.add_words("COMMAND", options.words, "TEXT", "the command, such as buffer or simulate tree", 0, 2);
  question.add_flag("--keys", options.keys,
                    "the keys with unit, kind and meaning, as markdown; of all commands unless one is named");
  question.add_flag(
      "--accuracy", options.accuracy,
      "how far each model was off simulation, and the commands that reproduce\nit, as markdown");
}

}  // namespace

Command schema_command() {
  return command_of<SchemaOptions>({.name = "schema",
                                    .purpose = "what a command writes: JSON Schema, list of keys",
                                    .work = Work::analysis,
                                    .declare = declare,
                                    .answer = answer});
}

}  // namespace tailbound::cli
