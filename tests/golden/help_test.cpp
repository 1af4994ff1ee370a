#include <catch2/catch.hpp>
#include <cli/command_runner.hpp>
#include <tests/golden/folder.hpp>
#include <tests/golden/run_command.hpp>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

// The examples at the end of --help are the output of the commands, line for line.

namespace {

namespace fs = std::filesystem;
using tailbound::golden::content;
using tailbound::golden::Outcome;
using tailbound::golden::run_line;

const fs::path folder = fs::path(TAILBOUND_TESTS_DIR) / ".." / "cli" / "help";

struct Example {
  std::string line, printed;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);) lines.push_back(line);
  return lines;
}

std::string without_ends(std::string text) {
  text.erase(0, std::min(text.find_first_not_of('\n'), text.size()));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

/// "  tailbound ..." with its continuation, "prints", and the text indented by two columns below it.
std::vector<Example> examples_of(const fs::path& file) {
  const std::vector<std::string> lines = lines_of(content(file.string()));
  std::vector<Example> examples;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    if (lines[at].rfind("  tailbound ", 0) != 0) continue;
    Example example{lines[at].substr(12), {}};
    while (++at < lines.size() && lines[at].rfind("      ", 0) == 0) example.line += lines[at].substr(5);
    if (at >= lines.size() || lines[at] != "prints") continue;
    while (++at < lines.size() && (lines[at].empty() || lines[at].rfind("  ", 0) == 0))
      example.printed += lines[at].substr(std::min<std::size_t>(2, lines[at].size())) + "\n";
    examples.push_back(std::move(example));
  }
  return examples;
}

/// Run time and threads of a simulation are not part of the answer.
std::string without_times(const std::string& text) {
  return without_ends(
      std::regex_replace(text, std::regex("[0-9.]+ s on [0-9]+ threads?"), "* s on * threads"));
}

bool simulates(const fs::path& file) {
  return std::regex_search(file.filename().string(), std::regex("^(simulate|validate)"));
}

/// Other examples: with files of the reader, or a folder that is written.
bool is_documented(const fs::path& file) {
  return std::set<std::string>{"compare.txt", "merge.txt", "reproduce.txt",
                               "schema.txt",  "serve.txt", "sweep.txt"}
      .contains(file.filename().string());
}

/// During its lifetime the working directory is the top of the repository.
class FromTheTop {
 public:
  FromTheTop() : former_(fs::current_path()) { fs::current_path(TAILBOUND_TESTS_DIR "/.."); }
  ~FromTheTop() { fs::current_path(former_); }
  FromTheTop(const FromTheTop&) = delete;
  FromTheTop& operator=(const FromTheTop&) = delete;

 private:
  fs::path former_;
};

void carry_out(bool simulations) {
  const FromTheTop at_the_top;
  std::size_t carried_out = 0;
  for (const fs::directory_entry& file : fs::directory_iterator(folder)) {
    if (file.path().extension() != ".txt" || is_documented(file.path()) ||
        simulates(file.path()) != simulations)
      continue;
    const std::vector<Example> examples = examples_of(file.path());
    INFO(file.path());
    REQUIRE_FALSE(examples.empty());
    for (const Example& example : examples) {
      INFO(example.line);
      const Outcome outcome = run_line(example.line);
      CHECK(outcome.status <= 1);
      CHECK(without_times(outcome.out) == without_times(example.printed));
      ++carried_out;
    }
  }
  CHECK(carried_out >= 7);
}

}  // namespace

TEST_CASE("help: the examples of analyses are the actual output") {
  carry_out(false);
}

TEST_CASE("help: the examples of simulations are the actual output", "[.full]") {
  carry_out(true);
}

namespace {

/// Every command, and the words that gather some.
std::vector<std::string> all_commands() {
  std::vector<std::string> all = tailbound::cli::command_names();
  all.insert(all.end(), {"simulate", "validate", ""});
  return all;
}

std::string help_of(const std::string& command, const char* option) {
  const Outcome outcome = run_line(command.empty() ? option : command + " " + option);
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  return outcome.out;
}

/// Without the output of programs: what is indented behind "prints" or "  $ tailbound ..", up to what is not.
std::vector<std::string> without_output(const std::string& help) {
  std::vector<std::string> lines;
  bool output = false;
  for (const std::string& line : lines_of(help)) {
    if (output && (line.empty() || line.rfind("  ", 0) == 0)) continue;
    output = line.rfind("prints", 0) == 0 || line.rfind("  $ tailbound ", 0) == 0;
    lines.push_back(line);
  }
  return lines;
}

}  // namespace

TEST_CASE("help: -h is one screen of 24 lines and 80 columns") {
  for (const std::string& command : all_commands()) {
    const std::string help = help_of(command, "-h");
    INFO(command << "\n" << help);
    CHECK(lines_of(help).size() <= 24);
    for (const std::string& line : lines_of(help)) CHECK(line.size() <= 80);
    CHECK(help.rfind("Usage: tailbound " + (command.empty() ? "COMMAND" : command), 0) == 0);
    CHECK(help.find("--help: ") != std::string::npos);
  }
}

