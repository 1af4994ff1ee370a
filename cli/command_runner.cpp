#include <unistd.h>
#include <cli/command_runner.hpp>
#include <cli/options/files.hpp>
#include <cli/options/options.hpp>
#include <cli/program.hpp>
#include <cli/usage.hpp>
#include <tailbound/core/suggest.hpp>
#include <tailbound/version.hpp>

#include <algorithm>
#include <mutex>
#include <set>

namespace tailbound::cli {
namespace {

/// The files of a command line belong to the process. A process forked during a query (by a sweep) starts
/// with a new lock: the parent's lock is held by a thread that does not exist in the child.
std::recursive_mutex& one_at_a_time() {
  static auto* lock = new std::recursive_mutex;
  static pid_t process = getpid();
  if (process != getpid()) {
    lock = new std::recursive_mutex;
    process = getpid();
  }
  return *lock;
}
int depth = 0;  ///< number of nested commands

/// Answers under the lock; the outermost command resets the files.
Reply run_command(const Command& command, const answers::Run& run,
                  const std::map<std::string, std::string>& contents = {}) {
  struct Deeper {
    Deeper() { ++depth; }
    ~Deeper() { --depth; }
  };
  if (depth == 0) begin_files(run.stop);
  for (const auto& [name, content] : contents) named_files().give(name, content);
  const Deeper deeper;
  const Context context{.version = TAILBOUND_VERSION,
                        .quiet = false,
                        .draws = false,
                        .progress = run.progress,
                        .stop = run.stop,
                        .piece = run.piece,
                        .executor = run.executor,
                        .checkpoint = run.checkpoint,
                        .checkpoint_interval = run.checkpoint_interval,
                        .resume = run.resume};
  try {
    return command.answer(context);
  } catch (const InvalidArgument& error) {
    if (const auto named = as_typed(command.options, error)) throw *named;
    throw;
  }
}

Command command_named(std::string_view name) {
  for (const Category& category : categories())
    if (name.substr(0, name.find(' ')) == category.name)
      for (Command (*const make)() : category.commands)
        if (Command command = make(); command.name == name) return command;
  const std::vector<std::string> names = command_names();
  static_cast<void>(parse_choice(name, "the command", names));
  throw std::logic_error("a command that is listed cannot be made");
}

}  // namespace

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Category& category : categories())
    for (Command (*const make)() : category.commands) names.push_back(make().name);
  return names;
}

CommandRunner::CommandRunner(std::string_view command) : command_(command_named(command)) {}

Reply CommandRunner::answer(const std::vector<std::pair<std::string, std::string>>& given,
                            const answers::Run& run,
                            const std::map<std::string, std::string>& contents) const {
  const std::scoped_lock guard(one_at_a_time());
  for (const Option& option : options().options) option.clear();
  for (const auto& [name, text] : given) {
    const Option* option = options().find(name);
    if (option == nullptr)
      throw InvalidArgument("the option", name,
                            "one of " + command_.name + did_you_mean(name, options().names()));
    if (option->given()) throw Misuse(name, "given twice", "given once", name + " is given twice");
    option->set(text);
  }
  for (const Option& option : options().options)
    if (option.required && !option.given()) throw missing(option.name, phrase_of(option.help));
  return run_command(command_, run, contents);
}

Reply answer_document(const std::vector<std::string>& words, const answers::Run& run) {
  const std::scoped_lock guard(one_at_a_time());
  std::vector<const char*> argv{"tailbound"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  Program program(words.empty() ? "" : words.front());
  if (std::optional<std::string> help = program.parse(static_cast<int>(argv.size()), argv.data()))
    return {.text = std::move(help)};
  return run_command(*program.chosen(), run);
}

}  // namespace tailbound::cli
