#include <catch2/catch.hpp>
#include <tests/golden/folder.hpp>
#include <tests/golden/run_command.hpp>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

// The output of the command lines of recorded/commands.txt, byte for byte, so that refactoring can be shown
// not to change it. The head of that file describes how lines are written and run. Intended changes are
// recorded by tools/record, which runs the hidden cases "record: FAMILY" below.

#define TAILBOUND_FAMILIES(each)                                                                           \
  each("buffer") each("occupancy") each("delay") each("guarantee") each("pgf") each("compare") each("fit") \
      each("multistage") each("network") each("wormhole") each("broadcast") each("simulate-tree")          \
          each("simulate-rare") each("simulate-switch") each("simulate-policed") each("simulate-classes")  \
              each("validate-switch") each("simulate-wormhole") each("simulate-hypercube")                 \
                  each("simulate-multistage") each("validate-delay") each("validate-buffer")               \
                      each("validate-wormhole") each("validate-broadcast") each("validate-multistage")     \
                          each("reproduce") each("refusals") each("help")

namespace {

namespace fs = std::filesystem;
using tailbound::golden::Folder;
using tailbound::golden::Outcome;

const fs::path recorded = TAILBOUND_TESTS_DIR "/golden/recorded";
/// In command lines and their output: the temporary folder of the run.
const std::string folder_word = "FOLDER";

struct Line {
  std::string family, name;
  std::vector<std::string> words;
};

/// A line, and the record of each format: "" for the one that it names itself.
struct Run {
  std::vector<std::string> words;
  std::map<std::string, fs::path> files;
};

std::vector<Line> all_lines() {
  std::vector<Line> lines;
  std::istringstream text(tailbound::golden::content(recorded / "commands.txt"));
  for (std::string row; std::getline(text, row);) {
    std::istringstream words(row);
    std::string name;
    if (!(words >> name) || name.front() == '#') continue;
    INFO(row);
    const std::size_t slash = name.find('/');
    REQUIRE(slash != std::string::npos);
    Line& line = lines.emplace_back(Line{name.substr(0, slash), name.substr(slash + 1), {}});
    for (std::string word; words >> std::quoted(word);) line.words.push_back(word);
  }
  return lines;
}

bool runs_once(const Line& line) {
  return line.family == "refusals" || line.family == "help" ||
         std::any_of(line.words.begin(), line.words.end(), [](const std::string& word) {
           return word == "--format" || word == "--quiet" || word.rfind(folder_word, 0) == 0;
         });
}

Run run_of(const Line& line) {
  const std::string stem = (recorded / line.family / line.name).string();
  Run run{line.words, {}};
  if (runs_once(line)) {
    run.files.emplace("", stem + ".txt");
  } else {
    for (const std::string format : {"table", "json", "csv"}) run.files.emplace(format, stem + "." + format);
  }
  return run;
}

std::vector<Run> runs_of(const std::string& family) {
  std::vector<Run> runs;
  for (const Line& line : all_lines())
    if (line.family == family) runs.push_back(run_of(line));
  return runs;
}

/// In the top folder of the repository.
class Surroundings {
 public:
  Surroundings() : former_folder_(fs::current_path()) { fs::current_path(TAILBOUND_TESTS_DIR "/.."); }
  ~Surroundings() { fs::current_path(former_folder_); }
  Surroundings(const Surroundings&) = delete;
  Surroundings& operator=(const Surroundings&) = delete;