TEST_CASE("help: -h shows some ten options that the command has, and an example") {
  for (const std::string& command : tailbound::cli::command_names()) {
    const std::string help = help_of(command, "-h");
    INFO(command << "\n" << help);
    const std::vector<std::string> lines = lines_of(help.substr(0, help.find("Example:")));
    const auto rows = std::count_if(lines.begin(), lines.end(), [](const std::string& line) {
      return std::regex_search(line, std::regex("^  (    --|-[a-z], --|[A-Z]+ )"));
    });
    CHECK(rows >= (command == "merge" || command == "reproduce" || command == "schema" ? 3 : 6));
    CHECK(rows <= 13);
    CHECK(help.find("Example:\n  tailbound ") != std::string::npos);
  }
}

TEST_CASE("help: --help has every option, in 80 columns outside of program output") {
  for (const std::string& command : all_commands()) {
    const std::string help = help_of(command, "--help");
    for (const std::string& line : without_output(help)) {
      INFO(command << ": " << line);
      CHECK(line.size() <= 80);
    }
    INFO(command);
    CHECK(help == run_line("help " + command).out);
    if (command.empty() || command == "simulate" || command == "validate") continue;
    const tailbound::cli::CommandRunner runner(command);
    for (const auto& option : runner.options().options) {
      INFO(option.name);
      CHECK(help.find(option.name) != std::string::npos);
    }
  }
}

TEST_CASE("help: defaults are written in one way") {
  for (const std::string& command : tailbound::cli::command_names()) {
    const tailbound::cli::CommandRunner runner(command);
    for (const auto& option : runner.options().options) {
      INFO(command << " " << option.name << ": " << option.help);
      CHECK(option.help.find("unless told") == std::string::npos);
      CHECK(option.help.find("the default") == std::string::npos);
      CHECK_FALSE(std::regex_search(option.help, std::regex(R"( \([0-9][0-9.,%]*\))")));
    }
  }
}

TEST_CASE("help: every command ends with its example") {
  for (const std::string& command : tailbound::cli::command_names()) {
    std::string name = command;
    std::replace(name.begin(), name.end(), ' ', '-');
    const std::string help = help_of(command, "--help");
    INFO(command);
    CHECK(help.find("tailbound " + command) != std::string::npos);
    CHECK(help.find(without_ends(content((folder / (name + ".txt")).string()))) != std::string::npos);
  }
}

TEST_CASE("help: -V and --version, before and behind a command") {
  const std::string version = run_line("--version").out;
  CHECK(version.rfind("tailbound ", 0) == 0);
  for (const char* line : {"-V", "buffer -V", "simulate tree --version", "simulate -V"}) {
    CHECK(run_line(line).status == 0);
    CHECK(run_line(line).out == version);
  }
  // Every library of the build (tools/packages.txt) with its version and licence.
  const std::string details = run_line("--version --verbose").out;
  CHECK(details.rfind(version, 0) == 0);
  CHECK(run_line("buffer -V --verbose").out == details);
  std::vector<std::string> named;
  for (const std::string& line : lines_of(details)) {
    if (line.rfind("  ", 0) != 0) continue;
    INFO(line);
    CHECK(line.size() <= 80);
    CHECK(std::regex_search(line, std::regex("^  .+ ([0-9]+\\.[0-9.]+|-) +[A-Za-z]+[-A-Za-z0-9. ]+  ")));
    named.push_back(line);
  }
  std::size_t packages = 0;
  bool building = false;
  for (const std::string& line : lines_of(content(TAILBOUND_TESTS_DIR "/../tools/packages.txt"))) {
    if (line.rfind('[', 0) == 0) building = line == "[build]";
    packages += building && std::regex_search(line, std::regex("^(lib|nlohmann)[^ ]*-dev "));
  }
  CHECK(named.size() == packages);
}

TEST_CASE("help: short options are the long ones") {
  const std::string json = run_line("buffer --inputs 16 --load 0.8,0.9 --drop 1e-9 --format csv").out;
  CHECK_FALSE(json.empty());
  CHECK(run_line("buffer -i 16 -l 0.8,0.9 -d 1e-9 -f csv").out == json);
  CHECK(run_line("buffer -i16 -l0.8,0.9 -d1e-9 -fcsv").out == json);
  CHECK(run_line("buffer -i 16 -l 0.8 -l 0.9 -d 1e-9").err.find("--load is given twice") !=
        std::string::npos);
  CHECK(run_line("buffer -i 16 -l 85 -d 1e-9").err.find("did you mean 85% or 0.85?") != std::string::npos);
  CHECK(run_line("wormhole --topology mesh --nodes 16 --flits 8 -l 0.01 -f csv").out ==
        run_line("wormhole --topology mesh --nodes 16 --flits 8 --loads 0.01 -f csv").out);
  for (const std::string& command : tailbound::cli::command_names()) {
    std::set<std::string> letters;
    const tailbound::cli::CommandRunner runner(command);
    for (const auto& option : runner.options().options) {
      CHECK(option.name.find(',') == std::string::npos);  // programs know the long names alone
      const std::string letter = tailbound::options::short_name(option.name);
      INFO(command << " " << option.name);
      if (!letter.empty()) CHECK(letters.insert(letter).second);
    }
  }
}
