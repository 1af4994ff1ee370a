#include <catch2/catch.hpp>
#include <tests/golden/folder.hpp>
#include <tests/golden/recorded_csv.hpp>
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
      each("crossbar") each("simulate-crossbar") each("validate-crossbar") each("multistage")              \
          each("network") each("wormhole") each("broadcast") each("simulate-tree") each("simulate-rare")   \
              each("simulate-switch") each("simulate-policed") each("simulate-classes")                    \
                  each("validate-switch") each("simulate-wormhole") each("simulate-hypercube")             \
                      each("simulate-multistage") each("validate-delay") each("validate-buffer")           \
                          each("validate-wormhole") each("validate-broadcast") each("validate-multistage") \
                              each("reproduce") each("refusals") each("help")

namespace {

namespace fs = std::filesystem;
using tailbound::golden::Folder;
using tailbound::golden::Outcome;

const fs::path recorded = TAILBOUND_TESTS_DIR "/golden/recorded";
/// Of each family: a line per command.
const char* const csv_file = "hashes.csv";
/// In command lines and their output: the temporary folder of the run.
const std::string folder_word = "FOLDER";

struct Line {
  std::string family, name;
  std::vector<std::string> words;
};

/// A line, and the record of each format: "" for the one that it names itself. CSV has none: it is compared
/// with JSON, and its hash and header are in csv_file.
struct Run {
  std::string name;
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
  Run run{line.name, line.words, {}};
  if (runs_once(line)) {
    run.files.emplace("", stem + ".txt");
  } else {
    for (const std::string format : {"table", "json"}) run.files.emplace(format, stem + "." + format);
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
    if (!format.empty()) records.insert({{format, ""}, {"csv", ""}});
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

/// What was printed, without the rest of a record.
std::string output_of(const std::string& record) {
  const std::string before = "--- standard output\n", behind = "--- standard error\n";
  const std::size_t begin = record.find(before) + before.size();
  return record.substr(begin, record.find(behind, begin) - begin);
}

std::string hex_of(const std::string& text) {
  std::ostringstream hex;
  hex << std::hex << std::setw(16) << std::setfill('0') << tailbound::golden::hash_of(text);
  return hex.str();
}

/// The name of a run, the hash of its CSV, and the header; empty for a run without formats.
std::string csv_line(const Run& run, const std::map<std::string, std::string>& now) {
  const auto csv = now.find("csv");
  if (csv == now.end()) return {};
  const std::string text = output_of(csv->second);
  return run.name + " " + hex_of(text) + " " + text.substr(0, text.find('\n')) + "\n";
}

/// Tables with their middle rows replaced by the number and hash of these.
std::string with_short_tables(const std::string& text) {
  constexpr std::size_t longest = 50, first = 20, last = 5;
  std::string kept;
  std::vector<std::string> rows;
  const auto end_table = [&] {
    const std::size_t omitted = rows.size() > longest ? rows.size() - first - last : 0;
    std::string middle;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      (i >= first && i < first + omitted ? middle : kept) += rows[i] + "\n";
      if (omitted > 0 && i + 1 == first + omitted)
        kept += std::to_string(omitted) + " rows, hash " + hex_of(middle) + "\n";
    }
    rows.clear();
  };
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (std::count(line.begin(), line.end(), ',') >= 3) {  // of JSON, or of a CSV file
      rows.push_back(line);
      continue;
    }
    end_table();
    kept += line + "\n";
  }
  end_table();
  if (!kept.empty() && text.back() != '\n') kept.pop_back();
  return kept;
}

void check_record(const fs::path& file, const std::string& is, const std::string& family) {
  const std::string name = fs::relative(file, recorded).string();
  if (!fs::exists(file)) {
    FAIL_CHECK(name << " is not recorded; tools/record " << family << " does it");
    return;
  }
  const std::string was = tailbound::golden::content(file);
  if (was != is)
    FAIL_CHECK(name << ", " << first_difference(was, is) << "\nIf that is wanted: tools/record " << family);
  else
    SUCCEED();
}

void compare(const std::string& family) {
  const Surroundings surroundings;
  const std::vector<Run> runs = runs_of(family);
  CHECK_FALSE(runs.empty());
  std::string csv;
  for (const Run& run : runs) {
    INFO(in_words(run));
    const std::map<std::string, std::string> now = records_of(run);
    for (const auto& [format, file] : run.files)
      check_record(file, with_short_tables(now.at(format)), family);
    csv += csv_line(run, now);
    if (now.count("csv") > 0)
      CHECK_THAT(tailbound::golden::csv_differences(output_of(now.at("json")), output_of(now.at("csv"))),
                 Catch::Matchers::Equals(std::vector<std::string>{}));
  }
  if (!csv.empty()) check_record(recorded / family / csv_file, csv, family);
}

void record(const std::string& family) {
  const Surroundings surroundings;
  fs::remove_all(recorded / family);
  fs::create_directories(recorded / family);
  std::string csv;
  for (const Run& run : runs_of(family)) {
    const std::map<std::string, std::string> now = records_of(run);
    for (const auto& [format, file] : run.files)
      tailbound::golden::write(file, with_short_tables(now.at(format)));
    csv += csv_line(run, now);
  }
  if (!csv.empty()) tailbound::golden::write(recorded / family / csv_file, csv);
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
  for (const std::string& family : families)
    if (fs::exists(recorded / family / csv_file)) files.insert(recorded / family / csv_file);
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

TEST_CASE("recorded: long tables are shortened, and a digit of an omitted row changes the hash") {
  const auto table = [](int rows, int changed) {
    std::string text = "{\n";
    for (int i = 0; i < rows; ++i)
      text += "        {\"a\":" + std::to_string(i == changed ? -i : i) + ",\"b\":1,\"c\":2},\n";
    return text + "      ]";
  };
  CHECK(with_short_tables(table(50, 0)) == table(50, 0));
  const std::string text = with_short_tables(table(51, 0));
  CHECK(std::count(text.begin(), text.end(), '\n') == 27);
  CHECK(text.find("26 rows, hash ") != std::string::npos);
  for (int i = 1; i < 51; ++i) CHECK(with_short_tables(table(51, i)) != text);
}

TEST_CASE("recorded: a cell of CSV that JSON contradicts is found") {
  const std::string json =
      "{\"results\": [{\"load\":\"0.9\",\"hops\":\"chain\",\"n\":3,\"x\":0.5,\"none\":null,"
      "\"p\":{\"kind\":\"enclosure\",\"lower\":\"1.0e-3\",\"upper\":\"1.2e-3\"},"
      "\"b\":{\"kind\":\"bound\",\"value\":\"0.2\",\"side\":\"upper\"},\n      \"hops\": [\n"
      "        {\"hop\":1},\n        {\"hop\":2}\n      ]}]}";
  const std::string header = "load,load_exact,hops,n,x,none,p,p_kind,p_lower,b,b_upper,b_lower,hop,stopped\n";
  const std::string first = "0.9,9/10,chain,3,0.5,,1.1e-3,enclosure,1.0e-3,0.2,0.2,,1,false\n",
                    second = "0.9,9/10,chain,3,0.5,,1.1e-3,enclosure,1.0e-3,0.2,0.2,,2,false\n";
  const auto differences = [&](const std::string& rows) {
    return tailbound::golden::csv_differences(json, header + rows);
  };
  CHECK(differences(first + second).empty());
  CHECK_FALSE(differences(first).empty());
  CHECK_FALSE(differences(first + second + second).empty());
  CHECK_FALSE(differences(second + first).empty());
  const std::vector<std::string> others{"0.8",   "8/10",   "safe", "4",   "0.6", "0", "1.3e-3",
                                        "exact", "1.1e-3", "0.3",  "0.1", "0.2", "3", "true"};
  for (std::size_t i = 0; i < others.size(); ++i) {
    std::string row;
    std::istringstream cells(first);
    std::size_t column = 0;
    for (std::string cell; std::getline(cells, cell, ','); ++column)
      row += (column == 0 ? "" : ",") + (column == i ? others[i] : cell);
    if (row.back() != '\n') row += '\n';
    INFO(row);
    CHECK(differences(row + second).size() == 1);
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
