#include <cli/help/completion.hpp>

#include <cli/program.hpp>
#include <cli/usage.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace tailbound::cli {
namespace {

enum class Takes { nothing, perhaps, value, choice, file, folder };

/// An option, or what follows a command without a name of its own.
struct Completed {
  std::string letter, name;  ///< "-i" or empty, "--inputs"; "FILE"
  std::string help;
  Takes takes = Takes::nothing;
  std::string type{};
  std::vector<std::string> choices{};
  int most = 1;  ///< of an argument: number of words
  bool repeats = false;

  [[nodiscard]] bool is_argument() const { return name.rfind("--", 0) != 0; }
};

/// What may follow these words of a command line.
struct Place {
  std::string words;                                           ///< "", "simulate", "simulate tree"
  std::vector<std::pair<std::string, std::string>> further{};  ///< the next word, with its purpose
  std::vector<Completed> options{};
};

Completed completed_option(const Option& option, const std::vector<std::string>& commands) {
  Completed made{.letter = option.is_argument() ? "" : short_name(option.name),
                 .name = option.name,
                 .help = phrase_of(option.help),
                 .takes = Takes::value,
                 .type = option.type.empty() ? option.name : option.type,
                 .choices = option.name == "COMMAND" ? commands : option.values.choices,
                 .most = std::max(1, option.maximum),
                 .repeats = option.repeats};
  if (option.flag != nullptr)
    made.takes = Takes::nothing;
  else if (option.words != nullptr && option.minimum == 0 && !option.is_argument())
    made.takes = Takes::perhaps;
  else if (option.names_file())
    made.takes = Takes::file;
  else if (option.type == "FOLDER")
    made.takes = Takes::folder;
  else if (!made.choices.empty())
    made.takes = Takes::choice;
  return made;
}

/// Of all commands, in the order of the help.
std::vector<Place> places() {
  std::vector<std::string> words;
  for (const Category& category : categories()) words.emplace_back(category.name);
  const Program program("");
  for (const Command& command : program.commands())
    if (const std::size_t blank = command.name.find(' '); blank != std::string::npos)
      if (const std::string inner = command.name.substr(blank + 1);
          std::find(words.begin(), words.end(), inner) == words.end())
        words.push_back(inner);

  std::vector<Place> all(1);
  const auto add_general = [](Place& place) {
    for (const GeneralOption& its : general_options)
      place.options.push_back({.letter = its.letter, .name = its.name, .help = its.help});
  };
  for (const Category& category : categories()) {
    all.front().further.emplace_back(category.name, purpose_of(category));
    if (category.commands.size() > 1) all.push_back({.words = std::string(category.name)});
    const std::size_t gathering = all.size() - 1;
    for (const Command& command : program.commands()) {
      if (command.name.substr(0, command.name.find(' ')) != category.name) continue;
      if (category.commands.size() > 1)
        all[gathering].further.emplace_back(command.name.substr(category.name.size() + 1), command.purpose);
      Place place{.words = command.name};
      for (const Option& option : command.options.options)
        place.options.push_back(completed_option(option, words));
      all.push_back(std::move(place));
    }
  }
  all.front().further.emplace_back("help", "all options and examples of a command");
  all.push_back({.words = "help",
                 .options = {{.letter = "",
                              .name = "COMMAND",
                              .help = "the command",
                              .takes = Takes::choice,
                              .type = "COMMAND",
                              .choices = words,
                              .most = 2}}});
  for (Place& place : all) add_general(place);
  return all;
}

/// In single quotes of a shell.
std::string quoted(std::string_view text, std::string_view quote) {
  std::string all = "'";
  for (const char c : text) all += c == '\'' ? std::string(quote) : std::string(1, c);
  return all + "'";
}

std::string next_words(const Place& place) {
  std::string all;
  for (const auto& [word, purpose] : place.further) all += (all.empty() ? "" : " ") + word;
  return all;
}

std::string bash_script(const std::vector<Place>& all) {
  std::string further, options, values;
  for (const Place& place : all) {
    if (!place.further.empty())
      further += fmt::format("    '{}') words='{}' ;;\n", place.words, next_words(place));
    std::string names, arguments;
    for (const Completed& option : place.options) {
      if (option.is_argument()) {
        arguments += option.takes == Takes::file ? " operands=yes"
                                                 : fmt::format(" arguments='{}' most={}",
                                                               fmt::join(option.choices, " "), option.most);
        continue;
      }
      names += (names.empty() ? "" : " ") + option.name;
      if (option.takes == Takes::nothing) continue;
      values += fmt::format("    '{} {}'", place.words, option.name);
      if (!option.letter.empty()) values += fmt::format(" | '{} {}'", place.words, option.letter);
      values += option.takes == Takes::choice
                    ? fmt::format(") words='{}' ;;\n", fmt::join(option.choices, " "))
                : option.takes == Takes::perhaps ? ") words=$options ;;\n"
                : option.takes == Takes::file    ? ") files=yes ;;\n"
                : option.takes == Takes::folder  ? ") folders=yes ;;\n"
                                                 : ") ;;\n";
    }
    options += fmt::format("    '{}') options='{}'{} ;;\n", place.words, names, arguments);
  }
  return fmt::format(R"(# Completion of tailbound for bash: source <(tailbound schema --completion bash)
_tailbound() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} before=''
  local command='' depth=0 most=0 words options='' arguments='' operands='' files='' folders=''
  # --format=csv is three words.
  if [[ $current == '=' ]]; then
    current=''
  elif [[ $previous == '=' ]]; then
    previous=${{COMP_WORDS[COMP_CWORD-2]}}
  fi
  while :; do
    words=''
    case $command in
{}    esac
    [[ -n $words ]] && ((COMP_CWORD > depth + 1)) || break
    command+=${{command:+ }}${{COMP_WORDS[++depth]}}
  done
  case $command in
{}  esac
  if [[ -n $words ]]; then
    [[ $current != -* ]] || words=$options
  else
    case "$command $previous" in
{}    *)
      if [[ $current == -* ]]; then
        words=$options
      elif ((COMP_CWORD <= depth + most)); then
        words=$arguments
      elif [[ -n $operands ]]; then
        files=yes
      else
        words=$options
      fi
      ;;
    esac
  fi
  COMPREPLY=()
  if [[ -n $folders ]]; then
    compopt -o dirnames
  elif [[ -n $files ]]; then
    compopt -o default
  else
    [[ $current != *,* ]] || before=${{current%,*}},
    mapfile -t COMPREPLY < <(compgen -P "$before" -W "$words" -- "${{current##*,}}")
  fi
}}
complete -F _tailbound tailbound
)",
                     further, options, values);
}

