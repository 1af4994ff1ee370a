#include <cli/program.hpp>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cli/help.hpp>
#include <cli/options/options.hpp>
#include <tailbound/core/suggest.hpp>
#include <tailbound/render/formats/formats.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>
#include <utility>

namespace tailbound::cli {
namespace {

void add_to(CLI::App& app, const Option& option) {
  CLI::Option* added = option.text != nullptr   ? app.add_option(option.name, *option.text, option.help)
                       : option.flag != nullptr ? app.add_flag(option.name, *option.flag, option.help)
                                                : app.add_option(option.name, *option.words, option.help);
  if (option.flag == nullptr) added->type_name(option.type);
  if (option.words != nullptr) added->expected(option.minimum, option.maximum);
  if (!option.group.empty()) added->group(option.group);
  if (option.required) added->required();
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

/// Detects errors that CLI11 would report in its own words: unknown options, missing values and repeated
/// options.  \param first  index of the first word after the command
void look_over(const CLI::App& command, int argc, const char* const* argv, int first) {
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
    const CLI::Option* option = option_at(place);
    if (word == "--help" || word == "-h" || word == "--version") return;  // regardless of the rest
    if (option == nullptr) {
      const std::string unknown = word.substr(0, word.find('='));
      if (word.rfind("--", 0) == 0)
        complain_of("unknown option " + unknown + did_you_mean(unknown, option_names(command)));
      continue;
    }
    const bool takes_value = option->get_items_expected_max() > 0;
    if (takes_value && !seen.insert(option).second) complain_of(option->get_name() + " is given twice");
    if (!takes_value || word.find('=') != std::string::npos) continue;
    if (option->get_items_expected_min() == 0) {
      if (place + 1 < argc && argv[place + 1][0] != '-') ++place;
      continue;
    }
    if (place + 1 >= argc || option_at(place + 1) != nullptr)
      complain_of(fmt::format("{} needs a value: {} {}, {}", word, word, option->get_type_name(),
                              option->get_description()));
    else
      ++place;
  }
  if (!complaint.empty()) throw BadUsage(complaint);
}

}  // namespace

/// A command of several words is a subcommand of a subcommand; the outer one only groups the inner ones.
class Program::Tree {
 public:
  Tree() {
    app_.set_version_flag("--version", version)->group("");
    app_.set_help_flag("-h,--help", "show this help and exit");
    app_.require_subcommand(1);
    app_.get_formatter()->column_width(28);
    app_.footer(
        "COMMAND --help: options, an example. Lists: 0.1:0.9:0.1. Exit 0 answered, 1 no answer, 2 bad "
        "input.");
  }

  void add(const Category& category, const Command& command) {
    CLI::App* const parent = category.commands.size() > 1 ? gathering(category) : &app_;
    CLI::App* const own =
        parent->add_subcommand(command.name.substr(command.name.find(' ') + 1), command.purpose);
    for (const Option& option : command.options.options) add_to(*own, option);
    own->set_version_flag("--version", version)->group("");
    own->footer(example_of(command.name));
    commands_.push_back(own);
  }

  /// \return the index of the command, in the order they were added;  nothing if `text` is requested instead
  std::optional<std::size_t> parse(int argc, const char* const* argv, std::string& text) {
    app_.get_help_ptr()->group("");  // set hidden last: commands inherit the setting together with its name
    const int first = require_known_command(argc, argv);
    look_over(*understood_, argc, argv, first);
    try {
      app_.parse(argc, argv);
    } catch (const CLI::Error& error) {
      if (error.get_exit_code() != 0) throw BadUsage(in_our_words(error));
      std::ostringstream out;  // help and version are "errors" with status 0
      out.exceptions(std::ios::badbit);
      static_cast<void>(app_.exit(error, out, out));
      text = out.str();
      return {};
    }
    const auto chosen =
        std::find_if(commands_.begin(), commands_.end(), [](const CLI::App* app) { return app->parsed(); });
    return static_cast<std::size_t>(chosen - commands_.begin());
  }

  /// "simulate tree", as far as the words were recognized; empty before
  [[nodiscard]] std::string understood() const {
    return understood_ == &app_ ? std::string() : full_name(*understood_);
  }

 private:
  static constexpr const char* version = "tailbound " TAILBOUND_VERSION;

