#pragma once

#include <cli/options/options.hpp>
#include <cli/process/limits.hpp>
#include <cli/run.hpp>
#include <tailbound/answers/points/run.hpp>
#include <tailbound/render/document.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

/// A command of the executable: a table of options, and a function that computes the answer.
///
/// The commands are listed in cli/commands.hpp. cli/program.hpp parses a command line into their options;
/// cli/run.cpp prints the reply in the requested format, and cli/command_runner.hpp returns it unchanged.
namespace tailbound::cli {

/// Outcome of a run, reported at its end.
struct RunOutcome {
  bool cut = false;                         ///< a stop has truncated the answer
  std::optional<std::string> checkpoint{};  ///< the file to resume from, once written
  bool limited = false;                     ///< stopped by --time-limit or --memory-limit, not on request
  std::string no_checkpoint{};              ///< why the last one could not be written
};

/// How a command is executed.
struct Context {
  std::string version;  ///< of the executable: "0.1.0"
  bool quiet = false;   ///< only the answer: no explanation in a table, no progress
  bool draws = false;   ///< will its picture be requested?
  /// Reports the fraction done, and seconds left (0 while unknown); empty if no progress is shown.
  std::function<void(double done, double seconds_left)> progress{};
  std::stop_token stop{};  ///< Ctrl-C: a request ends the command at the next opportunity
  std::function<bool(const std::function<void()>& work)> piece{};  ///< answers::Run::piece
  std::shared_ptr<RunOutcome> outcome = std::make_shared<RunOutcome>();
  run::Executor* executor = nullptr;  ///< answers::Run::executor
  bool writes = true;                 ///< false if another process writes checkpoints
  /// Those of answers::Run, from an in-process caller; options that name files take precedence.
  std::function<void(const std::string& bytes)> checkpoint{};
  std::chrono::milliseconds checkpoint_interval{60'000};
  std::string resume{};
  /// The limits of each point of a sweep, from the defaults.
  std::function<Limits(Limits usual)> limits_of_each = [](Limits usual) { return usual; };
};

/// How an analysis is executed: with progress, and interruptible by Ctrl-C. A command calls
///
///     answers::as_piece(run, [&] { return ...; })           one answer
///     answers::for_each_point(count, run, [&](i) { ... })   a list; a stop keeps the finished points
///
/// Simulations are executed by SimulationRun (cli/options/simulation_options.hpp).
/// \param context  outlives the result
[[nodiscard]] answers::Run analysis_run(const Context& context);

/// An exit status other than 0, which never comes without its reason.
struct Complaint {
  Status status = no_answer;
  std::string why;
};

/// A complete answer, or its finished part, marked as such in its document. Nothing is written before the
/// command has returned it.
struct Reply {
  render::Document document{};  ///< without a layout if there is only `text`
  /// Text shown instead of the document's table: formulas for other programs, a schema.
  std::optional<std::string> text{};
  /// Why the exit status is not 0 although there is an answer.
  std::vector<Complaint> complaints{};

  /// \param why  a clause without a full stop, for standard error
  void complain(Status status, std::string why) { complaints.push_back({status, std::move(why)}); }
  /// The worst of the complaints; the finished part of an answer says itself that it is none.
  [[nodiscard]] Status status() const {
    Status worst = answered;
    for (const Complaint& each : complaints) worst = std::max(worst, each.status);
    return worst;
  }
};

/// The kind of work of a command; there is no default, so that it cannot be forgotten.
enum class Work {
  analysis,    ///< one answer, taking seconds
  points,      ///< one per combination of lists, taking seconds each; may be split and shared
  simulation,  ///< the same, with a length chosen by the user
  search,      ///< one simulation with a length chosen by the user; cannot be split
  queries,     ///< runs other commands, or writes their answers
};
/// Can --part split it?
[[nodiscard]] constexpr bool may_be_cut(Work work) {
  return work == Work::points || work == Work::simulation;
}
/// Does each answer take seconds by default?
[[nodiscard]] constexpr bool is_analysis(Work work) {
  return work == Work::analysis || work == Work::points;
}

/// Options as typed, by name: a sensible first query.
using ExampleOptions = std::vector<std::pair<std::string, std::string>>;

/// A command, its options and its action. Errors are thrown: NoAnswer (exit 1; its subclass Stopped: exit 4),
/// InvalidArgument and ParseError (exit 2), anything else (exit 3). If the argument of an InvalidArgument is
/// the name of an option, it is reported under that name (as_typed()).
struct Command {
  std::string name;     ///< "buffer", "simulate tree"
  std::string purpose;  ///< description for the help
  Work work;
  bool draws;           ///< may have a picture
  OptionTable options;  ///< filled before `answer` is called
  std::function<Reply(const Context&)> answer;
  render::Layout (*layout)();  ///< of its documents; null if it has none
  ExampleOptions example;
};

/// The reply with the names that it shows as they are written (cli/options/names.hpp).
[[nodiscard]] Reply with_names(Reply reply);

/// The definition of a command.
template <class Options>
struct CommandParts {
  /// Must be initialized with one of the above.
  struct Kind {
    Work work;
    Kind(Work its) : work(its) {}
  };

  std::string name, purpose;
  Kind work;
  bool draws = false;
  /// Adds the command's options to a table; null if they are the options' rows.
  void (*declare)(OptionTable&, Options&) = nullptr;
  /// Rejects given options that would not act, before `answer` (cli/options/forms.hpp); null if all act
  /// always.
  void (*check)(const OptionTable&) = nullptr;
  Reply (*answer)(const Options&, const Context&) = nullptr;
  render::Layout (*layout)() = nullptr;
  ExampleOptions example{};
};
template <class Options>
[[nodiscard]] Command command_of(CommandParts<Options> parts) {
  const auto options = std::make_shared<Options>();
  OptionTable table;
  if (parts.declare != nullptr) parts.declare(table, *options);
  if constexpr (requires { options->rows; })
    if (parts.declare == nullptr) add_rows(table, *options);
  const auto declared = parts.check != nullptr ? std::make_shared<const OptionTable>(table)
                                               : std::shared_ptr<const OptionTable>();
  return {.name = std::move(parts.name),
          .purpose = std::move(parts.purpose),
          .work = parts.work.work,
          .draws = parts.draws,
          .options = std::move(table),
          .answer =
              [options, declared, check = parts.check, answer = parts.answer](const Context& context) {
                if (declared) check(*declared);
                return with_names(answer(*options, context));
              },
          .layout = parts.layout,
          .example = std::move(parts.example)};
}

}  // namespace tailbound::cli
