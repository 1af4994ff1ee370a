#pragma once

#include <cli/command.hpp>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Runs commands in process and returns their Documents instead of text; used by Python, the workbench and
/// sweeps.
///
/// CONTRACT  nothing is printed; no file is written except checkpoints and the files of `reproduce`; signal
/// handlers are not
///           changed. Calls from several threads wait for each other; a command may run others.
namespace tailbound::cli {

/// "buffer", "simulate tree", in the order of the help.
[[nodiscard]] std::vector<std::string> command_names();

/// One command, initialized once for any number of queries.
class CommandRunner {
 public:
  /// \throws InvalidArgument  unknown command
  explicit CommandRunner(std::string_view command);

  /// Without --format, --output, --quiet, --plot and its title, which concern text and pictures.
  [[nodiscard]] const OptionTable& options() const { return command_.options; }
  [[nodiscard]] const Command& command() const { return command_; }

  /// The answer for exactly these options, each with its text as typed ("--load", "0.9"); the text of a flag
  /// ("--shared") is ignored.
  /// \param contents  by name: read instead of files of these names
  /// COST  for "buffer": a microsecond in addition to the computation
  /// \throws InvalidArgument  an unknown, repeated or missing option, and as on the command line;  others as
  ///                          Command
  [[nodiscard]] Reply answer(const std::vector<std::pair<std::string, std::string>>& given,
                             const answers::Run& run = {},
                             const std::map<std::string, std::string>& contents = {}) const;

 private:
  Command command_;
};

/// The same for the words of a command line, without the program's name: {"buffer", "--inputs", "16", ..}.
/// Formats, output files and pictures are parsed and ignored.
/// \throws as CommandRunner;  BadUsage (cli/program.hpp)
[[nodiscard]] Reply answer_document(const std::vector<std::string>& words, const answers::Run& run = {});

}  // namespace tailbound::cli
