#include <cli/program.hpp>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cli/help/hints.hpp>
#include <cli/help/libraries.hpp>
#include <cli/options/options.hpp>
#include <cli/usage.hpp>
#include <tailbound/core/suggest.hpp>
#include <tailbound/render/formats/formats.hpp>
#include <tailbound/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

namespace tailbound::cli {
namespace {

/// A text that is requested in place of a result.
enum class Requested { result, brief_help, full_help, version };

Requested requested_by(const std::string& word) {
  if (word == "-h") return Requested::brief_help;
  if (word == "--help") return Requested::full_help;
  return word == "-V" || word == "--version" ? Requested::version : Requested::result;
}

void add_to(CLI::App& app, const Option& option) {
  const std::string letter = short_name(option.name);
  const std::string names = letter.empty() ? option.name : letter + "," + option.name;
  CLI::Option* added = option.text != nullptr   ? app.add_option(names, *option.text, option.help)
                       : option.flag != nullptr ? app.add_flag(names, *option.flag, option.help)
                                                : app.add_option(names, *option.words, option.help);
  if (option.flag == nullptr) added->type_name(option.type);
  if (option.words != nullptr) added->expected(option.minimum, option.maximum);
  if (option.required) added->required();
  if (option.repeats) added->join(';');
}

/// Finds what CLI11 would report in words of its own: options that there are not, that lack their value, or
/// that are given twice.
/// \param name   of the command
/// \param first  the place of the first word behind it
/// \return  the requested text, independent of the other words
/// \throws BadUsage
Requested look_over(const CLI::App& command, const std::string& name, int argc, const char* const* argv,
                    int first) {
  std::set<const CLI::Option*> seen;
  std::string complaint;
  const auto complain_of = [&complaint](std::string words) {
    if (complaint.empty()) complaint = std::move(words);
  };
  const auto option_at = [&](int place) -> const CLI::Option* {
    if (place >= argc) return nullptr;
    const std::string word = argv[place];
    return word.rfind('-', 0) == 0 && word.size() > 1
               ? command.get_option_no_throw(word.substr(0, word.find('=')))
               : nullptr;
  };
  for (int place = first; place < argc; ++place) {
    const std::string word = argv[place];
    if (const Requested requested = requested_by(word); requested != Requested::result) return requested;
    const CLI::Option* option = option_at(place);
    if (option == nullptr) {
      const std::string unknown = word.substr(0, word.find('='));
      if (word.rfind("--", 0) == 0 && complaint.empty()) complain_of(unknown_option(unknown, name));
      continue;
    }
    const bool takes_value = option->get_items_expected_max() > 0;
    const bool repeats = option->get_multi_option_policy() == CLI::MultiOptionPolicy::Join;
    if (takes_value && !repeats && !seen.insert(option).second)
      complain_of(option->get_name() + " is given twice");
    if (!takes_value || word.find('=') != std::string::npos) continue;
    if (option->get_items_expected_min() == 0) {
      if (place + 1 < argc && argv[place + 1][0] != '-') ++place;
      continue;
    }
    if (place + 1 >= argc || option_at(place + 1) != nullptr ||
        requested_by(argv[place + 1]) != Requested::result)
      complain_of(fmt::format("{0} needs a value: {0} {1} ({2})", word, option->get_type_name(),
                              phrase_of(option->get_description())));
    else
      ++place;
  }
  if (!complaint.empty()) throw BadUsage(complaint);
  return Requested::result;
}

}  // namespace

/// A command of several words is a subcommand of a subcommand; the outer one only groups the inner ones.
class Program::Tree {
 public:
  Tree() {
    app_.set_help_flag();
    app_.require_subcommand(1);
  }

  void add(const Category& category, const Command& command) {
    CLI::App* const parent = category.commands.size() > 1 ? gathering(category) : &app_;
    CLI::App* const own =
        parent->add_subcommand(command.name.substr(command.name.find(' ') + 1), command.purpose);
    own->set_help_flag();
    for (const Option& option : command.options.options) add_to(*own, option);
    commands_.push_back(own);
  }

