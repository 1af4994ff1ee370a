#include <cli/run.hpp>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cli/broadcast_command.hpp>
#include <cli/buffer_command.hpp>
#include <cli/command.hpp>
#include <cli/compare_command.hpp>
#include <cli/delay_command.hpp>
#include <cli/multistage_command.hpp>
#include <cli/occupancy_command.hpp>
#include <cli/pgf_command.hpp>
#include <cli/plots.hpp>
#include <cli/reproduce_command.hpp>
#include <cli/simulate_command.hpp>
#include <cli/traffic_options.hpp>
#include <cli/validate_command.hpp>
#include <cli/wormhole_command.hpp>
#include <cli/write_file.hpp>
#include <tailbound/core/error.hpp>

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <exception>
#include <functional>
#include <iostream>
#include <memory>
#include <new>
#include <optional>
#include <vector>

namespace tailbound::cli {
namespace {

constexpr const char* kVersion = TAILBOUND_VERSION;

/// As typed; checked only when the command line as a whole has been read.
struct CommonOptions {
  std::string format = "table";
  std::optional<std::string> output;
  bool quiet = false;
};

void add_common_options(CLI::App& command, CommonOptions& options) {
  command.add_option("--format", options.format, "table (for people, the default), json or csv")
      ->type_name("NAME")
      ->group("Output");
  if (command.get_option_no_throw("--output") == nullptr)  // reproduce has its own: a folder
    command.add_option("--output", options.output, "write the answer there, whole or not at all")
        ->type_name("FILE")
        ->group("Output");
  command.add_flag("--quiet", options.quiet, "the answer alone, without explanation")->group("Output");
  command.set_version_flag("--version", std::string("tailbound ") + kVersion)->group("");
}

Format parse_format(const std::string& text) {
  static const std::vector<std::string> names{"table", "json", "csv"};
  return static_cast<Format>(parse_choice(text, "--format", names));
}

/// The option that an argument of the library stands for: "load" and "rates[3]" become "--load" and
/// "--rates" where the command has that option and it was given; other names stay as they are.
std::string option_name(const CLI::App* command, const std::string& argument) {
  if (command == nullptr || argument.rfind("--", 0) == 0) return argument;
  std::string stem;
  for (const char c : argument) {
    if (c == ' ' || c == '_' || c == '-') {
      stem += '-';
    } else if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      stem += c;
    } else {
      break;
    }
  }
  while (!stem.empty() && stem.back() == '-') stem.pop_back();
  std::vector<std::string> candidates{stem, stem + "s", stem.substr(0, stem.find('-'))};
  if (stem == "probability" || stem == "target" || stem == "drop-target") candidates = {"drop", "until"};
  if (stem == "formula") candidates = {"arrivals"};
  if (stem == "probabilities") candidates = {"pmf"};
  for (const std::string& candidate : candidates) {
    const CLI::Option* option = command->get_option_no_throw("--" + candidate);
    if (option != nullptr && option->count() > 0) return option->get_name();
  }
  return argument;
}

/// A value of the user's may be as long as a command line can be; a message is not.
std::string shorten(std::string message) {
  constexpr std::size_t longest = 1200;
  if (message.size() > longest) message.replace(longest / 2, message.size() - longest, " [...] ");
  return message;
}

/// "50 s", "12 min 30 s", "3 h 5 min"
std::string duration_in_words(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(std::min(seconds, 1e9)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

/// On a terminal, a line that says how far a computation of more than a second has come. It is gone when the
/// object is.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet) : wanted_(!quiet && isatty(STDERR_FILENO) != 0) {}
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() { clear(); }
  void clear() {
    if (shown_) std::cerr << "\r\033[K" << std::flush;
    shown_ = false;
  }

  [[nodiscard]] std::function<void(std::size_t, std::size_t)> counted() {
    if (!wanted_) return {};
    return [this](std::size_t done, std::size_t all) { show(fmt::format("{} of {}", done, all)); };
  }
  [[nodiscard]] std::function<void(double, double)> timed() {
    if (!wanted_) return {};
    return [this](double done, double left) {
      show(fmt::format("{:.0f} %{}", 100 * done, left > 0 ? ", " + duration_in_words(left) + " left" : ""));
    };
  }

 private:
  void show(const std::string& text) {
    if (std::chrono::steady_clock::now() - start_ < std::chrono::seconds(1)) return;
    std::cerr << "\r" << text << "\033[K" << std::flush;
    shown_ = true;
  }

  bool wanted_, shown_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The words of a command on the command line, after the program's name: "simulate tree".
std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  if (parent == nullptr || parent->get_parent() == nullptr) return command.get_name();
  return full_name(*parent) + " " + command.get_name();
}

/// The command line of one run: CLI11's tree of options and what each command does.
class Program {
 public:
  Program() {
    app_.set_version_flag("--version", std::string("tailbound ") + kVersion, "show the version and exit");
    app_.set_help_flag("-h,--help", "show this help and exit");
    app_.require_subcommand(1);
    app_.get_formatter()->column_width(28);
    commands_.push_back(add_buffer_command(app_));
    commands_.push_back(add_occupancy_command(app_));
    commands_.push_back(add_delay_command(app_));
    commands_.push_back(add_pgf_command(app_));
    commands_.push_back(add_compare_command(app_));
    commands_.push_back(add_multistage_command(app_));
    commands_.push_back(add_wormhole_command(app_));
    commands_.push_back(add_broadcast_command(app_));
    commands_.push_back(add_reproduce_command(app_));
    for (Command& command : add_simulate_commands(app_)) commands_.push_back(std::move(command));
    for (Command& command : add_validate_commands(app_)) commands_.push_back(std::move(command));
    for (const Command& command : commands_) add_common_options(*command.app, common_);
    app_.footer(
        "tailbound COMMAND --help lists a command's options and shows an example with its output.\n"
        "Loads, rates and targets are taken exactly: 0.9 is 9/10. Lists: 0.1,0.2 or 0.1:0.9:0.1.\n"
        "Exit status: 0 answered, 1 no answer exists, 2 bad input, 3 internal failure.");
  }

  /// The command that was chosen, and its app; null until the command line has been read.
  [[nodiscard]] const CLI::App* chosen() const {
    for (const Command& command : commands_)
      if (command.app->parsed()) return command.app;
    return nullptr;
  }

  /// Reads, answers and writes.  \throws as Command; CLI::Error
  [[nodiscard]] Status run(int argc, const char* const* argv, std::ostream& out) {
    require_known_command(argc, argv);
    app_.parse(argc, argv);
    const auto command = std::find_if(commands_.begin(), commands_.end(),
                                      [](const Command& candidate) { return candidate.app->parsed(); });
    ProgressLine line(common_.quiet);
    const Context context{.version = kVersion,
                          .format = parse_format(common_.format),
                          .quiet = common_.quiet,
                          .progress = line.counted(),
                          .timed_progress = line.timed()};

    std::vector<PendingFile> files;  // opened first: a long computation must not end at a closed door
    if (common_.output) files.emplace_back(*common_.output, "--output");
    const CLI::Option* plot = command->app->get_option_no_throw("--plot");
    const bool draws = plot != nullptr && plot->count() > 0;
    if (draws) plots::require_known_ending(plot->as<std::string>());
    if (draws) files.emplace_back(plot->as<std::string>(), "--plot");

    const Reply reply = command->answer(context);
    line.clear();  // before the answer, which may go to the same terminal
    if (draws) reply.draw(files.back().temporary());
    if (common_.output) files.front().write(reply.text);
    for (PendingFile& file : files) file.commit();
    if (!common_.output) out << reply.text;
    return reply.status;
  }

  /// CLI11's own errors; help and version are "errors" with status 0.
  [[nodiscard]] int report(const CLI::Error& error, std::ostream& out, std::ostream& err) const {
    if (error.get_exit_code() == 0) return app_.exit(error, out, err);
    return complain(error.what(), bad_input, err);
  }

  [[nodiscard]] int complain(const std::string& message, Status status, std::ostream& err) const {
    const CLI::App* command = chosen() == nullptr ? understood_ : chosen();
    const std::string name = command == &app_ ? "tailbound" : "tailbound " + full_name(*command);
    err << name << ": " << shorten(message) << '\n';
    if (status == bad_input) err << "Try '" << name << " --help'.\n";
    return status;
  }

 private:
  /// CLI11 would only say that a subcommand is required.
  void require_known_command(int argc, const char* const* argv) {
    for (int word = 1;; ++word) {
      std::vector<std::string> names;
      for (const CLI::App* command : understood_->get_subcommands({})) names.push_back(command->get_name());
      if (names.empty()) return;
      const std::string what =
          understood_ == &app_ ? "the command" : "the command after " + full_name(*understood_);
      if (word >= argc)
        throw InvalidArgument(what, "missing", fmt::format("one of {}", fmt::join(names, ", ")));
      const std::string given = argv[word];
      if (given.rfind('-', 0) == 0) return;
      understood_ = app_subcommand(*understood_, names[parse_choice(given, what, names)]);
    }
  }

  static const CLI::App* app_subcommand(const CLI::App& app, const std::string& name) {
    return app.get_subcommands([&](const CLI::App* command) { return command->get_name() == name; }).front();
  }

  CLI::App app_{"Buffers and delays of switches and interconnects, with digits that are proved", "tailbound"};
  CommonOptions common_;
  std::vector<Command> commands_;
  const CLI::App* understood_ = &app_;  ///< as far as the words of the command were known
};

}  // namespace

void add_plot_option(CLI::App& command) {
  command.add_option("--plot", "draw a picture: FILE.svg, FILE.png or FILE.pdf (needs gnuplot)")
      ->type_name("FILE")
      ->expected(1)
      ->group("Output");
}

int run(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
  try {
    Program program;
    try {
      return program.run(argc, argv, out);
    } catch (const CLI::Error& error) {
      return program.report(error, out, err);
    } catch (const InvalidArgument& error) {
      const InvalidArgument named(option_name(program.chosen(), error.argument()), error.value(),
                                  error.legal());
      return program.complain(named.what(), bad_input, err);
    } catch (const ParseError& error) {
      return program.complain(error.what(), bad_input, err);
    } catch (const NoAnswer& error) {
      return program.complain(error.what(), no_answer, err);
    } catch (const std::bad_alloc&) {
      return program.complain("out of memory", internal_failure, err);
    } catch (const std::exception& error) {
      return program.complain(std::string("internal failure: ") + error.what(), internal_failure, err);
    }
  } catch (const std::exception& error) {
    err << "tailbound: internal failure: " << error.what() << '\n';
  } catch (...) {
    err << "tailbound: internal failure of an unknown kind\n";
  }
  return internal_failure;
}

}  // namespace tailbound::cli
