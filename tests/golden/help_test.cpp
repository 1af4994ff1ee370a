#include <catch2/catch.hpp>
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
    if (is_documented(file.path()) || simulates(file.path()) != simulations) continue;
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

TEST_CASE("help: every command ends with its example") {
  for (const char* command : {"buffer",
                              "occupancy",
                              "delay",
                              "pgf",
                              "compare",
                              "fit",
                              "wormhole",
                              "broadcast",
                              "multistage",
                              "reproduce",
                              "merge",
                              "sweep",
                              "serve",
                              "schema",
                              "simulate tree",
                              "simulate switch",
                              "simulate classes",
                              "simulate policed",
                              "simulate multistage",
                              "simulate wormhole",
                              "simulate hypercube",
                              "validate delay",
                              "validate buffer",
                              "validate multistage",
                              "validate wormhole",
                              "validate broadcast"}) {
    std::string name = command;
    std::replace(name.begin(), name.end(), ' ', '-');
    const std::string help = run_line(std::string(command) + " --help").out;
    INFO(command);
    CHECK(help.find("tailbound " + std::string(command)) != std::string::npos);
    CHECK(help.find(without_ends(content((folder / (name + ".txt")).string()))) != std::string::npos);
  }
}
