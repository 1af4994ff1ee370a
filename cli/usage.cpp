#include <cli/usage.hpp>

#include <cli/help.hpp>

#include <fmt/format.h>
#include <tailbound/render/value.hpp>

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace tailbound::cli {
namespace {

constexpr std::size_t help_width = 80, name_column = 28;

/// The options of -h, most used first.
constexpr std::pair<std::string_view, std::string_view> brief_options[] = {
    {"buffer",
     "--inputs --load --drop --criterion --capacity --solve --burst --classes --shared --sizes "
     "--packet-bytes --plot --format"},
    {"occupancy",
     "--inputs --load --levels --until --traffic --burst --classes --traffic-file --plot --format --output"},
    {"crossbar",
     "--inputs --load --scheduler --iterations --speedup --burst --saturation --percentiles --drop --plot "
     "--format --output"},
    {"delay",
     "--radix --levels --load --network --uniform --hops --percentiles --drop --packet-bytes --link-gbps "
     "--hop-ns --plot --format"},
    {"guarantee",
     "--bucket --periodic --drop --capacity --network --flow --headroom --cable --link-gbps --crossbar "
     "--plot --format --output"},
    {"pgf", "--inputs --load --traffic --arrivals --packets-per-slot --of --as --moments --cancel --output"},
    {"compare", "FILE --inputs --load --rates --arrivals --of --require --digits --quiet --format --output"},
    {"fit",
     "FILE --time-unit --link-gbps --cell-bytes --arrive --inputs --buffer --save-traffic --plot --format "
     "--output"},
    {"multistage", "--nodes --switch --buffer --hot --combining --links --loads --plot --format --output"},
    {"wormhole",
     "--topology --nodes --network --flits --virtual-channels --buffer-flits --router-cycles --loads "
     "--fractions --pattern --plot --format"},
    {"broadcast",
     "--dimensions --virtual-channels --flits --broadcast --startup --rates --fractions --plot "
     "--format --output"},
    {"reproduce", "NAME --output --quick --format"},
    {"simulate tree",
     "--radix --levels --load --network --buffer --flow-control --burst --percentiles --rare --slots "
     "--seed --plot --format"},
    {"simulate switch",
     "--inputs --load --memory --threshold --buffer --burst --occupancy --rare --slots --seed --plot "
     "--format"},
    {"simulate crossbar",
     "--inputs --load --scheduler --iterations --speedup --burst --buffer --drop --slots --plot --format"},
    {"simulate buffer",
     "--inputs --load --burst --classes --incast --packets-per-slot --capacity --occupancy --percentiles "
     "--slots --plot --format"},
    {"simulate classes",
     "--inputs --classes --schedule --weights --buffers --burst --percentiles --slots --seed --plot "
     "--format"},
    {"simulate policed", "--network --flow --sources --packets --seed --format --output"},
    {"simulate multistage",
     "--nodes --switch --buffer --hot --combining --loads --slots --seed --plot --format --output"},
    {"simulate wormhole",
     "--topology --nodes --flits --virtual-channels --loads --fractions --pattern --saturation --cycles "
     "--seed --plot --format"},
    {"simulate hypercube",
     "--dimensions --virtual-channels --flits --broadcast --rates --fractions --saturation --cycles --seed "
     "--plot --format"},
    {"validate delay",
     "--radix --levels --load --network --burst --hops --percentiles --ccdf --slots --seed --plot --format"},
    {"validate buffer",
     "--inputs --load --burst --classes --sizes --levels --capacity --slots --seed --plot --format"},
    {"validate crossbar",
     "--inputs --load --scheduler --iterations --speedup --burst --drop --slots --seed --plot --format"},
    {"validate switch",
     "--inputs --load --memory --sizes --criterion --threshold --slots --seed --plot --format --output"},
    {"validate multistage",
     "--nodes --switch --buffer --hot --combining --loads --slots --seed --plot --format --output"},
    {"validate wormhole",
     "--topology --nodes --flits --virtual-channels --loads --fractions --pattern --cycles --seed --plot "
     "--format"},
    {"validate broadcast",
     "--dimensions --virtual-channels --flits --broadcast --rates --fractions --cycles --seed "
     "--plot --format"},
    {"network",
     "SHAPE FILE --radix --levels --sides --hosts --uniform --route --without --shared-memory --plot "
     "--output"},
    {"sweep", "PLAN --store --jobs --dry-run --retry --add --part --time-limit --plot --format --output"},
    {"merge", "FILE --plot --format --output"},
    {"serve", "--port --host --no-open --time-limit --memory-limit --runs --keep"},
    {"schema", "COMMAND --keys --man --accuracy --completion --output"}};

/// "  --inputs K        text", with further lines of the text below it.
std::string row(const std::string& name, std::string_view text) {
  std::string all = "  " + name;
  const std::vector<std::string> lines = wrapped(text, help_width - name_column);
  std::size_t at = all.size();
  if (at + 1 > name_column) {
    all += '\n';
    at = 0;
  }
  for (const std::string& line : lines) {
    all += std::string(name_column - at, ' ') + line + "\n";
    at = 0;
  }
  return all;
}

std::string shown_name(const Option& option) {
  if (option.is_argument()) return option.name;
  const std::string letter = short_name(option.name);
  return (letter.empty() ? "    " : letter + ", ") + option.name +
         (option.type.empty() ? "" : " " + option.type);
}

std::string usage_line(const Command& command) {
  return "Usage: tailbound " + command.name + arguments_of(command) + "\n";
}

std::string brief_command_help(const Command& command) {
  std::string text = usage_line(command) + render::capitalized(command.purpose) + ".\n\n";
  for (const auto& [name, options] : brief_options) {
    if (name != command.name) continue;
    for (const std::string& each : words_of(options)) {
      const Option* option = command.options.find(each);
      if (option == nullptr) throw std::logic_error("-h of " + command.name + " names " + each);
      text += row(shown_name(*option), phrase_of(option->help));
    }
  }
  if (const std::string example = short_example_of(command.name); !example.empty())
    text += "\nExample:\n" + example;
  return text + "--help: all options and examples.\n";
}

std::string full_command_help(const Command& command) {
  std::string text = usage_line(command) + render::capitalized(command.purpose) + ".\n";
  std::vector<std::string> groups{""};
  for (const Option& option : command.options.options)
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) groups.push_back(option.group);
  for (const std::string& group : groups) {
    text += "\n" + (group.empty() ? "General" : group) + ":\n";
    if (group.empty())
      for (const GeneralOption& its : general_options)
        text += row(fmt::format("{}, {}", its.letter, its.name), its.help);
    for (const Option& option : command.options.options)
      if (option.group == group) text += row(shown_name(option), full_text(option));
  }
  const std::string example = example_of(command.name);
  return example.empty() ? text : text + "\n" + example;
}

/// "Exit status: 0 result; 1 no result (..), .."
std::string status_help() {
  std::string all;
  for (const StatusMeaning& its : status_meanings)
    all += fmt::format("{}{} {}", all.empty() ? "Exit status: " : "; ", static_cast<int>(its.status),
                       its.meaning);
  return all + ".";
}

std::string in_lines(std::string_view text) {
  return fmt::format("{}\n", fmt::join(wrapped(text, help_width), "\n"));
}

}  // namespace

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream all{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; all >> word;) words.push_back(word);
  return words;
}

