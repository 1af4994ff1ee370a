#include <catch2/catch.hpp>
#include <cli/command_runner.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/render/document_bytes.hpp>
#include <tailbound/run/threads.hpp>
#include <tests/golden/folder.hpp>

#include <algorithm>
#include <filesystem>
#include <iomanip>
#include <sstream>
#include <string>
#include <vector>

// Answers converted to bytes and back show the same: the command lines of recorded/commands.txt are run
// directly, and with every point of a list passed as bytes, and their documents are stored.

namespace {

using namespace tailbound;

/// Those that answer with a document and leave no file, every `step`-th.
std::vector<std::vector<std::string>> recorded_lines(std::size_t step) {
  std::vector<std::vector<std::string>> lines;
  std::istringstream text(golden::content(TAILBOUND_TESTS_DIR "/golden/recorded/commands.txt"));
  std::size_t count = 0;
  for (std::string row; std::getline(text, row);) {
    std::istringstream words(row);
    std::string name;
    if (!(words >> name) || name.front() == '#' || row.find("FOLDER") != std::string::npos) continue;
    const std::string family = name.substr(0, name.find('/'));
    if (family == "refusals" || family == "help" || family == "reproduce" || ++count % step != 0) continue;
    std::vector<std::string>& line = lines.emplace_back();
    for (std::string word; words >> std::quoted(word);) line.push_back(word);
  }
  return lines;
}

class TopFolder {
 public:
  TopFolder() { std::filesystem::current_path(TAILBOUND_TESTS_DIR "/.."); }
  ~TopFolder() { std::filesystem::current_path(former_); }
  TopFolder(const TopFolder&) = delete;
  TopFolder& operator=(const TopFolder&) = delete;

 private:
  std::filesystem::path former_ = std::filesystem::current_path();
};

void compare(std::size_t step) {
  const TopFolder top;
  const render::Frame frame{.version = "1"};
  run::Threads executor(1);
  std::size_t compared = 0;
  for (const std::vector<std::string>& line : recorded_lines(step)) {
    std::string words;
    for (const std::string& word : line) words += word + " ";
    INFO(words);
    render::Document whole, stored;
    try {
      whole = cli::answer_document(line).document;
    } catch (const Error&) {
      continue;
    }
    if (!whole.layout) continue;
    stored = cli::answer_document(line, {.executor = &executor}).document;
    const std::string json = render::to_json(whole, frame), csv = render::to_csv(whole, frame);
    CHECK(render::to_json(stored, frame) == json);
    CHECK(render::to_csv(stored, frame) == csv);
    const render::Document kept = render::document_of(render::to_bytes(whole));
    CHECK(render::to_json(kept, frame) == json);
    CHECK(render::to_csv(kept, frame) == csv);
    ++compared;
  }
  CHECK(compared > 250 / step);
}

}  // namespace

TEST_CASE("stored: output of a list does not depend on points having been stored") {
  compare(9);
}

TEST_CASE("stored: the same for all recorded lines", "[.full]") {
  compare(1);
}
