#pragma once

#include <CLI/App.hpp>
#include <cli/run.hpp>
#include <tailbound/answers/run.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

/// What a command of the executable is: options on a CLI11 subcommand, and a function that answers.
///
/// The commands are in cli/commands.hpp. cli/run.cpp calls all of them, adds the common options (--format,
/// --output, --quiet), parses, and writes the reply. A command of several words ("simulate tree") is a
/// subcommand of a subcommand; the outer one only gathers the inner ones.
namespace tailbound::cli {

/// How an answer is written.
enum class Format {
  table,  ///< for people
  json,   ///< one document, one line end
  csv,    ///< a header line, then a line a row
  markdown,
};

/// What became of a run, for its end.
struct Course {
  bool cut = false;                         ///< a stop has cut the answer short
  std::optional<std::string> checkpoint{};  ///< the file to resume from, once it was written
};

/// The common options, as every command sees them, and how it is carried out.
struct Context {
  std::string version;  ///< of the executable: "0.1.0"
  Format format = Format::table;
  bool quiet = false;                  ///< the answer alone: no explanation in a table, no progress
  std::optional<std::string> title{};  ///< of --plot, in place of the picture's own
  bool log_y = false;                  ///< of --plot: values on a logarithmic axis
  /// Reports the fraction done, and seconds left (0 while unknown); empty where no progress is wanted.
  std::function<void(double done, double seconds_left)> progress{};
  std::stop_token stop{};  ///< Ctrl-C: a request ends the command at the next opportunity
  std::function<bool(const std::function<void()>& work)> piece{};  ///< answers::Run::piece
  std::shared_ptr<Course> course = std::make_shared<Course>();
};

/// How an analysis is carried out: with progress, and so that Ctrl-C ends it. A command asks
///
///     answers::as_piece(run, [&] { return ...; })           one answer
///     answers::for_each_point(count, run, [&](i) { ... })   a list, of which a stop leaves what is finished
///
/// Simulations are carried out by SimulationRun (cli/simulation_options.hpp).
/// \param context  outlives the result
[[nodiscard]] answers::Run analysis_run(const Context& context);

/// A whole answer, or what is finished of it. Nothing is written before the command has returned it.
struct Reply {
  std::string text;  ///< ends with a line end
  /// Draws the picture into the file named: a temporary with the ending that --plot asks for, which run()
  /// renames. Required where the command has --plot and it is given.
  std::function<void(const std::string& picture)> draw{};
  /// no_answer where the answer, though whole and written, says no.
  Status status = answered;
  /// A stop has cut the answer short, as its text and its picture say; the status is then `stopped`. Set
  /// without being asked where the run said so (answers::Run::cut).
  bool stopped = false;
};

/// A subcommand and what it does. Errors are thrown: NoAnswer (exit 1; Stopped, which is one: exit 4),
/// InvalidArgument and ParseError (exit 2), anything else (exit 3). An InvalidArgument whose argument is the name of an option
/// ("--load", or without dashes and with spaces: "load", "packets per slot") is reported under that option's
/// name.
struct Command {
  CLI::App* app = nullptr;  ///< owned by the program
  std::function<Reply(const Context&)> answer;
};

/// Adds --plot, --title and --log-y to a command that draws.
void add_plot_option(CLI::App& command);

}  // namespace tailbound::cli
