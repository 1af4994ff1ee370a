#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <reproduce/figure.hpp>
#include <tests/golden/child.hpp>
#include <tests/golden/folder.hpp>
#include <tests/golden/run_command.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

// The command: its folder, its README, and its findings. The figures' numbers: tests/figures.

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using tailbound::golden::Child;
using tailbound::golden::content;
using tailbound::golden::Folder;
using tailbound::golden::in_one_line;
using tailbound::golden::Outcome;
using tailbound::golden::run_command;
using tailbound::golden::write;

Outcome reproduce(const std::string& name, const std::string& folder, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments{"reproduce", name, "--output", folder};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_command(arguments);
}

}  // namespace

TEST_CASE("reproduce: the README agrees with the JSON, and keeps figures of earlier runs") {
  const Folder folder;
  REQUIRE(reproduce("singh-dally-7", folder.path(), {"--quick"}).status == 0);
  const std::string before = content(folder / "README.md"), page_before = content(folder / "index.html");
  const Outcome outcome = reproduce("singh-dally-5", folder.path(), {"--quick", "--format", "json"});
  const std::string readme = content(folder / "README.md");
  const std::size_t five = readme.find("## singh-dally-5\n"), seven = readme.find("## singh-dally-7\n");
  REQUIRE(five != std::string::npos);
  REQUIRE(seven != std::string::npos);
  CHECK(five < seven);
  CHECK(readme.substr(seven) == before.substr(before.find("## singh-dally-7\n")));
  // The same for the page.
  const std::string page = content(folder / "index.html");
  const std::size_t page_five = page.find("id=\"singh-dally-5\""),
                    page_seven = page.find("id=\"singh-dally-7\"");
  REQUIRE(page_seven != std::string::npos);
  CHECK(page_five < page_seven);
  CHECK(page.substr(page_seven) == page_before.substr(page_before.find("id=\"singh-dally-7\"")));
  CHECK(page.find("href=\"#singh-dally-5\"") < page.find("href=\"#singh-dally-7\""));
  const json document = json::parse(outcome.out);
  CHECK(document["command"] == "reproduce");
  CHECK(document.contains("version"));
  CHECK(document["query"] == json({{"figure", "singh-dally-5"}, {"quick", true}}));
  REQUIRE(document["results"].size() == 1);
  const json& made = document["results"][0];
  CHECK(made["csv"] == folder / "singh-dally-5.csv");
  CHECK(made["svg"] == folder / "singh-dally-5.svg");
  CHECK(made["readme"] == folder / "README.md");
  CHECK(made["page"] == folder / "index.html");
  std::map<std::string, int> verdicts;
  for (const json& entry : made["findings"]) {
    ++verdicts[entry["verdict"]];
    const std::string lines = "- **" + entry["verdict"].get<std::string>() + "** (" +
                              entry["subject"].get<std::string>() +
                              "): " + entry["claim"].get<std::string>() +
                              "\n  - published: " + entry["published"].get<std::string>() +
                              "\n  - computed: " + entry["computed"].get<std::string>() + "\n";
    INFO(lines);
    CHECK(readme.find(lines) != std::string::npos);
  }
  CHECK(verdicts == std::map<std::string, int>{{"agrees", made["agree"]},
                                               {"does not agree", made["disagree"]},
                                               {"not compared", made["uncompared"]}});
  // Every column of the table, with its unit.
  CHECK(readme.find("| `level` | packets |") != std::string::npos);
  // A second run gives the same bytes.
  REQUIRE(reproduce("singh-dally-7", folder.path(), {"--quick"}).status == 0);
  CHECK(content(folder / "README.md") == readme);
}

TEST_CASE("reproduce: a paper, and all papers; csv has one row per finding; quiet lists the files") {
  using tailbound::figures::figures_named;
  CHECK(figures_named("all").size() == tailbound::figures::all_figures().size());
  std::map<std::string, std::size_t> papers;
  for (const auto& figure : tailbound::figures::all_figures()) ++papers[figure.paper];
  std::size_t of_papers = 0;
  for (const auto& [paper, count] : papers) {
    CHECK(figures_named(paper).size() == count);
    of_papers += count;
  }
  CHECK(of_papers == figures_named("all").size());
  CHECK(figures_named("singh-dally").size() >= 4);

  const Folder folder;
  const json paper = json::parse(reproduce("mohapatra", folder / "a", {"--quick", "--format", "json"}).out);
  const Outcome csv = reproduce("mohapatra", folder / "b", {"--quick", "--format", "csv"});
  std::size_t findings = 0;
  CHECK(paper["results"].size() == figures_named("mohapatra").size());
  for (const json& figure : paper["results"]) {
    const std::string name = figure["figure"];
    CHECK(name.rfind("mohapatra-", 0) == 0);
    findings += figure["findings"].size();
    for (const std::string& file : {name + ".csv", name + ".svg"})
      CHECK(content(folder / ("a/" + file)) == content(folder / ("b/" + file)));
  }
  CHECK(static_cast<std::size_t>(std::count(csv.out.begin(), csv.out.end(), '\n')) == findings + 1);
  CHECK(reproduce("singh-dally-7", folder.path(), {"--quick", "--format", "markdown"})
            .out.find("\n| agrees | buffer at 0.9 |\n") != std::string::npos);
  CHECK(reproduce("singh-dally-7", folder.path(), {"--quick", "--quiet"}).out ==
        folder / "singh-dally-7.csv" + " " + folder / "singh-dally-7.svg" + " " + folder / "README.md" +
            "\n");
}