  CLI::App* gathering(const Category& category) {
    const auto is_it = [&](const CLI::App* app) { return app->get_name() == category.name; };
    if (const auto there = app_.get_subcommands(is_it); !there.empty()) return there.front();
    CLI::App* parent = app_.add_subcommand(std::string(category.name), category.purpose);
    parent->require_subcommand(1);
    parent->footer(category.footer);
    return parent;
  }

  [[nodiscard]] static std::string full_name(const CLI::App& command) {
    const CLI::App* parent = command.get_parent();
    if (parent == nullptr || parent->get_parent() == nullptr) return command.get_name();
    return full_name(*parent) + " " + command.get_name();
  }

  [[nodiscard]] std::string in_our_words(const CLI::Error& error) const {
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
      for (const std::string& word : app_.remaining(true))
        if (word.rfind("--", 0) != 0)
          return (word.rfind('-', 0) == 0 ? "unknown option " : "unexpected argument ") + word;
    return error.what();
  }

  /// CLI11 would only report that a subcommand is required. Returns the index of the first word after the
  /// command.
  int require_known_command(int argc, const char* const* argv) {
    for (int word = 1;; ++word) {
      std::vector<std::string> names;
      for (const CLI::App* command : understood_->get_subcommands({})) names.push_back(command->get_name());
      if (names.empty()) return word;
      const std::string what =
          understood_ == &app_ ? "the command" : "the command after " + full_name(*understood_);
      if (word >= argc)
        throw InvalidArgument(what, "missing", fmt::format("one of {}", fmt::join(names, ", ")));
      const std::string given = argv[word];
      if (given.rfind('-', 0) == 0) {
        if (understood_->get_option_no_throw(given) != nullptr) return word;
        const std::string before = understood_ == &app_ ? "" : " " + full_name(*understood_);
        throw BadUsage(
            fmt::format("unknown option {}{}; other options follow the command: tailbound{} COMMAND {}",
                        given, did_you_mean(given, option_names(*understood_)), before, given));
      }
      const std::string& meant = names[parse_choice(given, what, names)];
      understood_ =
          understood_->get_subcommands([&](const CLI::App* app) { return app->get_name() == meant; }).front();
    }
  }

  CLI::App app_{"Buffers and delays of switches and interconnects, with digits that are proved", "tailbound"};
  std::vector<CLI::App*> commands_;
  const CLI::App* understood_ = &app_;
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
  std::string text;
  const std::optional<std::size_t> place = tree_->parse(argc, argv, text);
  if (!place) return text;
  chosen_ = &commands_[*place];
  return {};
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
               "draw a picture: FILE.svg, or FILE.png or FILE.pdf (these need rsvg-convert)");
    output.add("--title", options.title, "TEXT", "of --plot: the picture's title in place of its own");
    output.add_flag("--log-y", options.log_y, "of --plot: values on a logarithmic axis");
  }
  std::vector<std::string> names = meaning_names(render::formats());
  const Values formats{.choices = names};
  names.front() += " (for people, the default)";
  output.add("--format", options.format, "NAME", in_words(names), formats);
  if (command.options.find("--output") == nullptr)  // reproduce has its own: a folder
    output.add("--output", options.output, "FILE", "write the answer there, whole or not at all");
  output.add_flag("--quiet", options.quiet, "the answer alone, without explanation");
  if (may_be_cut(command.work) && command.options.find("--part") == nullptr)
    output.add("--part", options.part, "I/N",
               "do part I of N alone and write its results, of which\n`tailbound merge` makes the answer");
  if (command.name == "sweep") {
    output.add("--time-limit", options.time_limit, "S",
               "seconds for each point, or none: refused beyond (60 of an analysis\nunless told, none of a "
               "simulation)");
    output.add("--memory-limit", options.memory_limit, "SIZE", "of each point: 500MB, 2GB, or none");
    return;
  }
  const std::string usual = is_analysis(command.work) ? "60 unless told" : "none unless told";
  output.add("--time-limit", options.time_limit, "S", "seconds, or none: refused beyond (" + usual + ")");
  output.add("--memory-limit", options.memory_limit, "SIZE",
             is_analysis(command.work) ? "as 500MB or 2GB, or none: refused beyond (4GB unless told)"
                                       : "as 500MB or 2GB, or none: refused beyond");
}

}  // namespace tailbound::cli
