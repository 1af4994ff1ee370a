#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <tailbound/run/process/stop_signals.hpp>
#include <tests/golden/child.hpp>
#include <tests/golden/folder.hpp>
#include <tests/golden/run_command.hpp>

#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <random>
#include <regex>
#include <set>
#include <string>
#include <thread>
#include <vector>

// Stopped runs: the finished part is shown and marked, and no files are left.

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using tailbound::golden::Child;
using tailbound::golden::content;
using tailbound::golden::Folder;
using tailbound::golden::holds;
using tailbound::golden::long_analysis;
using tailbound::golden::long_simulation;
using tailbound::golden::Outcome;
using tailbound::golden::run_command;

using Clock = std::chrono::steady_clock;
constexpr int stopped = 4;

std::set<std::string> names_in(const Folder& folder) {
  std::set<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.path()))
    names.insert(entry.path().filename().string());
  return names;
}

/// A command line that writes "answer" in a folder, stopped once it has started.
struct StoppedChild {
  Folder folder, expected;
  Child child;

  explicit StoppedChild(const std::string& line)
      : child(Child::words_of(line + " --output " + (folder / "answer")),
              {.out = {}, .err = expected / "err"}) {
    REQUIRE(child.wait_for_any_file(folder.path()));
  }
  [[nodiscard]] std::string err() const { return content(expected / "err"); }
};

}  // namespace

TEST_CASE("stops: any signal ends an analysis that does not check for it") {
  for (const int signal : tailbound::run::stop_signals) {
    StoppedChild run(long_analysis);
    run.child.send(signal);
    CHECK(run.child.wait() == stopped);
    CHECK(run.err().rfind("tailbound buffer: stopped on request; a buffer of ", 0) == 0);
    CHECK(names_in(run.folder).empty());
  }
}

TEST_CASE("stops: any signal ends a simulation, with a partial result or an error") {
  for (const int signal : tailbound::run::stop_signals) {
    StoppedChild run(long_simulation + " --format json");
    run.child.send(signal);
    CHECK(run.child.wait() == stopped);
    CHECK(holds(run.err(), "tailbound simulate tree: stopped"));
    const std::set<std::string> names = names_in(run.folder);
    CHECK((names.empty() || names == std::set<std::string>{"answer"}));
    if (!names.empty()) CHECK(json::parse(content(run.folder / "answer"))["stopped"] == true);
  }
}

TEST_CASE("stops: a second signal ends the process at once, with nothing left behind") {
  for (const std::string& line : {long_analysis, long_simulation}) {
    StoppedChild run(line + " --format json");
    run.child.send(SIGINT);
    std::this_thread::sleep_for(std::chrono::milliseconds(400));  // earlier, both would count as one request
    if (!run.child.has_ended()) run.child.send(SIGTERM);
    const int status = run.child.wait();
    CHECK((status == -SIGTERM || status == stopped));
    const std::set<std::string> names = names_in(run.folder);
    CHECK((names.empty() || (line == long_simulation && names == std::set<std::string>{"answer"})));
  }
}

TEST_CASE("stops: ignored signals stay ignored") {
  struct sigaction ignore {
  }, former{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGHUP, &ignore, &former);  // inherited, as from nohup
  StoppedChild run(long_simulation + " --checkpoint-every 0.02 --checkpoint " + "/dev/null");
  sigaction(SIGHUP, &former, nullptr);
  run.child.send(SIGHUP);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK_FALSE(run.child.has_ended());
  run.child.send(SIGINT);
  CHECK(run.child.wait() == stopped);
}

