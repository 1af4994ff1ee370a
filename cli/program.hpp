#pragma once

#include <cli/commands.hpp>
#include <cli/process/limits.hpp>
#include <tailbound/core/error.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The command line: its words put into the options of the command that they name.
namespace tailbound::cli {

/// Words that are not of the form of any command line.
class BadUsage : public Error {
 public:
  using Error::Error;
};

/// The common options, as typed; an option that was not given is empty.
struct CommonOptions {
  std::optional<std::string> format, output, plot, title, part, time_limit, memory_limit;
  bool quiet = false, log_y = false;
};

/// CLI11's tree of commands and options, and what was made of the words.
class Program {
 public:
  /// \param asked  the first word: where it is a command, the options of others are not made, which would take
  ///               longer than many an answer
  explicit Program(std::string_view asked);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Puts the words into the options of a command.
  /// \param argv  argc texts, the first the program's name
  /// \return the help or the version, where that is asked for
  /// \throws InvalidArgument  no command, or an unknown one;  BadUsage
  [[nodiscard]] std::optional<std::string> parse(int argc, const char* const* argv);

  /// The command whose options have been read; null before.
  [[nodiscard]] const Command* chosen() const { return chosen_; }
  [[nodiscard]] const CommonOptions& common() const { return common_; }
  /// "tailbound simulate tree", as far as the words were understood
  [[nodiscard]] std::string name() const;

 private:
  class Tree;

  CommonOptions common_;
  std::vector<Command> commands_;
  std::unique_ptr<Tree> tree_;
  const Command* chosen_ = nullptr;
};

/// Of a question asked by this command: 60 s of an analysis that is not shared out, and 4 GB, but never more than
/// three quarters of the machine's memory.
/// \param shared_out  among processes, or as a part of several
[[nodiscard]] Limits usual_limits(const Command& command, bool shared_out);

/// The words of a command line for a shell to read.
[[nodiscard]] std::string shell_words(const std::vector<std::string>& words);

/// Adds --plot, --title and --log-y where the command draws; --format, --output and --quiet; the limits.
void add_common_options(Command& command, CommonOptions& options);

}  // namespace tailbound::cli
