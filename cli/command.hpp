#pragma once

#include <cli/options/options.hpp>
#include <cli/process/limits.hpp>
#include <cli/run.hpp>
#include <tailbound/answers/points/run.hpp>
#include <tailbound/render/document.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

/// What a command of the executable is: a table of options, and a function that answers.
///
/// The commands are in cli/commands.hpp. cli/program.hpp puts a command line into their options; cli/run.cpp shows the
/// reply in the format asked for, and cli/ask.hpp hands it over as it is.
namespace tailbound::cli {

/// What became of a run, for its end.
struct Course {
  bool cut = false;                         ///< a stop has cut the answer short
  std::optional<std::string> checkpoint{};  ///< the file to resume from, once it was written
  bool limited = false;                     ///< by --time-limit or --memory-limit, not on request
  std::string no_checkpoint{};              ///< why the last one could not be written
};

/// How a command is carried out.
struct Context {
  std::string version;  ///< of the executable: "0.1.0"
  bool quiet = false;   ///< the answer alone: no explanation in a table, no progress
  bool draws = false;   ///< will its picture be asked for?
  /// Reports the fraction done, and seconds left (0 while unknown); empty where no progress is wanted.
  std::function<void(double done, double seconds_left)> progress{};
  std::stop_token stop{};  ///< Ctrl-C: a request ends the command at the next opportunity
  std::function<bool(const std::function<void()>& work)> piece{};  ///< answers::Run::piece
  std::shared_ptr<Course> course = std::make_shared<Course>();
  run::Executor* executor = nullptr;  ///< answers::Run::executor
  bool writes = true;                 ///< false where another process writes checkpoints
  /// answers::Run's, of who asks in process; options that name files go before them.
  std::function<void(const std::string& bytes)> checkpoint{};
  std::chrono::milliseconds checkpoint_interval{60'000};
  std::string resume{};
  /// Of each point of a sweep, by what is usual for it.
  std::function<Limits(Limits usual)> limits_of_each = [](Limits usual) { return usual; };
};

/// How an analysis is carried out: with progress, and so that Ctrl-C ends it. A command asks
///
///     answers::as_piece(run, [&] { return ...; })           one answer
///     answers::for_each_point(count, run, [&](i) { ... })   a list, of which a stop leaves what is finished
///
/// Simulations are carried out by SimulationRun (cli/options/simulation_options.hpp).
/// \param context  outlives the result
[[nodiscard]] answers::Run analysis_run(const Context& context);

/// A whole answer, or what is finished of it, which its document then says. Nothing is written before the command
/// has returned it.
struct Reply {
  render::Document document{};  ///< without a layout where `text` is all there is
  /// What a reader is shown in place of the document's table: formulas for other programs, a schema.
  std::optional<std::string> text{};
  /// no_answer where the answer, though whole and written, says no.
  Status status = answered;
};

/// How a command works; there is no usual way, so that none is left out.
enum class Work {
  analysis,  ///< one answer of some seconds
  points,  ///< as many as lists make, of some seconds each: may be cut into parts and shared among processes
  simulation,  ///< the same, and lasts as long as it is told
  search,      ///< one simulation that lasts as long as it is told, and is not cut
  questions,   ///< asks others, or writes what they have answered
};
/// May --part cut it?
[[nodiscard]] constexpr bool may_be_cut(Work work) {
  return work == Work::points || work == Work::simulation;
}
/// Of some seconds for each answer unless it is told otherwise.
[[nodiscard]] constexpr bool is_analysis(Work work) {
  return work == Work::analysis || work == Work::points;
}

/// Options as typed, by name: a sensible question to begin with.
using Opening = std::vector<std::pair<std::string, std::string>>;

/// A command, its options and what it does with them. Errors are thrown: NoAnswer (exit 1; Stopped, which is one:
/// exit 4), InvalidArgument and ParseError (exit 2), anything else (exit 3). An InvalidArgument whose argument is the
/// name of an option is reported under that name (as_typed()).
struct Command {
  std::string name;     ///< "buffer", "simulate tree"
  std::string purpose;  ///< a phrase for the help
  Work work;
  bool draws;           ///< may have a picture
  OptionTable options;  ///< filled before `answer` is called
  std::function<Reply(const Context&)> answer;
  render::Layout (*layout)();  ///< of its documents; null where it has none
  Opening opening;
};

/// What a command is made of.
template <class Options>
struct CommandParts {
  /// One of the above, which must be said.
  struct Kind {
    Work work;
    Kind(Work its) : work(its) {}
  };

  std::string name, purpose;
  Kind work;
  bool draws = false;
  void (*declare)(OptionTable&, Options&) = nullptr;  ///< adds the command's options to a table
  Reply (*answer)(const Options&, const Context&) = nullptr;
  render::Layout (*layout)() = nullptr;
  Opening opening{};
};
template <class Options>
[[nodiscard]] Command command_of(CommandParts<Options> parts) {
  const auto options = std::make_shared<Options>();
  OptionTable table;
  parts.declare(table, *options);
  return {.name = std::move(parts.name),
          .purpose = std::move(parts.purpose),
          .work = parts.work.work,
          .draws = parts.draws,
          .options = std::move(table),
          .answer = [options,
                     answer = parts.answer](const Context& context) { return answer(*options, context); },
          .layout = parts.layout,
          .opening = std::move(parts.opening)};
}

}  // namespace tailbound::cli
