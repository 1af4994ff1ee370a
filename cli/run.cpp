#include <cli/run.hpp>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cli/command.hpp>
#include <cli/commands.hpp>
#include <cli/gnuplot.hpp>
#include <cli/help.hpp>
#include <cli/interrupt.hpp>
#include <cli/named_files.hpp>
#include <cli/pieces.hpp>
#include <cli/read_file.hpp>
#include <cli/traffic_options.hpp>
#include <cli/write_file.hpp>
#include <tailbound/answers/points.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/core/suggest.hpp>

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <exception>
#include <functional>
#include <iostream>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tailbound::cli {
namespace {

constexpr const char* kVersion = TAILBOUND_VERSION;

/// A command line that is not of the form of any.
class BadUsage : public Error {
 public:
  using Error::Error;
};

/// Standard output cannot be written.
class OutputFailed : public Error {
 public:
  explicit OutputFailed(int reason)
      : Error(std::string("standard output cannot be written (") +
              (reason == 0 ? "writing failed" : std::strerror(reason)) + ")") {}
};

/// \throws OutputFailed  unless all of it has arrived
template <class Print>
void print_whole(std::ostream& out, const Print& print) {
  errno = 0;
  print(out);
  out.flush();
  if (!out) throw OutputFailed(errno);
}

/// As typed; checked only when the command line as a whole has been read.
struct CommonOptions {
  std::string format = "table";
  std::optional<std::string> output;
  bool quiet = false;
};

void add_common_options(CLI::App& command, CommonOptions& options) {
  command.add_option("--format", options.format, "table (for people, the default), json, csv or markdown")
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
  static const std::vector<std::string> names{"table", "json", "csv", "markdown"};
  return static_cast<Format>(parse_choice(text, "--format", names));
}

/// The option that an argument of the library stands for: "load" and "rates[3]" are "--load" and "--rates"
/// where the command has that option and it was given; null for other names.
const CLI::Option* option_of(const CLI::App* command, const std::string& argument) {
  if (command == nullptr) return nullptr;
  if (argument.rfind("--", 0) == 0) return command->get_option_no_throw(argument);
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
  if (stem == "probability" || stem == "target" || stem == "drop-target")
    candidates = {"drop", "until", "rare"};
  if (stem == "formula") candidates = {"arrivals"};
  if (stem == "probabilities") candidates = {"pmf"};
  for (const std::string& candidate : candidates) {
    const CLI::Option* option = command->get_option_no_throw("--" + candidate);
    if (option != nullptr && option->count() > 0) return option;
  }
  return nullptr;
}

/// An error of the library in the words of the command line: the option, with its value as it was typed where
/// that is one value.
InvalidArgument as_typed(const CLI::App* command, const InvalidArgument& error) {
  const CLI::Option* option = option_of(command, error.argument());
  if (option == nullptr || error.argument().rfind("--", 0) == 0) return error;
  std::string value = error.value();
  // A value that is no number is the reason: "not a PGF: A(1) is 2".
  const bool number = value.find_first_not_of("0123456789.eE+-/") == std::string::npos;
  if (number && option->count() == 1) {
    const auto typed = option->as<std::string>();
    if (typed.find_first_of(",:") == std::string::npos) value = typed;
  }
  return {option->get_name(), value, error.legal()};
}

/// An option of the command that was given; null if it was not, or the command has none such.
const CLI::Option* given(const CLI::App& command, const std::string& name) {
  const CLI::Option* option = command.get_option_no_throw(name);
  return option != nullptr && option->count() > 0 ? option : nullptr;
}

/// The words of a command line for a shell to read.
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
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

/// The same command line, but resumed from this file.
std::string resuming_line(int argc, const char* const* argv, const std::string& checkpoint) {
  std::vector<std::string> words;
  for (int i = 0; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--resume") ++i;
    if (word == "--resume" || word.rfind("--resume=", 0) == 0) continue;
    words.push_back(word);
  }
  words.insert(words.end(), {"--resume", checkpoint});
  return shell_words(words);
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

  [[nodiscard]] std::function<void(double, double)> told() {
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

/// What stands first on the command line: a command, or several under one word.
struct Room {
  std::string_view name;
  std::vector<Command> (*add)(CLI::App& program);
};

template <Command (*add)(CLI::App& program)>
std::vector<Command> one(CLI::App& program) {
  return {add(program)};
}

constexpr Room rooms[] = {
    {"buffer", one<add_buffer_command>},       {"occupancy", one<add_occupancy_command>},
    {"delay", one<add_delay_command>},         {"pgf", one<add_pgf_command>},
    {"compare", one<add_compare_command>},     {"multistage", one<add_multistage_command>},
    {"wormhole", one<add_wormhole_command>},   {"broadcast", one<add_broadcast_command>},
    {"reproduce", one<add_reproduce_command>}, {"simulate", add_simulate_commands},
    {"validate", add_validate_commands},       {"schema", one<add_schema_command>}};

/// The command line of one run: CLI11's tree of options and what each command does.
class Program {
 public:
  /// \param asked  the first word: where it is a command, the options of others are not made, which would take
  ///               longer than many an answer
  explicit Program(std::string_view asked) {
    app_.set_version_flag("--version", std::string("tailbound ") + kVersion, "show the version and exit");
    app_.set_help_flag("-h,--help", "show this help and exit");
    app_.require_subcommand(1);
    app_.get_formatter()->column_width(28);
    const auto is_asked = [&](const Room& room) { return asked == room.name; };
    const bool known = std::any_of(std::begin(rooms), std::end(rooms), is_asked);
    for (const Room& room : rooms)
      if (!known || is_asked(room))
        for (Command& command : room.add(app_)) commands_.push_back(std::move(command));
    for (const Command& command : commands_) {
      add_common_options(*command.app, common_);
      command.app->footer(example_of(full_name(*command.app)));
    }
    app_.footer(
        "tailbound COMMAND --help lists a command's options and shows an example with its output.\n"
        "Loads, rates and targets are taken exactly: 0.9 is 9/10 is 90%. Lists: 0.1,0.2 or 0.1:0.9:0.1.\n"
        "Exit 0 answered, 1 no answer, 2 bad input, 3 internal failure, 4 stopped. FILE -: stdin or stdout.");
  }

  /// The command that was chosen, and its app; null until the command line has been read.
  [[nodiscard]] const CLI::App* chosen() const {
    for (const Command& command : commands_)
      if (command.app->parsed()) return command.app;
    return nullptr;
  }

  /// Reads, answers and writes.  \throws as Command; CLI::Error; BadUsage; OutputFailed
  [[nodiscard]] Status run(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
    look_over(argc, argv, require_known_command(argc, argv));
    app_.parse(argc, argv);
    const auto command = std::find_if(commands_.begin(), commands_.end(),
                                      [](const Command& candidate) { return candidate.app->parsed(); });
    Interrupt interrupt;
    Pieces pieces(interrupt);
    begin_reading(interrupt.token());
    ProgressLine line(common_.quiet);
    const CLI::Option* plot = given(*command->app, "--plot");
    const CLI::Option* title = given(*command->app, "--title");
    const CLI::Option* log_y = given(*command->app, "--log-y");
    for (const CLI::Option* option : {title, log_y})
      if (option != nullptr && plot == nullptr)
        throw InvalidArgument(option->get_name(), "given without --plot", "given with --plot FILE");
    const Context context{.version = kVersion,
                          .format = parse_format(common_.format),
                          .quiet = common_.quiet,
                          .title = title == nullptr ? std::nullopt : std::optional(title->as<std::string>()),
                          .log_y = log_y != nullptr,
                          .progress = line.told(),
                          .stop = interrupt.token(),
                          .piece = [&pieces](const auto& piece) { return pieces.carry_out(piece); },
                          .course = course_};

    // Opened first: a long computation must not end at a closed door.
    std::optional<PendingFile> text, picture;
    if (common_.output && *common_.output != "-") text.emplace(*common_.output, "--output");
    if (plot != nullptr) {
      require_known_ending(plot->as<std::string>());
      picture.emplace(plot->as<std::string>(), "--plot");
    }

    const Reply reply = command->answer(context);
    line.clear();  // before the answer, which may go to the same terminal
    if (picture) picture->fill(reply.draw);
    if (text) text->write(reply.text);
    if (text) text->commit();
    if (picture) picture->commit();
    if (!text) print_whole(out, [&](std::ostream& to) { to << reply.text; });
    if (!reply.stopped && !course_->cut) return reply.status;
    err << name() << ": stopped on request; what is finished is shown\n";
    return stopped;
  }

  /// CLI11's own errors; help and version are "errors" with status 0.
  [[nodiscard]] int report(const CLI::Error& error, std::ostream& out, std::ostream& err) {
    if (error.get_exit_code() == 0) {
      print_whole(out, [&](std::ostream& to) { static_cast<void>(app_.exit(error, to, err)); });
      return answered;
    }
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
      for (const std::string& word : app_.remaining(true))
        if (word.rfind("--", 0) != 0)
          return complain((word.rfind('-', 0) == 0 ? "unknown option " : "unexpected argument ") + word,
                          bad_input, err);
    return complain(error.what(), bad_input, err);
  }

  /// The command that goes on where a run was stopped, if anything was kept.
  void say_how_to_resume(int argc, const char* const* argv, std::ostream& err) const {
    if (course_->checkpoint)
      err << "Go on with:\n  " << resuming_line(argc, argv, *course_->checkpoint) << '\n';
  }

  /// "tailbound simulate tree"
  [[nodiscard]] std::string name() const {
    const CLI::App* command = chosen() == nullptr ? understood_ : chosen();
    return command == &app_ ? "tailbound" : "tailbound " + full_name(*command);
  }

  [[nodiscard]] int complain(const std::string& message, Status status, std::ostream& err) const {
    err << name() << ": " << shorten(message) << '\n';
    if (status == bad_input) err << "Try '" << name() << " --help'.\n";
    return status;
  }

 private:
  /// CLI11 would only say that a subcommand is required. The place of the first word behind the command's.
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
        throw BadUsage(fmt::format("unknown option {}{}; other options follow the command: {} COMMAND {}",
                                   given, did_you_mean(given, option_names(*understood_)), name(), given));
      }
      understood_ = app_subcommand(*understood_, names[parse_choice(given, what, names)]);
    }
  }

