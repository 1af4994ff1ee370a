#include <cli/help/manual.hpp>

#include <cli/help.hpp>
#include <cli/program.hpp>
#include <cli/usage.hpp>
#include <tailbound/render/documents/schema.hpp>
#include <tailbound/render/kinds.hpp>
#include <tailbound/render/value.hpp>
#include <tailbound/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace tailbound::cli {
namespace {

constexpr std::size_t line_of_source = 78, line_of_display = 66, output_lines = 4;

/// As it is, in any place of a line.
std::string plain_text(std::string_view text) {
  constexpr std::pair<char, std::string_view> escapes[] = {{'\\', "\\e"},  {'-', "\\-"},   {'\'', "\\(aq"},
                                                           {'`', "\\(ga"}, {'^', "\\(ha"}, {'~', "\\(ti"}};
  std::string all;
  for (const char c : text) {
    const auto its = std::find_if(std::begin(escapes), std::end(escapes),
                                  [c](const auto& escape) { return escape.first == c; });
    if (its == std::end(escapes))
      all += c;
    else
      all += its->second;
  }
  return all.starts_with('.') ? "\\&" + all : all;
}

std::string prose(std::string_view text) {
  std::string all;
  for (const std::string& line : wrapped(text, line_of_source)) all += plain_text(line) + "\n";
  return all;
}

std::string bold(std::string_view text) {
  return "\\fB" + plain_text(text) + "\\fR";
}

std::string item(const std::string& tag, std::string_view text) {
  return ".TP\n" + tag + "\n" + prose(text);
}

std::string head(const std::string& name, std::string_view purpose) {
  std::string title = name;
  std::transform(title.begin(), title.end(), title.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return fmt::format(".TH {} 1 {} \"tailbound {}\" \"tailbound manual\"\n.ad l\n.nh\n.SH NAME\n{} \\- {}\n",
                     title, TAILBOUND_VERSION_DATE, TAILBOUND_VERSION, plain_text(name), plain_text(purpose));
}

std::string general_items() {
  std::string all;
  for (const GeneralOption& its : general_options)
    all += item(bold(its.letter) + ", " + bold(its.name), its.help);
  return all;
}

std::string kind_items(const std::set<std::string>& those) {
  std::string all;
  for (const render::Kind& kind : render::kinds)
    if (those.contains(kind.name)) all += item(bold(kind.name), kind.meaning);
  return all.empty() ? all : ".PP\nEach number has a kind, which JSON and CSV name:\n" + all;
}

std::string statuses() {
  std::string all = ".SH EXIT STATUS\n";
  for (const StatusMeaning& its : status_meanings) all += item(bold(std::to_string(its.status)), its.meaning);
  return all;
}

std::string installed_files() {
  return ".SH FILES\n" + prose("There is no configuration file. Below the prefix of the installation:") +
         item(bold("share/doc/tailbound/examples"), "A sweep plan, and scripts of cluster jobs.") +
         item(bold("share/tailbound/check_certificate.py"),
              "Checks the proofs of guarantee --certificate, in fractions; needs Python only.") +
         item(bold("share/doc/tailbound/html"),
              "The documentation, if it is installed (Debian: package tailbound-doc): docs/files.md is the "
              "page files.html there.");
}

std::string page_name(std::string_view command) {
  std::string name = "tailbound";
  if (!command.empty()) name += "-" + std::string(command);
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string option_item(const Option& option) {
  std::string tag = bold(option.name);
  if (const std::string letter = short_name(option.name); !letter.empty()) tag = bold(letter) + ", " + tag;
  if (option.is_argument())
    tag = "\\fI" + plain_text(option.name) + "\\fR";
  else if (!option.type.empty())
    tag += " \\fI" + plain_text(option.type) + "\\fR";
  return item(tag, full_text(option));
}

std::string option_items(const OptionTable& table) {
  std::vector<std::string> groups{""};
  for (const Option& option : table.options)
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) groups.push_back(option.group);
  std::string all;
  for (const std::string& group : groups) {
    all += ".SS " + (group.empty() ? "General" : plain_text(group)) + "\n";
    if (group.empty()) all += general_items();
    for (const Option& option : table.options)
      if (option.group == group) all += option_item(option);
  }
  return all;
}

/// Indented lines of the help: command lines, files and output.
class Display {
 public:
  void add(std::string_view line) {
    const std::string_view text =
        line.substr(std::min<std::size_t>(line.find_first_not_of(' '), line.size()));
    if (line.starts_with("      ") && !lines_.empty() && lines_.back().starts_with("tailbound "))
      lines_.back().append(" ").append(text);
    else
      lines_.emplace_back(line.substr(std::min<std::size_t>(2, line.size())));
  }

  /// \param output  is it what the command above prints? Only its beginning is shown then
  [[nodiscard]] std::string text(bool output) const {
    std::vector<std::string> all = lines_;
    while (!all.empty() && all.front().empty()) all.erase(all.begin());
    while (!all.empty() && all.back().empty()) all.pop_back();
    if (output) {
      const auto end = std::find(all.begin(), all.end(), "");
      const auto kept = std::min<std::ptrdiff_t>(end - all.begin(), output_lines);
      const bool cut = kept < std::ssize(all);
      all.resize(static_cast<std::size_t>(kept));
      if (std::any_of(all.begin(), all.end(), [](auto& line) { return line.size() > line_of_display; }))
        all = wrapped(fmt::format("{}", fmt::join(all, " ")), line_of_display);
      if (cut) all.emplace_back("...");
    }
    if (all.empty()) return {};
    std::string shown = ".PP\n.RS 4\n.nf\n";
    for (const std::string& line : all)
      for (const std::string& each : folded(line)) shown += plain_text(each) + "\n";
    return shown + ".fi\n.RE\n";
  }

 private:
  static std::vector<std::string> folded(const std::string& line) {
    if (line.size() <= line_of_display) return {line};
    std::vector<std::string> lines;
    if (line.starts_with("tailbound ")) {
      std::string whole = broken(line, line_of_display + 2);  // indented by two
      for (std::size_t at = 0; at < whole.size();) {
        const std::size_t end = whole.find('\n', at);
        lines.push_back(whole.substr(at + 2, end - at - 2));
        at = end + 1;
      }
      return lines;
    }
    for (const std::string& part : wrapped(line, line_of_display - 2))
      lines.push_back((lines.empty() ? "" : "  ") + part);
    return lines;
  }

  std::vector<std::string> lines_;
};

/// The end of the help: what is before the examples, and these.
struct Ending {
  std::string description, examples;
};

Ending ending_of(const std::string& command) {
  Ending all;
  std::string text, *part = &all.description;
  Display display;
  bool output = false;
  const auto end_text = [&] {
    if (constexpr std::string_view mark = "Example:"; text.starts_with(mark)) {
      part = &all.examples;
      text = render::capitalized(text.substr(std::min(text.size(), mark.size() + 1)));
    }
    if (!text.empty()) *part += ".PP\n" + prose(text);
    output = text.starts_with("prints");
    text.clear();
  };
  const auto end_display = [&] {
    *part += display.text(output);
    display = {};
  };
  const std::string whole = example_of(command);
  bool within_text = true;
  for (std::size_t at = 0; at < whole.size();) {
    const std::size_t end = std::min(whole.find('\n', at), whole.size());
    const std::string line = whole.substr(at, end - at);
    at = end + 1;
    const bool is_text = !line.empty() && line.front() != ' ';
    if (is_text && !within_text) end_display();
    if (!is_text && within_text) end_text();
    within_text = is_text;
    if (is_text)
      text += (text.empty() ? "" : " ") + line;
    else
      display.add(line);
  }
  if (within_text)
    end_text();
  else
    end_display();
  return all;
}

/// Simulations and comparisons of the same thing: "simulate buffer", "validate buffer".
std::string see_also(const std::string& command) {
  const auto subject = [](const std::string& name) { return name.substr(name.rfind(' ') + 1); };
  std::string all = ".SH SEE ALSO\n" + bold("tailbound") + "(1)";
  for (const Category& category : categories())
    for (Command (*const make)() : category.commands)
      if (const std::string name = make().name; name != command && subject(name) == subject(command))
        all += ",\n" + bold(page_name(name)) + "(1)";
  return all + "\n";
}

}  // namespace

std::string program_manual() {
  std::string page = head("tailbound", purpose_of_program) + ".SH SYNOPSIS\n" + bold("tailbound") +
                     " \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n";
  std::set<std::string> kinds;
  std::string commands;
  std::string_view heading;
  for (const Category* category : listed_categories()) {
    if (category->category != heading) commands += fmt::format(".SS {}\n", category->category);
    heading = category->category;
    for (Command (*const make)() : category->commands) {
      const Command command = make();
      commands += item(bold(page_name(command.name)) + "(1)", command.purpose);
      if (command.layout != nullptr) kinds.merge(render::kinds_in(command.layout()));
    }
  }
  page += prose(
      "tailbound computes how large the buffer of a switch must be for a target of overflow or loss, "
      "percentiles of the end-to-end delay, worst cases of policed traffic, and the latency and saturation "
      "load of interconnection networks. Each number has a kind that says what it is worth; simulate is an "
      "independent check, and validate compares both. COMMAND -h shows the main options and an example.");
  for (const std::string& note : program_notes()) page += ".PP\n" + prose(note);
  return page + kind_items(kinds) + ".SH COMMANDS\n" + commands + ".SH OPTIONS\n" + general_items() +
         ".SH EXAMPLES\n" +
         prose("The buffer of an output with 16 inputs at load 0.9 that overflows once in 1e15 slots:") +
         ".PP\n.RS 4\n.nf\n" + plain_text("tailbound buffer --inputs 16 --load 0.9 --drop 1e-15") +
         "\n.fi\n.RE\n" + statuses() + installed_files();
}

std::string command_manual(const Command& command) {
  const Ending ending = ending_of(command.name);
  std::string page = head(page_name(command.name), command.purpose) + ".SH SYNOPSIS\n" +
                     bold("tailbound " + command.name) + plain_text(arguments_of(command)) +
                     "\n.SH DESCRIPTION\n" + prose(render::capitalized(command.purpose) + ".") +
                     ending.description;
  if (command.layout != nullptr) page += kind_items(render::kinds_in(command.layout()));
  page += ".SH OPTIONS\n" + option_items(command.options);
  if (!ending.examples.empty())
    page += ".SH EXAMPLES\n" + ending.examples.substr(ending.examples.find('\n') + 1);
  return page + statuses() + see_also(command.name);
}

}  // namespace tailbound::cli