 private:
  fs::path former_folder_;
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// Replaces the text between these by *.
std::string omitted(std::string text, const std::string& begin, const std::string& end) {
  for (std::size_t at = 0; (at = text.find(begin, at)) != std::string::npos;) {
    at += begin.size();
    const std::size_t until = text.find(end, at);
    if (until == std::string::npos) break;
    text.replace(at, until - at, "*");
  }
  return text;
}

/// Text that differs between runs is masked:
/// - the temporary folder of the run is FOLDER;
/// - the seconds that a simulation took are *: "3.0 s on 1 thread" becomes "* s on 1 thread";
/// - in pages style, script and their hashes are *: they have separate tests (tests/browser).
std::string masked(std::string text, const Folder& folder) {
  text = replaced(std::move(text), folder.path(), folder_word);
  for (const auto& [begin, end] :
       {std::pair{"<style>", "</style>"}, {"<script>", "</script>"}, {"'sha256-", "'"}})
    text = omitted(std::move(text), begin, end);
  const std::string behind = " s on ";
  for (std::size_t at = 0; (at = text.find(behind, at)) != std::string::npos;) {
    std::size_t begin = at;
    while (begin > 0 &&
           (std::isdigit(static_cast<unsigned char>(text[begin - 1])) != 0 || text[begin - 1] == '.'))
      --begin;
    if (begin < at) text.replace(begin, at - begin, "*");
    at = begin + 1 + behind.size();
  }
  return text;
}

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// By format: status, both outputs, and the files left in the run's folder. The answer is computed once;
/// "formats: ..." below checks that --format gives the same.
std::map<std::string, std::string> records_of(const Run& run) {
  const Folder folder;
  std::vector<std::string> words;
  for (const std::string& word : run.words) words.push_back(replaced(word, folder_word, folder.path()));
  std::map<std::string, std::string> records;
  for (const auto& [format, file] : run.files)
    if (!format.empty()) records.emplace(format, "");
  const Outcome outcome = tailbound::golden::run_command(words, &records);
  if (records.empty()) records.emplace("", outcome.out);
  std::string behind = "--- standard error\n" + outcome.err;
  for (const fs::path& file : files_below(folder.path()))
    behind += "--- " + file.string() + "\n" + tailbound::golden::content(file);
  for (auto& [format, text] : records)
    text = masked("--- status " + std::to_string(outcome.status) + "\n--- standard output\n" + text + behind,
                  folder);
  return records;
}

/// The part of a line around a column; lines may be very long.
std::string around(const std::string& line, std::size_t column) {
  constexpr std::size_t before = 60, maximum = 160;
  const std::size_t begin = column > before ? column - before : 0;
  return (begin > 0 ? "..." : "") + line.substr(begin, maximum) +
         (begin + maximum < line.size() ? "..." : "");
}

std::string first_difference(const std::string& was, const std::string& is) {
  const auto [a, b] = std::mismatch(was.begin(), was.end(), is.begin(), is.end());
  const auto at = static_cast<std::size_t>(a - was.begin());
  const auto line_of = [at](const std::string& text) {
    const std::size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
    return around(text.substr(begin, text.find('\n', at) - begin), at - begin);
  };
  std::ostringstream text;
  text << "line " << std::count(was.begin(), a, '\n') + 1 << "\n  recorded: " << line_of(was)
       << "\n  now:      " << line_of(is);
  return text.str();
}

std::string in_words(const Run& run) {
  std::string text = "tailbound";
  for (const std::string& word : run.words)
    text += word.find(' ') == std::string::npos ? " " + word : " \"" + word + "\"";
  return text;
}

void compare(const std::string& family) {
  const Surroundings surroundings;
  const std::vector<Run> runs = runs_of(family);
  CHECK_FALSE(runs.empty());
  for (const Run& run : runs) {
    INFO(in_words(run));
    const std::map<std::string, std::string> now = records_of(run);
    for (const auto& [format, file] : run.files) {
      const std::string name = fs::relative(file, recorded).string();
      if (!fs::exists(file)) {
        FAIL_CHECK(name << " is not recorded; tools/record " << family << " does it");
        continue;
      }
      const std::string was = tailbound::golden::content(file);
      const std::string& is = now.at(format);
      if (was != is)
        FAIL_CHECK(name << ", " << first_difference(was, is) << "\nIf that is wanted: tools/record "
                        << family);
      else
        SUCCEED();
    }
  }
}

void record(const std::string& family) {
  const Surroundings surroundings;
  fs::remove_all(recorded / family);
  fs::create_directories(recorded / family);
  for (const Run& run : runs_of(family)) {
    const std::map<std::string, std::string> now = records_of(run);
    for (const auto& [format, file] : run.files) tailbound::golden::write(file, now.at(format));
  }
}

}  // namespace

#define TAILBOUND_RECORDED(family) \
  TEST_CASE("recorded: " family) { \
    compare(family);               \
  }
TAILBOUND_FAMILIES(TAILBOUND_RECORDED)

// Only tools/record names families here: a test run must not rewrite its own references.
TEST_CASE("record the families that TAILBOUND_RECORD names", "[.record]") {
  const char* const named = std::getenv("TAILBOUND_RECORD");
  std::istringstream families(named == nullptr ? "" : named);
  for (std::string family; families >> family;) record(family);
}

TEST_CASE("recorded: each line has its own family and name, each file a line") {
#define TAILBOUND_NAME(family) family,
  const std::set<std::string> families{TAILBOUND_FAMILIES(TAILBOUND_NAME)};
  std::set<fs::path> files{recorded / "commands.txt"};
  for (const Line& line : all_lines()) {
    INFO(line.family << "/" << line.name);
    CHECK(families.count(line.family) == 1);
    for (const auto& [format, file] : run_of(line).files) CHECK(files.insert(file).second);
  }
  for (const fs::path& file : files_below(recorded)) {
    INFO(file);
    CHECK((files.count(file) == 1 || file.parent_path() == recorded / "input"));
  }
}

TEST_CASE("formats: the same answer in another format is the output of --format") {
  const std::vector<std::string> words{"buffer", "--inputs", "16", "--load", "0.8,0.9", "--drop", "1e-9"};
  std::map<std::string, std::string> also{
      {"table", ""}, {"json", ""}, {"csv", ""}, {"markdown", ""}, {"html", ""}};
  REQUIRE(tailbound::golden::run_command(words, &also).status == 0);
  for (const auto& [format, text] : also) {
    std::vector<std::string> of_format = words;
    of_format.insert(of_format.end(), {"--format", format});
    CHECK(text == tailbound::golden::run_command(of_format).out);
  }
}

TEST_CASE("recorded: masking") {
  const Folder folder;
  CHECK(masked("took 3.0 s on 2 threads\n10.5 s on 1 thread, 7 s on", folder) ==
        "took * s on 2 threads\n* s on 1 thread, 7 s on");
  CHECK(masked(" s on  s on 12 s on x", folder) == " s on  s on * s on x");
  CHECK(masked("a " + (folder / "b") + "\n", folder) == "a FOLDER/b\n");
  CHECK(
      masked("<style>p { }</style><p>'sha256-Ab=' 'sha256-c'<script>x</script><script type=\"t\">y</script>",
             folder) ==
      "<style>*</style><p>'sha256-*' 'sha256-*'<script>*</script><script type=\"t\">y</script>");
}