  /// \return the place of the command, in the order they were added; nothing if a text is requested
  std::optional<std::size_t> parse(int argc, const char* const* argv) {
    const int first = require_known_command(argc, argv);
    requested_ = look_over(*understood_, understood(), argc, argv, first);
    if (requested_ != Requested::result) return {};
    try {
      app_.parse(argc, argv);
    } catch (const CLI::Error& error) {
      throw BadUsage(in_our_words(error));
    }
    const auto chosen =
        std::find_if(commands_.begin(), commands_.end(), [](const CLI::App* app) { return app->parsed(); });
    return static_cast<std::size_t>(chosen - commands_.begin());
  }

  /// "simulate tree", as far as the words were recognized; empty before
  [[nodiscard]] std::string understood() const {
    return understood_ == &app_ ? std::string() : full_name(*understood_);
  }
  [[nodiscard]] Requested requested() const { return requested_; }

 private:
  CLI::App* gathering(const Category& category) {
    const auto is_it = [&](const CLI::App* app) { return app->get_name() == category.name; };
    if (const auto there = app_.get_subcommands(is_it); !there.empty()) return there.front();
    CLI::App* parent = app_.add_subcommand(std::string(category.name), category.purpose);
    parent->set_help_flag();
    parent->require_subcommand(1);
    return parent;
  }

  [[nodiscard]] static std::string full_name(const CLI::App& command) {
    const CLI::App* parent = command.get_parent();
    if (parent == nullptr || parent->get_parent() == nullptr) return command.get_name();
    return full_name(*parent) + " " + command.get_name();
  }

  [[nodiscard]] std::string in_our_words(const CLI::Error& error) const {
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
      for (const std::string& word : app_.remaining(true)) {
        if (word.rfind("--", 0) == 0) continue;
        if (word.rfind('-', 0) == 0) return unknown_option(word, understood());
        return "unexpected argument '" + word + "': a value follows the name of its option, such as --seed 1";
      }
    if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr)
      for (const CLI::Option* option : understood_->get_options())
        if (option->get_required() && option->count() == 0)
          return option->get_name() + " is missing: " + phrase_of(option->get_description());
    return error.what();
  }

  /// CLI11 would only report that a subcommand is required. Returns the index of the first word after the
  /// command.
  int require_known_command(int argc, const char* const* argv) {
    for (int word = 1;; ++word) {
      std::vector<std::string> names;
      for (const CLI::App* command : understood_->get_subcommands({})) names.push_back(command->get_name());
      if (names.empty()) return word;
      const std::string before = understood();
      if (word >= argc) throw BadUsage("a command is missing: " + in_words(names));
      const std::string given = argv[word];
      if (requested_by(given) != Requested::result) return word;
      if (given.rfind('-', 0) == 0)
        throw BadUsage(fmt::format("unknown option {}: options follow the command: tailbound{} COMMAND {}",
                                   given, before.empty() ? "" : " " + before, given));
      if (std::find(names.begin(), names.end(), given) == names.end())
        throw BadUsage(unknown_command(given, before, names));
      understood_ =
          understood_->get_subcommands([&](const CLI::App* app) { return app->get_name() == given; }).front();
    }
  }

  CLI::App app_{"", "tailbound"};
  std::vector<CLI::App*> commands_;
  const CLI::App* understood_ = &app_;
  Requested requested_ = Requested::result;
};

Program::Program(std::string_view requested) : tree_(std::make_unique<Tree>()) {
  const auto is_requested = [&](const Category& category) { return requested == category.name; };
  const bool known = std::any_of(categories().begin(), categories().end(), is_requested);
  for (const Category& category : categories()) {
    if (known && !is_requested(category)) continue;
    for (Command (*const make)() : category.commands) {
      commands_.push_back(make());
      add_common_options(commands_.back(), common_);
      tree_->add(category, commands_.back());
    }
  }
}

Program::~Program() = default;

std::optional<std::string> Program::parse(int argc, const char* const* argv) {
  // "help buffer" is "buffer --help".
  std::vector<const char*> words(argv, argv + argc);
  if (argc > 1 && std::string_view(argv[1]) == "help") {
    words.erase(words.begin() + 1);
    words.push_back("--help");
  }
  const std::optional<std::size_t> place = tree_->parse(static_cast<int>(words.size()), words.data());
  if (!place)
    return requested_text(
        std::any_of(words.begin(), words.end(), [](std::string_view word) { return word == "--verbose"; }));
  chosen_ = &commands_[*place];
  return {};
}

