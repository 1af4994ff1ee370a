#include <sqlite3.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <tailbound/run/store/point_store.hpp>
#include <tests/golden/child.hpp>
#include <tests/golden/folder.hpp>
#include <tests/golden/run_command.hpp>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

// Sweeps: the same bytes regardless of worker and interruptions; no point is computed twice.

namespace {

using nlohmann::json;
using tailbound::golden::Child;
using tailbound::golden::children_of;
using tailbound::golden::Folder;
using tailbound::golden::Outcome;
using tailbound::golden::run_command;
using tailbound::run::PointStore;

const std::string small_plan = R"([[query]]
command = "buffer"
inputs = [4, 8]
load = ["0.5:0.9:0.2", 1.2]
drop = [1e-6, 1e-9]

[[query]]
command = "occupancy"
inputs = 4
load = [0.5, 0.6]
levels = "1,10"
)";

/// A simulation of milliseconds for each of `points` seeds.
std::string simulations(int points) {
  return "[[query]]\ncommand = \"simulate tree\"\nradix = 4\nlevels = 2\nload = 0.8\nslots = 6000\n"
         "percentiles = 99\nseed = [\"1:" +
         std::to_string(points) + ":1\"]\n";
}

Outcome sweep(const std::string& plan, const std::string& store, std::vector<std::string> more = {}) {
  std::vector<std::string> words{"sweep", plan, "--store", store, "--format", "csv"};
  words.insert(words.end(), more.begin(), more.end());
  return run_command(words);
}

std::string version() {
  const std::string expected = run_command({"--version"}).out;  // "tailbound 0.1.0"
  return expected.substr(expected.find(' ') + 1, expected.find('\n') - expected.find(' ') - 1);
}

PointStore::Count count(const std::string& store, PointStore::Use use = PointStore::Use::write) {
  return PointStore(store, version(), use).count();
}

/// Sends the signal and waits until it has taken effect: all threads of the process are stopped.
void halt(pid_t process, int signal) {
  kill(process, signal);
  for (char state = 'R'; state != (signal == SIGSTOP ? 'T' : 'Z') && state != 'Z';) {
    std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
    std::string words;
    if (!std::getline(stat, words)) return;  // it has ended
    state = words[words.rfind(')') + 2];
  }
}

class Base {
 public:
  explicit Base(const std::string& store) { REQUIRE(sqlite3_open(store.c_str(), &handle_) == SQLITE_OK); }
  ~Base() { sqlite3_close(handle_); }
  Base(const Base&) = delete;
  Base& operator=(const Base&) = delete;
  [[nodiscard]] sqlite3* handle() const { return handle_; }

 private:
  sqlite3* handle_ = nullptr;
};