TEST_CASE("stops: the printed command line continues the run") {
  const Folder folder, outputs;
  const std::string state = folder / "a state's file";
  std::vector<std::string> words = Child::words_of(
      "simulate tree --radix 4 --levels 3 --load 0.8 --warmup 640 --format json --slots 400000");
  const Outcome whole = run_command(words);
  REQUIRE(whole.status == 0);
  words.insert(words.end(), {"--checkpoint-every", "0.02", "--checkpoint", state});
  Child child(words, {.out = outputs / "out", .err = outputs / "err"});
  REQUIRE(child.wait_for_file(state, 1));
  child.send(SIGINT);
  int status = child.wait();
  if (status != 0) {  // a fast machine may already have finished
    CHECK(status == stopped);
    const std::string err = content(outputs / "err");
    INFO(err);
    const std::string before = "Go on with:\n  ";
    const std::size_t at = err.find(before);
    REQUIRE(at != std::string::npos);
    const std::string resume = err.substr(at + before.size(), err.size() - at - before.size() - 1);
    CHECK(holds(resume, " --resume '" + (folder / "a state'\\''s file") + "'"));
    status = std::system((resume + " >'" + (outputs / "out") + "'").c_str());
    CHECK(WEXITSTATUS(status) == 0);
  }
  CHECK(content(outputs / "out") == whole.out);
  CHECK(names_in(folder) == std::set<std::string>{"a state's file"});
}

namespace {

struct Requested {
  std::string line, format;
  bool picture = false;

