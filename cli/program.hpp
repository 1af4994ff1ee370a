#pragma once

#include <cli/commands.hpp>
#include <cli/process/limits.hpp>
#include <tailbound/core/error.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The command line: parses its words into the options of the command.
namespace tailbound::cli {

/// Words that do not form a command line.
class BadUsage : public Error {
 public:
  using Error::Error;
};

/// The common options, as typed; empty if not given.
struct CommonOptions {
  std::optional<std::string> format, output, plot, title, part, time_limit, memory_limit;
  bool quiet = false, log_y = false;
};

/// CLI11's tree of commands and options, and the parsed words.
class Program {
 public:
  /// \param requested  the first word: if it is a command, the options of others are not created, which would
  ///               take longer than many answers
  explicit Program(std::string_view requested);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Parses the words into the options of a command.
  /// \param argv  argc strings, the first the program's name
  /// \return the help or the version, if requested
  /// \throws InvalidArgument  no command, or an unknown one;  BadUsage
  [[nodiscard]] std::optional<std::string> parse(int argc, const char* const* argv);

  /// The command whose options have been parsed; null before.
  [[nodiscard]] const Command* chosen() const { return chosen_; }
  /// With the common options; all of them if the requested word is none.
  [[nodiscard]] const std::vector<Command>& commands() const { return commands_; }
  [[nodiscard]] const CommonOptions& common() const { return common_; }
  /// "tailbound simulate tree", as far as the words were recognized
  [[nodiscard]] std::string name() const;

 private:
  class Tree;

  [[nodiscard]] std::string requested_text(bool verbose) const;

  CommonOptions common_;
  std::vector<Command> commands_;
  std::unique_ptr<Tree> tree_;
  const Command* chosen_ = nullptr;
};

/// Default limits of a query: 60 s for an analysis that is not shared, and 4 GB, but never more than three
/// quarters of the machine's memory.
/// \param shared_out  among processes, or as one of several parts
[[nodiscard]] Limits usual_limits(const Command& command, bool shared_out);

/// The words of a command line, quoted for a shell.
[[nodiscard]] std::string shell_words(const std::vector<std::string>& words);

/// Adds --plot, --title and --log-y if the command draws; --format, --output and --quiet; the limits.
void add_common_options(Command& command, CommonOptions& options);

}  // namespace tailbound::cli