/// A process is in the middle of a transaction: while it is halted, others would wait for it permanently.
bool is_locked(const std::string& store) {
  const Base base(store);
  const bool locked = sqlite3_exec(base.handle(), "BEGIN IMMEDIATE", nullptr, nullptr, nullptr) != SQLITE_OK;
  if (!locked) sqlite3_exec(base.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  return locked;
}

/// Unfinished points claimed by these processes; the claims in the store also include those of killed
/// processes.
std::int64_t in_flight(const std::string& store, const std::vector<pid_t>& processes) {
  const Base base(store);
  std::int64_t points = 0;
  for (const pid_t process : processes) {
    const std::string line = "SELECT count(*) FROM claim WHERE process = " + std::to_string(process);
    sqlite3_stmt* statement = nullptr;
    REQUIRE(sqlite3_prepare_v2(base.handle(), line.c_str(), -1, &statement, nullptr) == SQLITE_OK);
    REQUIRE(sqlite3_step(statement) == SQLITE_ROW);
    points += sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
  }
  return points;
}

/// Kills a sweep at random times until it is complete, independent of the speed of the machine.
void kill_and_go_on(int points, int kills, std::uint32_t seed) {
  const Folder folder;
  const std::string plan = folder.file("plan.toml", simulations(points));
  const Outcome undisturbed = sweep(plan, folder / "undisturbed", {"--jobs", "2"});
  REQUIRE(undisturbed.status == 0);
  const std::string store = folder / "store";
  std::mt19937 random(seed);
  std::int64_t lost = 0, killed = 0, finished = 0;
  std::optional<Child> child;
  while (killed < kills) {
    // Killed after a given number of further points: spread evenly over the run.
    const std::int64_t until = std::min<std::int64_t>(
        points - 1, points * (killed + 1) / (kills + 1) - static_cast<std::int64_t>(random() % 2));
    if (!child)
      child.emplace(std::vector<std::string>{"sweep", plan, "--store", store, "--jobs", "2", "--quiet"},
                    Child::Outputs{.out = "/dev/null"});
    while (!child->has_ended() && (!std::filesystem::exists(store) || count(store).points < until))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (child->has_ended()) {
      child.reset();
      if (count(store).points == points) break;  // it had already finished
      continue;
    }
    const bool only_a_worker = random() % 3 == 0;
    halt(child->id(), SIGSTOP);
    const std::vector<pid_t> workers = children_of(child->id());
    // The whole job may be killed within a transaction; when it continues, its state is counted between two.
    for (const pid_t worker : workers) halt(worker, only_a_worker ? SIGSTOP : SIGKILL);
    if (!only_a_worker) {
      halt(child->id(), SIGKILL);
    } else if (workers.empty() || is_locked(store)) {
      for (const pid_t worker : workers) kill(worker, SIGCONT);
      child->send(SIGCONT);
      continue;
    }
    const PointStore::Count now = count(store);
    CHECK(now.points >= finished);  // nothing is lost
    finished = now.points;
    lost += in_flight(store, workers);
    ++killed;
    if (only_a_worker) {  // the sweep replaces its workers and continues
      kill(workers[random() % workers.size()], SIGKILL);
      child->send(SIGCONT);
    } else {
      child.reset();
    }
  }
  child.reset();
  const Outcome rest = sweep(plan, store, {"--jobs", "2"});
  CHECK(rest.status == 0);
  CHECK(rest.out == undisturbed.out);
  const PointStore::Count end = count(store);
  CHECK(end.points == points);
  CHECK(end.claimed == 0);
  CHECK(end.tries - points <= lost);  // only points in flight are computed twice
  if (kills >= 100)
    WARN(killed << " kills, " << end.tries - points << " claims beyond the " << points
                << " points; in flight at the kills: " << lost);
}

/// The recorded command lines as tables of a plan, a few of each command, except those with positional
/// arguments.
std::string recorded_plan() {
  std::ifstream file(TAILBOUND_TESTS_DIR "/golden/recorded/commands.txt");
  std::string line, plan;
  std::map<std::string, int> seen;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::vector<std::string> all;
    for (std::string word; words >> word;) all.push_back(word);
    if (all.size() < 4 || line.find_first_of("#\"") != std::string::npos ||
        line.find("FOLDER") != std::string::npos)
      continue;
    const bool two = all[1] == "simulate" || all[1] == "validate";
    const std::string ask = two ? all[1] + " " + all[2] : all[1], family = all[0].substr(0, all[0].find('/'));
    std::string table = "[[query]]\ncommand = \"" + ask + "\"\n";
    bool plain = family != "refusals" && family != "help";
    for (std::size_t at = two ? 3 : 2; at < all.size() && plain; ++at) {
      const std::string option = all[at];
      plain = option.rfind("--", 0) == 0 && option != "--format" && option != "--quiet" &&
              option != "--plot" && option != "--output";
      const bool valued = at + 1 < all.size() && all[at + 1].rfind("--", 0) != 0;
      const std::string value = valued ? all[++at] : "";
      if (option == "--threads") continue;
      table += option.substr(2) + " = " + (valued ? "\"" + value + "\"" : "true") + "\n";
    }
    if (plain && ++seen[ask + (line.find("--drop") != std::string::npos ? " drop" : "")] <= 3)
      plan += table + "\n";
  }
  CHECK(seen.size() > 15);
  return plan;
}

}  // namespace

TEST_CASE("sweep: the same bytes for 1, 2 and 3 processes, in parts, and for a plan that grew") {
  const Folder folder;
  const std::string plan = folder.file("plan.toml", small_plan);
  const Outcome one = sweep(plan, folder / "one", {"--jobs", "1"});
  CHECK(one.status == 1);  // 4 points are unstable
  CHECK(one.err.find(" points have no answer; the first: ") != std::string::npos);
  CHECK(std::count(one.out.begin(), one.out.end(), '\n') == 1 + 16 + 2 * 2);
  CHECK(sweep(plan, folder / "two", {"--jobs", "2"}).out == one.out);
  CHECK(sweep(plan, folder / "three", {"--jobs", "3"}).out == one.out);
  for (const char* part : {"1/3", "2/3", "3/3"}) {
    const std::string own = folder / std::string("part ") + part[0];
    for (const std::string& store : {std::string(folder / "parts"), own}) {
      const Outcome its = sweep(plan, store, {"--part", part, "--jobs", "1"});
      CHECK(its.err.empty() == (its.status == 0));
    }
    CHECK(sweep(plan, folder / "joined", {"--add", own, "--dry-run"}).status == 0);
  }
  CHECK(count(folder / "parts").tries == 18);
  CHECK(sweep(plan, folder / "parts").out == one.out);
  CHECK(sweep(plan, folder / "joined").out == one.out);
  CHECK(count(folder / "parts").tries == 18);
  CHECK(count(folder / "joined").tries == 18);

  std::string first_half = small_plan;
  first_half.replace(first_half.find("[1e-6, 1e-9]"), 12, "1e-9");
  const std::string smaller = folder.file("smaller.toml", first_half);
  CHECK(sweep(smaller, folder / "grown").status == 1);
  CHECK(count(folder / "grown").tries == 10);
  CHECK(sweep(plan, folder / "grown").out == one.out);
  CHECK(count(folder / "grown").tries == 18);
  // Points in the store are found without computing.
  CHECK(sweep(smaller, folder / "one").out == sweep(smaller, folder / "grown", {"--dry-run"}).out);
}

