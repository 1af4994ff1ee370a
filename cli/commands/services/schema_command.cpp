#include <fmt/format.h>
#include <cli/commands.hpp>
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
  Flag completion{schema, "--completion",
                  "completion script for bash.\nsource <(tailbound schema --completion)"};
};

/// Of every command that outputs a document, in the order of the help.
std::vector<render::Layout> all_layouts() {
  std::vector<render::Layout> all;
  for (const Category& category : categories())
    for (Command (*const make)() : category.commands)
      if (const Command command = make(); command.layout != nullptr) all.push_back(command.layout());
  return all;
}

/// For bash, which requests the words that may follow.
std::string completion() {
  std::string first, second, options, values;
  CommonOptions common;
  for (const Category& category : categories()) {
    first += (first.empty() ? "" : " ") + std::string(category.name);
    std::vector<std::string> inner;
    for (Command (*const make)() : category.commands) {
      Command command = make();
      add_common_options(command, common);
      if (command.name != category.name) inner.push_back(command.name.substr(category.name.size() + 1));
      std::vector<std::string> names = command.options.names();
      names.emplace_back("--help");
      for (const Option& option : command.options.options) {
        const std::vector<std::string>& choices = option.values.choices;
        if (option.name.rfind("--", 0) != 0) {
          names.insert(names.end(), choices.begin(), choices.end());
        } else if (option.type == "FILE" || option.type == "FOLDER") {
          values += fmt::format("    '{} {}') files=yes ;;\n", command.name, option.name);
        } else if (option.flag == nullptr) {
          values +=
              fmt::format("    '{} {}') words='{}' ;;\n", command.name, option.name, fmt::join(choices, " "));
        }
      }
      options += fmt::format("    '{}') options='{}' ;;\n", command.name, fmt::join(names, " "));
    }
    if (!inner.empty())
      second += fmt::format("    {}) words='{}' ;;\n", category.name, fmt::join(inner, " "));
  }
  return fmt::format(R"(# Completion of tailbound for bash: source <(tailbound schema --completion)
_tailbound() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}}
  local words='' options='' files='' depth=1
  case $command in
{}  esac
  if [ -n "$words" ]; then
    depth=2
    command="$command ${{COMP_WORDS[2]}}"
  fi
  if [ "$COMP_CWORD" -eq 1 ]; then
    words='{} --help --version'
  elif [ "$COMP_CWORD" -gt "$depth" ]; then
    words=''
    case $command in
{}    esac
    case "$command $previous" in
{}    *) words=$options ;;
    esac
  fi
  if [ -n "$files" ]; then
    COMPREPLY=($(compgen -f -- "$current"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
}}
complete -o filenames -F _tailbound tailbound
)",
                     second, first, options, values);
}

Reply answer(const SchemaOptions& options, const Context&) {
  Reply reply;
  if (options.completion) {
    if (options.keys || options.accuracy || options.command)
      throw not_allowed_with("--completion", "COMMAND, --keys or --accuracy", "it covers all commands");
    reply.text = completion();
    return reply;
  }
  if (options.accuracy) {
    if (options.keys || options.command)
      throw not_allowed_with("--accuracy", "COMMAND or --keys", "it covers all models");
    reply.text = render::trust_page();
    return reply;
  }
  if (!options.command && options.keys) {
    reply.text = render::output_page(all_layouts());
    return reply;
  }
  const std::vector<render::Layout> layouts = all_layouts();
  std::vector<std::string> names;
  for (const render::Layout& layout : layouts) names.push_back(layout.command);
  const std::string command = fmt::format("{}", fmt::join(options.command.words(), " "));
  if (command.empty()) throw missing("COMMAND", fmt::format("one of {}", fmt::join(names, ", ")));
  const render::Layout& layout = layouts[parse_choice(command, "COMMAND", names)];
  reply.text = options.keys ? render::keys_as_markdown(layout) : render::json_schema(layout);
  return reply;
}

}  // namespace

Command schema_command() {
  return command_of<SchemaOptions>({.name = "schema",
                                    .purpose = "output format: JSON Schema, list of keys",
                                    .work = Work::analysis,
                                    .answer = answer});
}

}  // namespace tailbound::cli
