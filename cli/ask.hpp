#pragma once

#include <cli/command.hpp>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Commands asked in process, for their Documents in place of text: what Python, pages and sweeps do.
///
/// CONTRACT  nothing is printed, and no file is written but checkpoints and what `reproduce` is for; signals stay as
///           they are. Calls from several threads wait for each other; a command that asks others in its course may.
namespace tailbound::cli {

/// "buffer", "simulate tree", in the order of the help.
[[nodiscard]] std::vector<std::string> command_names();

/// One command, made ready once and asked as often as one likes.
class Asker {
 public:
  /// \throws InvalidArgument  there is no such command
  explicit Asker(std::string_view command);

  /// Without --format, --output, --quiet, --plot and its title, which are about text and pictures.
  [[nodiscard]] const OptionTable& options() const { return command_.options; }
  [[nodiscard]] const Command& command() const { return command_; }

  /// The answer to these options and no others, each with its text as it would be typed ("--load", "0.9"); the text
  /// of a flag ("--shared") does not matter.
  /// \param contents  by name: read in place of files of these names
  /// COST  of "buffer": a microsecond beside the answer
  /// \throws InvalidArgument  an option that there is not, is given twice or is missing, and as typed;  others as
  ///                          Command
  [[nodiscard]] Reply answer(const std::vector<std::pair<std::string, std::string>>& given,
                             const answers::Run& run = {},
                             const std::map<std::string, std::string>& contents = {}) const;

 private:
  Command command_;
};

/// The same for the words of a command line, without the program's name: {"buffer", "--inputs", "16", ..}. What is
/// said there of formats, files and pictures is read and not done.
/// \throws as Asker;  BadUsage (cli/program.hpp)
[[nodiscard]] Reply answer_document(const std::vector<std::string>& words, const answers::Run& run = {});

}  // namespace tailbound::cli