TEST_CASE("sweep: remarks of points are kept; rejected points are repeated on request") {
  const Folder folder;
  const std::string plan = folder.file(
      "plan.toml", "[[query]]\ncommand = \"buffer\"\nload = [0.5, 1, 7]\ndrop = 1e-3\ninputs = 2\n");
  const std::string store = folder / "store";
  const Outcome found = run_command({"sweep", plan, "--store", store, "--format", "json"});
  CHECK(found.status == 1);
  const json answer = json::parse(found.out);
  CHECK(answer["headline"] == "3 points: 1 answered, 1 no answer, 1 bad input.");
  REQUIRE(answer["results"].size() == 3);
  CHECK(answer["results"][0]["status"] == "answered");
  CHECK(answer["results"][0]["probability"]["kind"] == "enclosure");
  CHECK(answer["results"][1]["status"] == "no answer");
  CHECK(answer["results"][1]["load"] == "1");
  CHECK(answer["results"][2]["message"].get<std::string>().find("load") != std::string::npos);
  CHECK(count(store).tries == 3);
  CHECK(run_command({"sweep", plan, "--store", store, "--retry", "--quiet"}).status == 1);
  CHECK(count(store).tries == 5);  // the two without an answer again
  CHECK(count(store).points == 3);
  // The store also contains the point's own JSON.
  const json alone = json::parse(
      run_command({"buffer", "--load", "0.5", "--drop", "1e-3", "--inputs", "2", "--format", "json"}).out);
  for (const auto& [key, value] : alone["results"][0].items()) CHECK(answer["results"][0][key] == value);
}

TEST_CASE("sweep: every suitable command, in one plan") {
  const Folder folder;
  // File names are relative to the top of the repository.
  struct AtTop {
    std::filesystem::path former = std::filesystem::current_path();
    AtTop() { std::filesystem::current_path(TAILBOUND_TESTS_DIR "/.."); }
    ~AtTop() { std::filesystem::current_path(former); }
  } at_top;
  const std::string plan = folder.file("plan.toml", recorded_plan()), store = folder / "store";
  const Outcome first = run_command({"sweep", plan, "--store", store, "--format", "json"});
  INFO(first.err);
  CHECK((first.status == 0 || first.status == 1));
  const json answer = json::parse(first.out);
  CHECK(answer["results"].size() > 50);
  for (const auto& result : answer["results"]) {
    INFO(result.dump().substr(0, 600));
    CHECK((result["status"] == "answered" || result["status"] == "no answer"));
  }
  for (const std::string format : {"table", "csv", "markdown", "html"}) {
    const Outcome again = run_command({"sweep", plan, "--store", store, "--format", format});
    INFO(format << "\n" << again.err);
    CHECK(again.status == first.status);
    CHECK(again.err.empty());
  }
}

TEST_CASE("sweep: nothing computed, and a picture") {
  const Folder folder;
  const std::string plan = folder.file("plan.toml", small_plan);
  const Outcome nothing = run_command({"sweep", plan, "--store", folder / "store", "--dry-run", "--quiet"});
  CHECK(nothing.status == 0);
  CHECK(nothing.out.find("missing") != std::string::npos);
  CHECK(count(folder / "store").tries == 0);
  CHECK(run_command({"sweep", plan, "--store", folder / "store", "--quiet", "--plot", folder / "p.svg"})
            .status == 1);
  CHECK(tailbound::golden::content(folder / "p.svg").find("<svg") != std::string::npos);
}