  friend auto operator<=>(const Requested&, const Requested&) = default;
};

/// The output of a run, without its run time.
struct Written {
  int status = 0;
  std::string text, picture;
  Clock::duration took{};
};

std::string without_seconds(const std::string& text) {
  return std::regex_replace(text, std::regex("[0-9.]+ s on"), "* s on");
}

std::string written_to(const std::string& file) {
  return fs::exists(file) ? without_seconds(content(file)) : std::string();
}

/// "complete": false or "stopped": true, at any depth.
bool is_stopped(const json& value) {
  if (value.is_object())
    for (const auto& [key, member] : value.items())
      if ((key == "complete" && member == false) || (key == "stopped" && member == true)) return true;
  if (value.is_structured())
    for (const json& member : value)
      if (is_stopped(member)) return true;
  return false;
}

/// In JSON and CSV by a key and a column, elsewhere as text.
bool is_marked(const std::string& format, const std::string& text) {
  if (format == "--format json") return is_stopped(json::parse(text));
  if (format == "--format csv") return holds(text, ",true\n");
  return holds(text, "stopped") || holds(text, "STOPPED");
}

std::vector<std::string> words_of(const Requested& requested, const Folder& folder) {
  std::string line = requested.line + " " + requested.format + " --output " + (folder / "answer");
  if (requested.picture) line += " --plot " + (folder / "p.svg");
  return Child::words_of(line);
}

Written whole_run(const Requested& requested) {
  const Folder folder;
  const Clock::time_point start = Clock::now();
  Child child(words_of(requested, folder), {});
  Written whole{.status = child.wait(), .text = written_to(folder / "answer"), .picture = {}, .took = {}};
  whole.picture = written_to(folder / "p.svg");
  whole.took = Clock::now() - start;
  INFO(requested.line << requested.format);
  REQUIRE(whole.status <= 1);
  REQUIRE(!whole.text.empty());
  return whole;
}

/// At some time during the run or shortly after it.
void stop_at_random(const Requested& requested, const Written& whole, std::mt19937& random) {
  static constexpr auto signals = tailbound::run::stop_signals;
  const Folder folder, expected;
  const int signal = signals[std::uniform_int_distribution<std::size_t>(0, signals.size() - 1)(random)];
  const double share = std::uniform_real_distribution<double>(0, 1.2)(random);
  Child child(words_of(requested, folder), {.out = {}, .err = expected / "err"});
  std::this_thread::sleep_for(share * whole.took);
  if (!child.has_ended()) child.send(signal);
  const int status = child.wait();
  const std::string err = content(expected / "err");
  const std::string text = written_to(folder / "answer"), picture = written_to(folder / "p.svg");
  INFO(requested.line << " " << requested.format << (requested.picture ? " --plot" : "") << "\n"
                      << signal << " at " << share << ": " << status << "\n"
                      << err << text);
  for (const std::string& name : names_in(folder)) CHECK((name == "answer" || name == "p.svg"));
  if (status == stopped) {
    CHECK(holds(err, "stopped"));
    // Stopped while its picture was drawn, the answer is complete, without a picture.
    const bool undrawn = holds(err, "its picture was not drawn");
    if (!text.empty() && !undrawn) CHECK(is_marked(requested.format, text));
    if (undrawn) CHECK(picture.empty());
    CHECK((picture.empty() || !text.empty()));
  } else if (status == -signal) {  // before it had started
    CHECK(err.empty());
    CHECK(names_in(folder).empty());
  } else {
    CHECK(status == whole.status);
    CHECK(text == whole.text);
    CHECK(picture == whole.picture);
  }
}

void stop_all_at_random(int runs) {
  const Folder inputs;
  const std::string list = inputs.file("list", "1/2\n0.39\n");
  const std::vector<std::pair<std::string, bool>> lines{
      // the second: it has --plot
      {"buffer --inputs 16 --load 0.05:0.95:0.05 --drop 1e-15", true},
      {"occupancy --inputs 16 --load 0.9 --until 1e-30", true},
      {"delay --radix 4 --levels 3 --load 0.8 --drop 1e-9", true},
      {"pgf --inputs 40 --load 0.5 --moments", false},
      {"compare " + list + " --inputs 2 --load 0.5", false},
      {"multistage --nodes 64 --hot 0.08 --combining 2 --loads 0.1:0.9:0.1", true},
      {"wormhole --topology mesh --nodes 64 --flits 16", true},
      {"broadcast --dimensions 6 --virtual-channels 4 --flits 32 --broadcast 0.01", true},
      {"simulate tree --radix 4 --levels 2 --load 0.8 --slots 60000", true},
      {"simulate tree --radix 4 --levels 2 --load 0.8 --rare 1e-9 --slots 200000", false},
      {"simulate switch --inputs 8 --load 0.8 --memory 20,30 --slots 60000", true},
      {"simulate multistage --nodes 16 --hot 0.1 --loads 0.1:0.3:0.1 --slots 6000", true},
      {"simulate wormhole --topology mesh --nodes 16 --flits 8 --loads 0.05,0.1,0.15 --cycles 8000", true},
      {"simulate hypercube --dimensions 4 --virtual-channels 2 --flits 16 --broadcast 0.01 --fractions "
       "20%,40% "
       "--cycles 8000",
       true},
      {"validate delay --radix 4 --levels 2 --load 0.8 --slots 60000", true},
      {"validate buffer --inputs 4 --load 0.8 --slots 60000", true},
      {"validate multistage --nodes 16 --hot 0.1 --loads 0.1,0.2 --slots 6000", true},
      {"validate wormhole --topology mesh --nodes 16 --flits 8 --fractions 20%,40% --cycles 8000", true},
      {"validate broadcast --dimensions 4 --virtual-channels 2 --flits 16 --broadcast 0.01 --fractions "
       "20%,40% "
       "--cycles 8000",
       true}};
  const std::vector<std::string> formats{"--format table", "--format json", "--format csv", "--quiet"};
  std::mt19937 random(20261122);
  std::map<Requested, Written> whole;
  for (int run = 0; run < runs; ++run) {
    // Each line in turn, so that few runs cover all of them.
    const auto& [line, draws] = lines[static_cast<std::size_t>(run) % lines.size()];
    const Requested requested{line, formats[std::uniform_int_distribution<std::size_t>(0, 3)(random)],
                              draws && std::uniform_int_distribution<int>(0, 1)(random) == 1};
    if (!whole.contains(requested)) whole[requested] = whole_run(requested);
    stop_at_random(requested, whole[requested], random);
  }
}

}  // namespace

TEST_CASE("stops: every command at random times") {
  stop_all_at_random(20);
}

TEST_CASE("stops: every command at 500 random times", "[.full]") {
  stop_all_at_random(500);
}