std::string Program::requested_text(bool verbose) const {
  if (tree_->requested() == Requested::version)
    return verbose ? version_details() : "tailbound " TAILBOUND_VERSION "\n";
  const HelpSize size = tree_->requested() == Requested::brief_help ? HelpSize::brief : HelpSize::full;
  const std::string name = tree_->understood();
  for (const Command& command : commands_)
    if (command.name == name) return command_help(command, size);
  for (const Category& category : categories())
    if (category.name == name) return category_help(category, size);
  return program_help(size);
}

std::string Program::name() const {
  const std::string command = chosen_ == nullptr ? tree_->understood() : chosen_->name;
  return command.empty() ? "tailbound" : "tailbound " + command;
}

Limits usual_limits(const Command& command, bool shared_out) {
  const std::uint64_t maximum = machine_memory() / 4 * 3;
  Limits limits{.time = {}, .bytes = maximum, .requested = "tailbound " + command.name};
  if (is_analysis(command.work) && !shared_out) {
    limits.time = std::chrono::seconds(60);
    limits.bytes = std::min(maximum, std::uint64_t{4'000'000'000});
  }
  // A large checkpoint takes a while to write.
  const Option* kept = command.options.find("--checkpoint");
  if (kept != nullptr && kept->given()) limits.grace = std::chrono::minutes(1);
  return limits;
}

std::string shell_words(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    const bool bare = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
             std::string_view("_@%+=:,./-").find(c) != std::string_view::npos;
    });
    if (!line.empty()) line += ' ';
    if (bare) {
      line += word;
      continue;
    }
    if (printable(word, LineEnds::shown) != word) {  // a line that must not be copied into a shell
      line += "$'";
      for (const char c : word) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < ' ' || byte > '~')
          line += fmt::format("\\x{:02x}", byte);
        else
          line += c == '\'' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
      }
      line += '\'';
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

void add_common_options(Command& command, CommonOptions& options) {
  if (command.name == "serve") return;  // has no answer
  const OptionGroup output(command.options, "Output");
  if (command.draws) {
    output.add("--plot", options.plot, "FILE",
               "picture of the results: FILE.svg, .png or .pdf.\nPNG and PDF need rsvg-convert");
    output.add("--title", options.title, "TEXT", "title of the picture in place of its own (with --plot)");
    output.add_flag("--log-y", options.log_y, "logarithmic y axis (with --plot)");
  }
  const std::vector<std::string> names = meaning_names(render::formats());
  output.add("--format", options.format, "NAME", with_default(names), {.choices = names});
  if (command.options.find("--output") == nullptr)  // reproduce has its own: a folder
    output.add("--output", options.output, "FILE",
               "file for the result (default standard output).\nIt is written whole or not at all");
  output.add_flag("--quiet", options.quiet, "the result alone, without explanation");
  if (may_be_cut(command.work) && command.options.find("--part") == nullptr)
    output.add("--part", options.part, "I/N",
               "part I of N of the computation.\n`tailbound merge` combines the N files to the result");
  const bool sweeps = command.name == "sweep", limited = is_analysis(command.work);
  output.add("--time-limit", options.time_limit, "S",
             sweeps ? "limit in seconds of each point, or none.\nDefault: 60 of an analysis, none of a "
                      "simulation"
                    : fmt::format("limit in seconds, or none (default {})", limited ? "60" : "none"),
             must_be("from 0.001 to 1e9 seconds, or none"));
  output.add("--memory-limit", options.memory_limit, "SIZE",
             std::string(sweeps ? "memory limit of each point, such as 2GB, or none"
                                : "memory limit, such as 2GB, or none") +
                 (limited ? " (default 4GB)" : ".\nDefault: three quarters of the memory of the machine"),
             must_be("megabytes from 16 on, or with a unit: 500MB, 2GB, 1.5GiB; or none"));
}

}  // namespace tailbound::cli