TEST_CASE("sweep: errors") {
  const Folder folder;
  const std::string store = folder / "store";
  const auto rejection = [&](const std::string& query) {
    const Outcome outcome =
        run_command({"sweep", folder.file("plan.toml", "[[query]]\n" + query), "--store", store});
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    return outcome.err;
  };
  CHECK(rejection("command = \"bufer\"\n").find("did you mean buffer?") != std::string::npos);
  CHECK(rejection("command = \"sweep\"\n").find("it must be one of") != std::string::npos);
  CHECK(rejection("command = \"buffer\"\nlaod = 1\n").find("did you mean --load?") != std::string::npos);
  CHECK(rejection("command = \"simulate tree\"\nthreads = 2\n").find("not allowed with sweep") !=
        std::string::npos);
  CHECK(rejection("command = \"buffer\"\nshared = 1\n").find("true or false") != std::string::npos);
  CHECK(rejection("command = \"buffer\"\nload = true\n").find("--load is true") != std::string::npos);
  const std::string plan = folder.file("plan.toml", small_plan);
  CHECK(run_command({"sweep", plan}).err.find("--store") != std::string::npos);
  CHECK(run_command({"sweep", "--store", store}).err.find("PLAN") != std::string::npos);
  CHECK(run_command({"sweep", plan, "--store", store, "--part", "4/3"}).status == 2);
  CHECK(run_command({"sweep", plan, "--store", store, "--part", "3"}).status == 2);
  CHECK(run_command({"sweep", plan, "--store", store, "--jobs", "0"}).status == 2);
  CHECK(run_command({"sweep", folder / "none", "--store", store}).status == 2);
  CHECK(run_command({"sweep", plan, "--store", plan}).err.find("PLAN") != std::string::npos);
  const std::string other = folder.file("other", small_plan);
  CHECK(run_command({"sweep", plan, "--store", other}).err.find("another kind") != std::string::npos);
}

TEST_CASE("sweep: a file's content is part of the key") {
  const Folder folder;
  const std::string pmf = folder.file("pmf", "0.5\n0.3\n0.2\n");
  const std::string plan =
      folder.file("plan.toml", "[[query]]\ncommand = \"buffer\"\npmf = \"" + pmf + "\"\ndrop = 1e-3\n");
  const Outcome first = sweep(plan, folder / "store");
  CHECK(first.status == 0);
  static_cast<void>(folder.file("pmf", "0.6\n0.3\n0.1\n"));
  CHECK(sweep(plan, folder / "store").out != first.out);
  CHECK(count(folder / "store").points == 2);
}

TEST_CASE("sweep: one table per command, with its columns only, at most 100 wide") {
  const Folder folder;
  const std::string plan = folder.file("plan.toml",
                                       "[[query]]\ncommand = \"wormhole\"\ntopology = \"mesh\"\nnodes = 16\n"
                                       "flits = [4, 8]\nloads = 0.1\n"
                                       "[[query]]\ncommand = \"multistage\"\nnodes = 16\nhot = [0, 0.1]\n"
                                       "loads = 0.3\n");
  const std::string text = run_command({"sweep", plan, "--store", folder / "store"}).out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 100);
  CHECK(text.find("\nwormhole, topology mesh, nodes 16,") != std::string::npos);
  CHECK(text.find("\nmultistage, nodes 16,") != std::string::npos);
  CHECK(text.find("question") == std::string::npos);
}

TEST_CASE("sweep: a note is said once, with its points") {
  const Folder folder;
  const std::string plan = folder.file(
      "plan.toml",
      "[[query]]\ncommand = \"buffer\"\ninputs = [4, 8]\nload = \"0.5:0.8:0.1\"\ndrop = 1e-3\n"
      "[[query]]\ncommand = \"buffer\"\nshared = true\ninputs = [4, 8]\nload = [0.5, 0.6]\ndrop = 1e-3\n"
      "[[query]]\ncommand = \"wormhole\"\ntopology = \"mesh\"\nnodes = [16, 64]\nflits = 16\n"
      "fractions = [0.3, 0.6]\n");
  const json answer =
      json::parse(run_command({"sweep", plan, "--store", folder / "store", "--format", "json"}).out);
  std::vector<std::string> proved, accuracy;
  for (const std::string note : answer["notes"]) {
    if (note.find("Proved for inputs") != std::string::npos) proved.push_back(note);
    if (note.find("Approximate model") != std::string::npos) accuracy.push_back(note);
  }
  REQUIRE(proved.size() == 1);
  CHECK(proved.front().starts_with("Points 3 to 6: Proved"));
  REQUIRE(accuracy.size() == 1);
  CHECK(accuracy.front().starts_with("Points 7 to 10, with the numbers of point 7: Approximate model."));
}

