#include <fmt/format.h>
#include <cli/commands.hpp>
#include <cli/help/completion.hpp>
#include <cli/help/manual.hpp>
#include <cli/options/options.hpp>
#include <cli/program.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/render/documents/accuracy/accuracy.hpp>
#include <tailbound/render/documents/output_page.hpp>
#include <tailbound/render/documents/schema.hpp>

#include <string>
#include <vector>

namespace tailbound::cli {
namespace {

struct SchemaOptions {
  OptionTable rows{};
  OptionGroup schema{rows, "Schema"};
  Words command{schema, "COMMAND", "TEXT", 0, 2, "the command, such as buffer or simulate tree"};
  Flag keys{schema, "--keys",
            "the keys with unit, kind and meaning, as Markdown.\nOf all commands if none is named"};
  Flag accuracy{schema, "--accuracy",
                "the measured accuracy of each model, as Markdown.\nWith the commands that reproduce it"};
  One<Shell> completion{
      schema, "--completion", "SHELL", one_name<Shell>(),
      "completion script: bash, zsh or fish.\nsource <(tailbound schema --completion bash)"};
  Flag manual{schema, "--man",
              "manual page, of COMMAND or the program.\ntailbound schema --man buffer | man -l -"};
};

/// Of every command that outputs a document, in the order of the help.
std::vector<render::Layout> all_layouts() {
  std::vector<render::Layout> all;
  for (const Category& category : categories())
    for (Command (*const make)() : category.commands)
      if (const Command command = make(); command.layout != nullptr) all.push_back(command.layout());
  return all;
}

std::string manual_of(const std::string& command) {
  const Program program(command.substr(0, command.find(' ')));
  std::vector<std::string> names;
  for (const Command& each : program.commands()) names.push_back(each.name);
  return command_manual(program.commands()[parse_choice(command, "COMMAND", names)]);
}

Reply answer(const SchemaOptions& options, const Context&) {
  Reply reply;
  if (options.completion) {
    reject_with({&options.command, &options.keys, &options.accuracy, &options.manual}, "--completion",
                "it covers all commands");
    reply.text = completion_script(options.completion.value());
    return reply;
  }
  if (options.accuracy) {
    reject_with({&options.command, &options.keys, &options.manual}, "--accuracy", "it covers all models");
    reply.text = render::trust_page();
    return reply;
  }
  const std::string command = fmt::format("{}", fmt::join(options.command.words(), " "));
  if (options.manual) {
    reject_with({&options.keys}, "--man");
    reply.text = options.command ? manual_of(command) : program_manual();
    return reply;
  }
  if (!options.command && options.keys) {
    reply.text = render::output_page(all_layouts());
    return reply;
  }
  const std::vector<render::Layout> layouts = all_layouts();
  std::vector<std::string> names;
  for (const render::Layout& layout : layouts) names.push_back(layout.command);
  if (command.empty()) throw missing("COMMAND", fmt::format("one of {}", fmt::join(names, ", ")));
  const render::Layout& layout = layouts[parse_choice(command, "COMMAND", names)];
  reply.text = options.keys ? render::keys_as_markdown(layout) : render::json_schema(layout);
  return reply;
}

}  // namespace

Command schema_command() {
  return command_of<SchemaOptions>({.name = "schema",
                                    .purpose = "JSON Schemas, keys, manual pages, shell completion",
                                    .work = Work::analysis,
                                    .answer = answer});
}

}  // namespace tailbound::cli
