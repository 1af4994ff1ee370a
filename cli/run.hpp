#pragma once

#include <functional>
#include <map>
#include <optional>
#include <ostream>
#include <string>

namespace tailbound::run {
class Executor;
}

/// The executable as a function, so that tests call it in process.
namespace tailbound::cli {

/// Exit statuses; scripts depend on them.
enum Status : int {
  answered = 0,
  no_answer = 1,  ///< unstable queue, target out of reach, question too large
  bad_input = 2,
  internal_failure = 3,
  stopped = 4,  ///< on request: what is finished is written, and marked; nothing if nothing is
};

/// Who does the work, where that is not the threads of this process.
struct Engine {
  run::Executor* executor = nullptr;  ///< outlives the run
  bool writes = true;                 ///< answers, pictures and checkpoints
  /// Where `out` goes: the answer is written there, waiting for a reader only until a stop.
  std::optional<int> out_descriptor{};
  std::function<void(double done, double seconds_left)> progress{};  ///< in place of a line on the terminal
  /// The same answer in other formats than that of the command line, by name: filled with what --format NAME at the end of
  /// it would print.
  std::map<std::string, std::string>* also = nullptr;
};

/// Runs one command line. The answer goes to `out`, or whole or not at all to the file of --output;
/// errors go to `err`. `out` receives the whole answer or nothing: nothing unless the status is 0, or 1 from
/// a command whose answer may be no (validate), or 4: what a stop has left of the answer.
///
/// CONTRACT  one at a time in a process. SIGINT, SIGTERM and SIGHUP are heeded meanwhile (cli/process/interrupt.hpp);
///           a run that is stopped may go on in a child process (cli/process/pieces.hpp).
/// \param argv  argc texts, the first the program's name
[[nodiscard]] int run(int argc, const char* const* argv, std::ostream& out, std::ostream& err,
                      const Engine& engine = {});

}  // namespace tailbound::cli