std::string phrase_of(const std::string& help) {
  std::string text = help.substr(0, help.find('\n'));
  while (!text.empty() && std::string_view(".,;:").find(text.back()) != std::string_view::npos)
    text.pop_back();
  return text;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t maximum) {
  std::vector<std::string> lines{""};
  for (const std::string& word : words_of(text)) {
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > maximum) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
  }
  return lines;
}

std::string full_text(const Option& option) {
  return option.help + (option.required && !option.is_argument() ? " (required)" : "") +
         (option.values.legal.empty() ? "" : ". Must be " + option.values.legal);
}

std::string arguments_of(const Command& command) {
  std::string line;
  for (const Option& option : command.options.options) {
    if (!option.is_argument()) continue;
    const std::string name = option.name + (option.maximum > 2 ? "..." : "");
    line += option.required || option.minimum > 0 ? " " + name : " [" + name + "]";
  }
  return line + " [OPTIONS]";
}

std::vector<const Category*> listed_categories() {
  std::vector<const Category*> all;
  for (const char* heading : {"Queues", "Networks", "Simulation", "Tools"})
    for (const Category& category : categories())
      if (std::string_view(category.category) == heading) all.push_back(&category);
  return all;
}

std::string purpose_of(const Category& category) {
  return category.commands.size() > 1 ? category.purpose : category.commands.front()().purpose;
}

std::vector<std::string> program_notes() {
  return {
      "Lists: most options that take numbers take lists, and the result has a row for each combination. "
      "0.5,0.8,0.9 is a list, 0.1:0.9:0.1 is FIRST:LAST:STEP, and 1:20 (of whole numbers) has the step 1.",
      "Numbers are exact: 0.9, 9/10, 90% and 1e-15 are read as fractions.",
      "Short options: " + short_names_in_words() + "."};
}

std::string program_help(HelpSize size) {
  std::string text =
      fmt::format("Usage: tailbound COMMAND [OPTIONS]\n{}.\n\n", render::capitalized(purpose_of_program));
  std::string_view heading;
  for (const Category* category : listed_categories()) {
    const bool first = category->category != heading;
    heading = category->category;
    if (size == HelpSize::full && first)
      text += fmt::format("{}{}:\n", text.ends_with("\n\n") ? "" : "\n", heading);
    text += size == HelpSize::full ? fmt::format("  {:<12}{}\n", category->name, purpose_of(*category))
                                   : fmt::format("{:<12}{:<12}{}\n", first ? heading : "", category->name,
                                                 purpose_of(*category));
    if (size == HelpSize::brief || category->commands.size() < 2) continue;
    for (Command (*const make)() : category->commands) {
      const Command command = make();
      text += fmt::format("    {:<22}{}\n", command.name, command.purpose);
    }
  }
  if (size == HelpSize::brief)
    return text + "\nCOMMAND -h: main options, an example.  --help and COMMAND --help: everything.\n";
  text += R"(
tailbound COMMAND -h        main options and an example, one screen
tailbound COMMAND --help    all options and examples
tailbound help COMMAND      the same
tailbound -V, --version     version of the program (--verbose: of its libraries)
)";
  for (const std::string& note : program_notes()) text += "\n" + in_lines(note);
  return text + "\n" + in_lines(status_help());
}

std::string category_help(const Category& category, HelpSize size) {
  std::string text = fmt::format("Usage: tailbound {} COMMAND [OPTIONS]\n{}.\n\n", category.name,
                                 render::capitalized(category.purpose));
  for (Command (*const make)() : category.commands) {
    const Command command = make();
    text += fmt::format("  {:<12}{}\n", command.name.substr(category.name.size() + 1), command.purpose);
  }
  text += fmt::format("\nCOMMAND -h: main options and an example.  COMMAND --help: everything.\n");
  if (size == HelpSize::full && *category.footer != '\0') text += "\n" + std::string(category.footer) + "\n";
  return text;
}

std::string command_help(const Command& command, HelpSize size) {
  return size == HelpSize::brief ? brief_command_help(command) : full_command_help(command);
}

}  // namespace tailbound::cli