TEST_CASE("sweep: Ctrl-C keeps finished points in the store, and shows them") {
  const Folder folder;
  const std::string plan = folder.file("plan.toml", simulations(500));
  const std::string store = folder / "store";
  Child child({"sweep", plan, "--store", store, "--jobs", "2", "--format", "json"}, {.out = folder / "out"});
  while (!child.has_ended() && (!std::filesystem::exists(store) || count(store).points < 3))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  child.send(SIGINT);
  CHECK(child.wait() == 4);
  const json shown = json::parse(tailbound::golden::content(folder / "out"));
  CHECK(shown["stopped"] == true);
  std::int64_t answered = 0;
  for (const json& result : shown["results"]) answered += result["status"] == "answered" ? 1 : 0;
  CHECK(answered >= 3);
  CHECK(answered == count(store).points);
}

TEST_CASE("sweep: a larger limit computes what a smaller one has cut, whose row stays until then") {
  const Folder folder;
  const std::string store = folder / "store";
  const std::string plan = folder.file(
      "plan.toml",
      "[[query]]\ncommand = \"simulate tree\"\nradix = 4\nlevels = 2\nload = 0.8\nslots = 3000000\n"
      "[[query]]\ncommand = \"buffer\"\ninputs = 32\nload = 0.6\nburst = 1000\ndrop = 1e-9\n");
  const auto started = [&](const std::string& limit) {
    static_cast<void>(sweep(plan, store, {"--time-limit", limit}));
    return count(store).tries;
  };
  const std::string known = "a buffer of 48253 packets suffices (proved)";
  CHECK(started("0.2") == 2);
  CHECK(started("0.1") == 2);
  CHECK(started("0.2") == 2);
  const Outcome before = sweep(plan, store, {"--dry-run"});
  CHECK(before.out.find("no answer within the time limit of 0.2 s; " + known) != std::string::npos);
  CHECK(started("0.3") == 4);
  CHECK(sweep(plan, store, {"--dry-run"}).out.find("limit of 0.3 s; " + known) != std::string::npos);
  // Stopped in the middle: the row is as before.
  Child child({"sweep", plan, "--store", store, "--time-limit", "none", "--format", "csv"},
              {.out = folder / "out"});
  while (!child.has_ended() && count(store).claimed == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  child.send(SIGUSR1);
  CHECK(child.wait() == 4);
  CHECK(tailbound::golden::content(folder / "out").find("limit of 0.3 s; " + known) != std::string::npos);
  // Without the one that takes minutes.
  const std::string both = tailbound::golden::content(plan);
  const std::string simulation = folder.file("simulation.toml", both.substr(0, both.rfind("[[query]]")));
  const Outcome after = sweep(simulation, store, {"--time-limit", "none"});
  INFO(after.out << after.err);
  CHECK(after.status == 0);
}

TEST_CASE("sweep: waits for a point of another machine, says so, and takes it when it is released") {
  const Folder folder;
  const std::string plan = folder.file("plan.toml", simulations(3)), store = folder / "store",
                    err = folder / "err";
  CHECK(sweep(plan, store).status == 0);
  const Base base(store);
  const auto run = [&](const char* line) {
    REQUIRE(sqlite3_exec(base.handle(), line, nullptr, nullptr, nullptr) == SQLITE_OK);
  };
  run("INSERT INTO claim SELECT key, 'far', 'another boot', 1, '1', 5, 1790000000, 0, 1 FROM point LIMIT 1");
  run("DELETE FROM point WHERE key IN (SELECT key FROM claim)");
  Child waits({"sweep", plan, "--store", store, "--quiet"}, {.out = folder / "out", .err = err});
  while (!waits.has_ended() && tailbound::golden::content(err).empty())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(tailbound::golden::content(err).rfind("tailbound sweep: waiting for the point \"simulate tree ", 0) ==
        0);
  CHECK(tailbound::golden::content(err).find(
            "\", claimed by process 1 on host far since 2026-09-21 14:13:20 UTC\n") != std::string::npos);
  const Outcome wrong = sweep(plan, store, {"--release", "near", "--dry-run"});
  CHECK(wrong.status == 2);
  CHECK(wrong.err.find("--release is near; it must be a machine that claims points of this store: far") !=
        std::string::npos);
  CHECK(sweep(plan, store, {"--release", "far", "--dry-run"}).status == 0);
  CHECK(waits.wait() == 0);
  CHECK(count(store).points == 3);
}

TEST_CASE("sweep: killed repeatedly, nothing is lost and nothing done twice") {
  kill_and_go_on(24, 6, 1);
}

TEST_CASE("sweep: 100 kills of 200 points", "[.full]") {
  kill_and_go_on(200, 100, 2);
}