/// Within the brackets and between the colons of _arguments.
std::string of_zsh(std::string_view text) {
  std::string all;
  for (const char c : text) {
    if (std::string_view("[]:\\").find(c) != std::string_view::npos) all += '\\';
    all += c;
  }
  return all;
}

std::string zsh_script(const std::vector<Place>& all) {
  std::string further, options;
  for (const Place& place : all) {
    std::string lines;
    for (const auto& [word, purpose] : place.further)
      lines += fmt::format("      {}\n", quoted(word + ":" + purpose, R"('\'')"));
    if (!lines.empty()) further += fmt::format("    ('{}') next=(\n{}    ) ;;\n", place.words, lines);
    lines.clear();
    int position = 1;
    for (const Completed& option : place.options) {
      const std::string action = option.takes == Takes::choice
                                     ? fmt::format("_tailbound_choices {}", fmt::join(option.choices, " "))
                                 : option.takes == Takes::file   ? "_files"
                                 : option.takes == Takes::folder ? "_files -/"
                                                                 : " ";
      const std::string value = fmt::format(":{}:{}", of_zsh(option.type), action);
      if (option.is_argument()) {
        const int words = option.most > 2 ? 1 : option.most;
        for (int word = 0; word < words; ++word)
          lines += fmt::format(
              "      {}\n", quoted((option.most > 2 ? "*" : std::to_string(position++)) + value, R"('\'')"));
        continue;
      }
      const std::string end = quoted("[" + of_zsh(option.help) + "]" +
                                         (option.takes == Takes::nothing   ? ""
                                          : option.takes == Takes::perhaps ? ":" + value
                                                                           : value),
                                     R"('\'')");
      const char* mark = option.takes == Takes::nothing ? "" : "=";
      if (option.letter.empty())
        lines += fmt::format("      {}{}{}{}\n", option.repeats ? "\\*" : "", option.name, mark, end);
      else
        lines += fmt::format("      '({0} {1})'{{{0}{2},{1}{3}}}{4}\n", option.letter, option.name,
                             option.takes == Takes::nothing ? "" : "+", mark, end);
    }
    options += fmt::format("    ('{}') options=(\n{}    ) ;;\n", place.words, lines);
  }
  return fmt::format(R"(#compdef tailbound
# Completion of tailbound for zsh: as _tailbound in a folder of fpath, or
# source <(tailbound schema --completion zsh)
_tailbound_choices() {{
  compset -P '*,'
  compadd "$@"
}}
_tailbound() {{
  local command=''
  local -a next options
  while :; do
    next=()
    case $command in
{}    esac
    (( $#next && CURRENT > 2 )) || break
    command+=${{command:+ }}$words[2]
    shift words
    (( CURRENT-- ))
  done
  case $command in
{}  esac
  if (( $#next )) && [[ $words[CURRENT] != -* ]]; then
    _describe command next
  else
    _arguments $options
  fi
}}
if [[ $funcstack[1] == _tailbound ]]; then
  _tailbound "$@"
else
  compdef _tailbound tailbound
fi
)",
                     further, options);
}

std::string fish_script(const std::vector<Place>& all) {
  std::string lines;
  const auto described = [](const std::string& text) { return " -d " + quoted(text, R"(\')") + "\n"; };
  for (const Place& place : all) {
    const std::string exactly = fmt::format("complete -c tailbound -n '__tailbound_next {}'", place.words),
                      within = fmt::format("complete -c tailbound -n '__tailbound_in {}'", place.words);
    for (const auto& [word, purpose] : place.further)
      lines += fmt::format("{} -a {}", exactly, word) + described(purpose);
    for (const Completed& option : place.options) {
      const std::string choices = option.choices.empty() ? ""
                                                         : fmt::format(" -a '(__tailbound_choices {})'",
                                                                       fmt::join(option.choices, " "));
      if (option.is_argument()) {
        lines += (option.most > 1 || option.takes == Takes::file ? within : exactly) +
                 (option.takes == Takes::file ? " -F" : choices) + described(option.help);
        continue;
      }
      const std::string value = option.takes <= Takes::perhaps  ? ""
                                : option.takes == Takes::file   ? " -r -F"
                                : option.takes == Takes::folder ? " -x -a '(__fish_complete_directories)'"
                                                                : " -x" + choices;
      lines += (place.further.empty() ? within : exactly) +
               (option.letter.empty() ? "" : " -s " + option.letter.substr(1)) + " -l " +
               option.name.substr(2) + value + described(option.help);
    }
  }
  return R"(# Completion of tailbound for fish: tailbound schema --completion fish | source
function __tailbound_next # are these all words before the one being typed?
  set -l words (commandline -opc)
  test "$words[2..]" = "$argv"
end
function __tailbound_in # are these the first words?
  set -l words (commandline -opc)
  set -l last (math 1 + (count $argv))
  test "$words[2..$last]" = "$argv"
end
function __tailbound_choices # one of these, or a list of them
  set -l before (commandline -ct | string replace -r '^-[^=]*=' '' | string match -r '^.*,')
  printf '%s\n' "$before"$argv
end
complete -c tailbound -f
)" + lines;
}

}  // namespace

std::string completion_script(Shell shell) {
  const std::vector<Place> all = places();
  switch (shell) {
    case Shell::bash:
      return bash_script(all);
    case Shell::zsh:
      return zsh_script(all);
    case Shell::fish:
      return fish_script(all);
  }
  return {};
}

}  // namespace tailbound::cli
