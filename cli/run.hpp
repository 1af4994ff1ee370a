#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <ostream>
#include <string>

namespace tailbound::run {
class Executor;
}

/// The executable as a function, so that tests can call it in process.
namespace tailbound::cli {

/// Exit statuses; scripts depend on them.
enum Status : int {
  answered = 0,
  no_answer = 1,  ///< unstable queue, unreachable target, query too large
  bad_input = 2,
  internal_failure = 3,
  stopped = 4,    ///< on request: the finished part is written and marked; nothing if nothing was finished
  unwritten = 5,  ///< an output cannot be written: a full disk, a missing folder, a closed standard output
};

/// As in `tailbound --help` and in the table of docs/contract.md.
struct StatusMeaning {
  Status status;
  const char* meaning;
};
inline constexpr std::array<StatusMeaning, 6> status_meanings{
    {{answered, "result"},
     {no_answer, "no result (unstable, out of reach, over a limit), or a negative verdict"},
     {bad_input, "invalid input"},
     {internal_failure, "internal failure"},
     {stopped, "stopped on request, or the reader of the output has gone"},
     {unwritten, "output that cannot be written"}}};

/// The executor and its settings, if not the threads of this process.
struct Engine {
  run::Executor* executor = nullptr;  ///< outlives the run
  bool writes = true;                 ///< answers, pictures and checkpoints
  /// Descriptor of `out`: the answer is written there, waiting for a reader only until a stop.
  std::optional<int> out_descriptor{};
  std::function<void(double done, double seconds_left)> progress{};  ///< instead of a line on the terminal
  /// The same answer in additional formats, by name: filled with the output of --format NAME.
  std::map<std::string, std::string>* also = nullptr;
};

/// Runs one command line. The answer goes to `out`, or atomically to the file of --output; errors go to
/// `err`: at least one line for every status but 0. `out` receives the complete answer or nothing: nothing
/// unless the status is 0, or 1 from a command whose answer may be negative (validate), or 4: the part of the
/// answer that was finished before a stop, or 5: the answer whose file or picture cannot be written.
///
/// CONTRACT  one at a time per process. Stop signals are handled meanwhile (cli/process/interrupt.hpp);
///           a stopped run may continue in a child process (cli/process/pieces.hpp).
/// \param argv  argc strings, the first the program's name
[[nodiscard]] int run(int argc, const char* const* argv, std::ostream& out, std::ostream& err,
                      const Engine& engine = {});

}  // namespace tailbound::cli