TEST_CASE("reproduce: a stop keeps the finished figures, and is reported") {
  const Folder folder, errors;
  Child child(Child::words_of("reproduce all --quick --format json --output " + folder.path()),
              {.out = errors / "out"});
  REQUIRE(child.wait_for_file(folder / "README.md", 1));  // after the first figure's files
  child.send(SIGINT);
  const int status = child.wait();
  const json document = json::parse(content(errors / "out"));
  const std::size_t made = document["results"].size();
  CHECK(made >= 1);
  if (status != 0) {  // a fast machine may already have finished
    CHECK(status == 4);
    CHECK(document["stopped"] == true);
    CHECK(document["stopped_after"] == std::to_string(made) + " of 15 figures");
  }
  CHECK(static_cast<std::size_t>(
            std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator())) == 2 * made + 2);
  const std::string readme = content(folder / "README.md");
  for (const json& figure : document["results"])
    CHECK(readme.find("\n## " + figure["figure"].get<std::string>() + "\n") != std::string::npos);
}

TEST_CASE("reproduce: the example in the help is the actual output") {
  const std::string help = run_command({"reproduce", "--help"}).out;
  REQUIRE(help.find("tailbound reproduce singh-dally-7 --output figures") != std::string::npos);
  const Folder folder;
  const std::string out = reproduce("singh-dally-7", folder / "figures").out;
  const std::string printed = in_one_line(std::regex_replace(out, std::regex(folder.path() + "/"), ""));
  CHECK(std::count(out.begin(), out.end(), '\n') >= 10);
  INFO(printed);
  CHECK(in_one_line(help).find(printed) != std::string::npos);
}

TEST_CASE("reproduce: bad input is status 2 before any work, and no file is lost") {
  const Folder folder;
  write(folder / "file", "mine");
  fs::create_directories(folder / "foreign");
  write(folder / "foreign/README.md", "# My project\n");
  fs::create_directories(folder / "foreign_page");
  write(folder / "foreign_page/index.html", "<title>Published figures, computed again</title>");
  fs::create_directories(folder / "blocked/singh-dally-7.csv");
  struct Row {
    std::vector<std::string> arguments;
    std::string message;
  };
  const char* const unwritable = "cannot be written";
  const std::vector<Row> rows{
      {{"reproduce", "--output", folder / "no"}, "NAME is missing"},
      {{"reproduce", "singh-dally-4x", "--output", folder / "no"}, "singh-dally-4"},
      {{"reproduce", "singh-dally-5"}, "--output is missing"},
      {{"reproduce", "singh-dally-5", "--output", ""}, "--output is empty"},
      {{"reproduce", "singh-dally-5", "--output", folder / "file"}, unwritable},
      {{"reproduce", "singh-dally-5", "--output", folder / "file/below"}, unwritable},
      {{"reproduce", "singh-dally-5", "--output", "/proc/tailbound"}, unwritable},
      {{"reproduce", "singh-dally-5", "--output", "/proc"}, unwritable},
      {{"reproduce", "singh-dally-5", "--output", folder / "foreign"}, "README.md of another origin"},
      {{"reproduce", "singh-dally-5", "--output", folder / "foreign_page"}, "index.html of another origin"},
      {{"reproduce", "singh-dally", "--output", folder / "blocked"}, "singh-dally-7.csv"},
      {{"reproduce", "singh-dally-5", "--output", folder / "no", "--format", "xml"}, "--format"},
      {{"reproduce", "singh-dally-5", "--output", folder / "no", "--plot", "x.svg"}, "--plot"},
  };
  for (const Row& row : rows) {
    const Outcome outcome = run_command(row.arguments);
    INFO(row.arguments.back() << ": " << outcome.err);
    CHECK(outcome.status == (outcome.err.find(unwritable) != std::string::npos ? 5 : 2));
    CHECK(outcome.out.empty());
    CHECK(outcome.err.find(row.message) != std::string::npos);
  }
  CHECK(content(folder / "file") == "mine");
  CHECK(content(folder / "foreign/README.md") == "# My project\n");
  CHECK_FALSE(fs::exists(folder / "no"));
  CHECK(std::distance(fs::directory_iterator(folder / "foreign"), fs::directory_iterator()) == 1);
  CHECK(std::distance(fs::directory_iterator(folder / "blocked"), fs::directory_iterator()) == 1);
}