  static std::vector<std::string> option_names(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    return names;
  }

  /// Finds what CLI11 would report in words of its own: options that there are not, that lack their value, or
  /// that are given twice.  \param first  the place of the first word behind the command's
  void look_over(int argc, const char* const* argv, int first) const {
    std::set<const CLI::Option*> seen;
    std::string complaint;
    const auto complain_of = [&complaint](std::string words) {
      if (complaint.empty()) complaint = std::move(words);
    };
    const auto option_at = [&](int place) -> const CLI::Option* {
      if (place >= argc) return nullptr;
      const std::string word = argv[place];
      return word.rfind('-', 0) == 0 && word.size() > 1
                 ? understood_->get_option_no_throw(word.substr(0, word.find('=')))
                 : nullptr;
    };
    for (int place = first; place < argc; ++place) {
      const std::string word = argv[place];
      const CLI::Option* option = option_at(place);
      if (word == "--help" || word == "-h" || word == "--version") return;  // whatever the rest
      if (option == nullptr) {
        const std::string unknown = word.substr(0, word.find('='));
        if (word.rfind("--", 0) == 0)
          complain_of("unknown option " + unknown + did_you_mean(unknown, option_names(*understood_)));
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

  static const CLI::App* app_subcommand(const CLI::App& app, const std::string& name) {
    return app.get_subcommands([&](const CLI::App* command) { return command->get_name() == name; }).front();
  }

  CLI::App app_{"Buffers and delays of switches and interconnects, with digits that are proved", "tailbound"};
  CommonOptions common_;
  std::vector<Command> commands_;
  std::shared_ptr<Course> course_ = std::make_shared<Course>();
  const CLI::App* understood_ = &app_;  ///< as far as the words of the command were known
};

}  // namespace

void add_plot_option(CLI::App& command) {
  command.add_option("--plot", "draw a picture: FILE.svg, FILE.png or FILE.pdf (needs gnuplot)")
      ->type_name("FILE")
      ->expected(1)
      ->group("Output");
  command.add_option("--title", "of --plot: the picture's title in place of its own")
      ->type_name("TEXT")
      ->expected(1)
      ->group("Output");
  command.add_flag("--log-y")->description("of --plot: values on a logarithmic axis")->group("Output");
}

answers::Run analysis_run(const Context& context) {
  return {.stop = context.stop,
          .progress = context.progress,
          .piece = context.piece,
          .cut = [course = context.course] { course->cut = true; }};
}

namespace {

/// What is thrown becomes a message and a status.
int answer_or_complain(Program& program, int argc, const char* const* argv, std::ostream& out,
                       std::ostream& err) {
  try {
    try {
      const Status status = program.run(argc, argv, out, err);
      if (status == stopped) program.say_how_to_resume(argc, argv, err);
      return status;
    } catch (const CLI::Error& error) {
      return program.report(error, out, err);
    }
  } catch (const InvalidArgument& error) {
    return program.complain(as_typed(program.chosen(), error).what(), bad_input, err);
  } catch (const BadUsage& error) {
    return program.complain(error.what(), bad_input, err);
  } catch (const ParseError& error) {
    return program.complain(error.what(), bad_input, err);
  } catch (const Stopped& error) {
    const int status = program.complain(error.what(), stopped, err);
    program.say_how_to_resume(argc, argv, err);
    return status;
  } catch (const NoAnswer& error) {
    return program.complain(error.what(), no_answer, err);
  } catch (const OutputFailed& error) {
    return program.complain(error.what(), internal_failure, err);
  } catch (const std::bad_alloc&) {
    return program.complain("out of memory", internal_failure, err);
  } catch (const std::exception& error) {
    return program.complain(std::string("internal failure: ") + error.what(), internal_failure, err);
  }
}

}  // namespace

int run(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
  try {
    named_files::begin();
    Program program(argc > 1 ? argv[1] : "");
    return answer_or_complain(program, argc, argv, out, err);
  } catch (const std::exception& error) {
    err << "tailbound: internal failure: " << error.what() << '\n';
  } catch (...) {
    err << "tailbound: internal failure of an unknown kind\n";
  }
  return internal_failure;
}

}  // namespace tailbound::cli
