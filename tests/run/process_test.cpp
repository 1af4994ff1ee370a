#include <tailbound/run/process/child_process.hpp>
#include <tailbound/run/processes.hpp>
#include <tests/golden/child.hpp>
#include <tests/golden/folder.hpp>
#include <tests/run/steps.hpp>

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

// Messages that arrive complete or not at all, and processes that leave no children.

namespace tailbound::run {
namespace {

using Clock = FramedStream::Clock;
using golden::Child;
using golden::children_of;
using golden::Folder;

/// Both ends, in this process.
struct Pair {
  explicit Pair(std::uint64_t longest = 1 << 30) : Pair(connected_sockets(), longest) {}
  Pair(std::pair<int, int> ends, std::uint64_t longest)
      : one(std::make_unique<FramedStream>(ends.first)),
        other(std::make_unique<FramedStream>(ends.second, longest)) {}
  /// Bytes that are not a message.
  void send_raw(std::string_view bytes) const {
    REQUIRE(::send(one->descriptor(), bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  }
  std::unique_ptr<FramedStream> one, other;
};

std::string frame(const std::string& text) {
  const std::uint64_t length = text.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + text;
}

Clock::time_point soon() {
  return Clock::now() + std::chrono::milliseconds(50);
}

/// Does the condition become true within the time that the slowest machine needs?
template <class Condition>
bool in_time(const Condition& condition) {
  for (const auto end = Clock::now() + std::chrono::seconds(30); Clock::now() < end;) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

TEST_CASE("framed streams: messages arrive one by one, for any chunks of bytes") {
  const Pair pair;
  const std::string binary("a\0b", 3);
  for (const std::string& text : {std::string(), binary, std::string("c")}) CHECK(pair.one->send(text));
  for (const std::string& text : {std::string(), binary, std::string("c")}) CHECK(pair.other->take() == text);
  CHECK_FALSE(pair.other->take());
  const std::string bytes = frame("byte by byte") + frame("") + frame("and more");
  std::vector<std::string> come;
  for (const char byte : bytes) {
    pair.send_raw({&byte, 1});
    while (auto message = pair.other->take()) come.push_back(*message);
  }
  CHECK(come == std::vector<std::string>{"byte by byte", "", "and more"});
  CHECK_FALSE(pair.other->receive(soon()));
  CHECK_FALSE(pair.other->ended());
}

TEST_CASE("framed streams: the end follows the last complete message") {
  Pair pair;
  pair.send_raw(frame("whole") + frame("half").substr(0, 10));
  pair.one.reset();
  CHECK(pair.other->receive(soon()) == "whole");
  CHECK_FALSE(pair.other->receive(Clock::time_point::max()));
  CHECK(pair.other->ended());
  CHECK_FALSE(pair.other->send("to nobody"));
}

TEST_CASE("framed streams: a message above the limit ends the stream") {
  const Pair pair(8);
  CHECK(pair.one->send("12345678"));
  CHECK(pair.one->send("123456789"));
  CHECK(pair.other->receive(soon()) == "12345678");
  CHECK_FALSE(pair.other->receive(Clock::time_point::max()));
  CHECK(pair.other->ended());
}

TEST_CASE("framed streams: a stalled reader is not waited for, and gets only whole messages") {
  const Pair pair;
  const std::string long_one(std::size_t{8} << 20U, 'x');
  CHECK_FALSE(pair.one->send(long_one, soon()));
  CHECK_FALSE(pair.one->send("next"));
  CHECK_FALSE(pair.other->receive(soon()));
  CHECK(pair.other->ended());
}

TEST_CASE("framed streams: long messages both ways, through signals") {
  struct sigaction former {
  }, interrupts{};
  interrupts.sa_handler = [](int) {};  // without SA_RESTART
  sigaction(SIGALRM, &interrupts, &former);
  const itimerval often{.it_interval = {.tv_sec = 0, .tv_usec = 300},
                        .it_value = {.tv_sec = 0, .tv_usec = 300}};
  setitimer(ITIMER_REAL, &often, nullptr);
  const Pair pair;
  const std::string text(std::size_t{16} << 20U, 'y');
  std::thread echo([&pair] {
    for (int i = 0; i < 3; ++i) pair.other->send(pair.other->receive(Clock::time_point::max()).value());
  });
  for (int i = 0; i < 3; ++i) {
    CHECK(pair.one->send(text));
    CHECK(pair.one->receive(Clock::time_point::max()) == text);
  }
  echo.join();
  setitimer(ITIMER_REAL, std::make_unique<itimerval>().get(), nullptr);
  sigaction(SIGALRM, &former, nullptr);
}

/// Checks for no requests, and runs longer than any test.
int endless(FramedStream&) {
  std::this_thread::sleep_for(std::chrono::minutes(2));
  return 9;
}

TEST_CASE("child processes: return values, exceptions and signals") {
  const auto status_of = [](const std::function<int(FramedStream&)>& work) {
    return ChildProcess(work).wait();
  };
  CHECK(WEXITSTATUS(status_of([](FramedStream&) { return 7; })) == 7);
  CHECK(WEXITSTATUS(status_of([](FramedStream&) -> int { throw std::bad_alloc(); })) == 1);
  CHECK(WTERMSIG(status_of([](FramedStream&) { return raise(SIGKILL); })) == SIGKILL);
  CHECK(status_of([](FramedStream&) {
          return raise(SIGTERM) + raise(SIGINT) + raise(SIGHUP) + raise(SIGUSR1);
        }) == 0);
  CHECK(WTERMSIG(status_of([](FramedStream&) { return raise(SIGXCPU); })) == SIGXCPU);
}

TEST_CASE("child processes: none outlives its object; each sees its own stream end") {
  const auto until_cut = [](FramedStream& to_parent) {
    static_cast<void>(to_parent.receive(Clock::time_point::max()));
    return 3;
  };
  pid_t gone = 0;
  {
    const ChildProcess child(endless);
    gone = child.id();
  }
  CHECK(kill(gone, 0) != 0);
  ChildProcess first(until_cut);
  const int of_first = first.stream().descriptor();
  ChildProcess second([of_first](FramedStream&) { return fcntl(of_first, F_GETFD) < 0 ? 4 : 5; }, {of_first});
  CHECK(WEXITSTATUS(second.wait()) == 4);
  first.end_within(std::chrono::seconds(30));
  CHECK(WEXITSTATUS(first.wait()) == 3);
  ChildProcess third(endless);
  third.end_within(std::chrono::milliseconds(20));
  CHECK(WTERMSIG(third.wait()) == SIGKILL);
}

// --- killed at random moments

/// Children of ended processes are inherited by this process.
class Orphanage {
 public:
  Orphanage() { prctl(PR_SET_CHILD_SUBREAPER, 1); }
  ~Orphanage() { prctl(PR_SET_CHILD_SUBREAPER, 0); }
  Orphanage(const Orphanage&) = delete;
  Orphanage& operator=(const Orphanage&) = delete;
  /// Do all end by themselves?
  [[nodiscard]] static bool is_empty_soon() {
    return in_time([] {
      while (waitpid(-1, nullptr, WNOHANG) > 0) {
      }
      return waitpid(-1, nullptr, WNOHANG) < 0;  // none is still running
    });
  }
};

TEST_CASE("child processes: they end with their parent in any state") {
  const Orphanage orphanage;
  for (const int signal : {SIGKILL, SIGUSR2}) {
    ChildProcess parent([](FramedStream& to_parent) -> int {
      const ChildProcess one(endless), other(endless);
      ::signal(SIGTERM, SIG_DFL);
      if (fork_with_parent(SIGTERM) != 0) to_parent.send("begun");
      return endless(to_parent);
    });
    REQUIRE(parent.stream().receive(Clock::now() + std::chrono::seconds(30)));
    CHECK(kill(parent.id(), signal) == 0);
    CHECK(WTERMSIG(parent.wait()) == signal);
    CHECK(Orphanage::is_empty_soon());
  }
}

/// The victim, time and signal of a kill.
struct Kill {
  explicit Kill(std::uint32_t seed) : random(seed) {}
  /// \param program  or one of its children
  void at_random(pid_t program, std::chrono::microseconds within) {
    std::this_thread::sleep_for(
        std::chrono::microseconds(random() % static_cast<std::uint64_t>(within.count())));
    const std::vector<pid_t> children = children_of(program);
    of_program = children.empty() || random() % 2 == 0;
    signal = random() % 2 == 0 ? SIGKILL : SIGTERM;
    kill(of_program ? program : children[random() % children.size()], signal);
  }
  std::mt19937 random;
  bool of_program = false;
  int signal = 0;
};

/// Pieces on child processes of a process, with one message as answer.
void kill_pieces(std::uint32_t seed) {
  const Job job = test::steps_job(40, 6000);
  ChildProcess program([&job](FramedStream& to_parent) {
    std::string answer;
    for (const Piece& piece : Processes(3).carry_out(job, {}).pieces) answer += piece.bytes;
    return to_parent.send(answer) ? 0 : 2;
  });
  Kill kill(seed);
  kill.at_random(program.id(), std::chrono::milliseconds(40));
  const auto answer = program.stream().receive(Clock::now() + std::chrono::seconds(30));
  const int status = program.wait();
  CHECK(answer.has_value() == (status == 0));
  if (answer) CHECK(answer->size() == 40 * 16);
}

/// A command that writes its answer to a file, and keeps points in a store.
std::vector<std::string> words_of(const std::string& line, const Folder& folder) {
  std::vector<std::string> words = Child::words_of(line);
  for (std::string& word : words)
    if (word == "STORE") word = folder / "store";
  words.insert(words.end(), {"--format", "json", "--output", folder / "answer"});
  return words;
}

/// Its answer without interference.
std::string undisturbed(const std::string& line) {
  const Folder folder;
  Child(words_of(line, folder), {}).wait();
  return golden::content(folder / "answer");
}

/// \param whole  the result of undisturbed()
void kill_command(std::uint32_t seed, const std::string& line, const std::string& whole,
                  std::chrono::milliseconds within) {
  const Folder folder;
  Child program(words_of(line, folder), {});
  Kill kill(seed);
  kill.at_random(program.id(), within);
  REQUIRE(in_time([&] { return program.has_ended(); }));
  const int status = program.wait();
  CHECK((status == 0 || status == 1 || status == 4 || status == -kill.signal));
  CHECK(Orphanage::is_empty_soon());
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    const std::string name = entry.path().filename().string();
    // and its journal: the store continues from what a kill leaves there
    if (name.starts_with("store")) continue;
    // Nothing can clean up unfinished work after SIGKILL.
    if (name != "answer") {
      CHECK((kill.of_program && kill.signal == SIGKILL));
      continue;
    }
    const std::string answer = golden::content(entry.path().string());
    if (status == 0)
      CHECK(answer == whole);
    else
      CHECK(nlohmann::json::accept(answer));  // it reports itself that it was stopped
  }
  if (status == 0) CHECK(std::filesystem::exists(folder / "answer"));
}

void kill_at_random(int kills) {
  const std::uint32_t first = std::random_device()();
  WARN(kills << " random kills, of the seeds from " << first << " on");
  const Orphanage orphanage;
  const Folder folder;
  const std::string plan =
      folder.file("plan.toml",
                  "[[query]]\ncommand = \"simulate tree\"\nradix = 4\nlevels = 2\nload = "
                  "0.8\nslots = 4000\nseed = [\"1:12:1\"]\n");
  const std::string sweep = "sweep " + plan + " --jobs 2 --store STORE";
  // Its second point does not check for a stop, and is abandoned.
  const std::string given_up = "buffer --inputs 2,32 --load 0.6 --burst 1000 --drop 1e-3 --time-limit 0.6";
  const std::string whole_sweep = undisturbed(sweep), whole_list = undisturbed(given_up);
  CHECK(nlohmann::json::accept(whole_sweep));
  for (int i = 0; i < kills; ++i) {
    const std::uint32_t seed = first + static_cast<std::uint32_t>(i);
    INFO("seed " << seed << ", kind " << i % 3);
    if (i % 3 == 0) kill_pieces(seed);
    if (i % 3 == 1) kill_command(seed, sweep, whole_sweep, std::chrono::milliseconds(400));
    if (i % 3 == 2) kill_command(seed, given_up, whole_list, std::chrono::milliseconds(500));
    REQUIRE(Orphanage::is_empty_soon());
  }
}

TEST_CASE("processes: killed at random moments without leftovers or partial answers") {
  kill_at_random(20);
}

TEST_CASE("processes: killed at 200 random moments", "[.full]") {
  kill_at_random(200);
}

}  // namespace
}  // namespace tailbound::run
