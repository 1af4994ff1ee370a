#include <catch2/catch.hpp>
#include <cli/command_runner.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/render/document.hpp>

#include <algorithm>
#include <exception>
#include <map>
#include <set>
#include <stop_token>
#include <string>

// Declared values of options, for forms and other programs, compared with the behavior of the commands.

namespace {

using namespace tailbound;
using cli::CommandRunner;
using options::Option;

TEST_CASE("values: every name of an option is in its help") {
  int found = 0;
  for (const std::string& command : cli::command_names()) {
    const CommandRunner runner(command);
    for (const Option& option : runner.options().options)
      for (const std::string& name : option.values.choices) {
        INFO(command << " " << option.name << " " << name);
        CHECK(option.help.find(name) != std::string::npos);
        ++found;
      }
  }
  CHECK(found > 100);
}

TEST_CASE("values: sliders increase, in fitting steps") {
  int found = 0;
  for (const std::string& command : cli::command_names()) {
    const CommandRunner runner(command);
    for (const Option& option : runner.options().options)
      if (const auto& slider = option.values.slider) {
        INFO(command << " " << option.name);
        CHECK(slider->minimum < slider->maximum);
        CHECK(slider->step > 0);
        CHECK(slider->step < slider->maximum - slider->minimum + 1e-9);
        CHECK(option.text != nullptr);
        ++found;
      }
  }
  CHECK(found > 60);
}

TEST_CASE("values: an unknown name is rejected with the option's list of names") {
  int found = 0;
  for (const std::string& command : cli::command_names()) {
    const CommandRunner runner(command);
    if (runner.command().example.empty()) continue;
    for (const Option& option : runner.options().options) {
      if (option.values.choices.empty()) continue;
      INFO(command << " " << option.name);
      cli::ExampleOptions requested = runner.command().example;
      std::erase_if(requested, [&](const auto& pair) { return pair.first == option.name; });
      requested.emplace_back(option.name, "nonsense");
      std::string message;
      try {
        static_cast<void>(runner.answer(requested));
      } catch (const InvalidArgument& error) {
        message = error.what();
      }
      // Other options may be required with it: the error then names them.
      if (message.find("must be one of") == std::string::npos &&
          message.find("must be either") == std::string::npos)
        continue;
      for (const std::string& name : option.values.choices) CHECK(message.find(name) != std::string::npos);
      ++found;
    }
  }
  CHECK(found > 20);
}

/// Values that are no numbers: names, texts, files, and lists in forms that the help shows.
bool has_form(const Option& option) {
  static const std::set<std::string> forms{"FILE",    "FOLDER",   "TEXT",      "EXPR",    "SIZES",
                                           "I/N",     "N,L,RATE", "R,B",       "N x R,B", "N x T",
                                           "ADDRESS", "HOST",     "'NAME ..'", "[N]"};
  static const std::set<std::string> named{"--without", "--shared-memory", "--flow", "--port", "--nodes"};
  return option.is_argument() || option.flag != nullptr || forms.contains(option.type) ||
         named.contains(option.name);
}

TEST_CASE("values: every number has a range, every name its choices") {
  int found = 0;
  for (const std::string& command : cli::command_names()) {
    const CommandRunner runner(command);
    for (const Option& option : runner.options().options) {
      if (has_form(option)) continue;
      INFO(command << " " << option.name << " " << option.type << ": " << option.help);
      CHECK((!option.values.legal.empty() || !option.values.choices.empty()));
      ++found;
    }
  }
  CHECK(found > 500);
}

TEST_CASE("values: the range in the help is that of the message") {
  // Narrower where other options are known ("at most the number of inputs, 16"), or of one of several forms.
  const auto narrower = [](const std::string& name) {
    return name == "--load" || name == "--burst" || name == "--fractions" || name == "--nodes" ||
           name == "--offered" || name == "--priorities" || name == "--classes" || name == "--speedup" ||
           name == "--weights" || name == "--flits";
  };
  const std::string wrong = "-7";
  std::stop_source stopped;
  stopped.request_stop();
  std::map<std::string, int> found;
  for (const std::string& command : cli::command_names()) {
    const CommandRunner runner(command);
    if (runner.command().example.empty()) continue;
    for (const Option& option : runner.options().options) {
      if (option.values.legal.empty() || narrower(option.name)) continue;
      cli::ExampleOptions requested = runner.command().example;
      std::erase_if(requested, [&](const auto& pair) { return pair.first == option.name; });
      requested.emplace_back(option.name, wrong);
      try {
        static_cast<void>(runner.answer(requested, {.stop = stopped.get_token()}));
      } catch (const InvalidArgument& error) {
        if (error.argument() != option.name || error.value() != wrong)
          continue;  // another option is required
        INFO(command << " " << error.what());
        CHECK(error.legal() == option.values.legal);
        ++found[option.name];
      } catch (const std::exception&) {  // legal, and out of reach
      }
    }
  }
  CHECK(found.size() > 45);
}

TEST_CASE("values: a default that is given changes nothing") {
  int found = 0;
  for (const std::string& command : cli::command_names()) {
    const CommandRunner runner(command);
    cli::ExampleOptions example = runner.command().example;
    if (example.empty() || !cli::is_analysis(runner.command().work)) continue;
    if (runner.options().find("--analysis") != nullptr) example.emplace_back("--analysis", "");
    const auto answer = [&](const cli::ExampleOptions& given) {
      return render::to_json(runner.answer(given).document, {.version = ""});
    };
    std::string usual;
    try {
      usual = answer(example);
    } catch (const InvalidArgument&) {
      continue;  // the example has files that are not here
    }
    for (const Option& option : runner.options().options) {
      const auto is_it = [&](const auto& pair) { return pair.first == option.name; };
      if (option.usual.empty() || std::any_of(example.begin(), example.end(), is_it)) continue;
      INFO(command << " " << option.name << " " << option.usual);
      cli::ExampleOptions requested = example;
      requested.emplace_back(option.name, option.usual);
      std::string given;
      try {
        given = answer(requested);
      } catch (const InvalidArgument&) {
        continue;  // it belongs to another form or needs another option
      }
      CHECK(given == usual);
      ++found;
    }
  }
  CHECK(found > 25);
}

TEST_CASE("commands: simulations and lists of points can be split, analyses have a time limit") {
  for (const std::string& command : cli::command_names()) {
    INFO(command);
    const cli::Work work = CommandRunner(command).command().work;
    const bool searches = command == "simulate policed";
    const bool simulates = !searches && (command.starts_with("simulate") || command.starts_with("validate"));
    CHECK((work == cli::Work::search) == searches);
    CHECK((work == cli::Work::simulation) == simulates);
    if (simulates) CHECK((cli::may_be_cut(work) && !cli::is_analysis(work)));
  }
  CHECK(cli::may_be_cut(CommandRunner("buffer").command().work));
  CHECK_FALSE(cli::may_be_cut(CommandRunner("pgf").command().work));
  CHECK_FALSE(cli::is_analysis(CommandRunner("sweep").command().work));
}

}  // namespace
