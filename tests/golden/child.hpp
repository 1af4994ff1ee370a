#pragma once

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

extern "C" char** environ;  // NOLINT: POSIX declares it nowhere

namespace tailbound::golden {

/// Takes minutes, but little memory in the first second; the analysis does not check for stop requests.
inline const std::string long_analysis = "buffer --inputs 32 --load 0.6 --burst 1000 --drop 1e-9";
inline const std::string long_simulation = "simulate tree --radix 4 --levels 3 --load 0.8 --slots 1e9";

/// Child processes as listed by the system.
inline std::vector<pid_t> children_of(pid_t process) {
  std::vector<pid_t> children;
  std::ifstream list("/proc/" + std::to_string(process) + "/task/" + std::to_string(process) + "/children");
  for (pid_t child = 0; list >> child;) children.push_back(child);
  return children;
}

/// The executable in a separate process, to be sent signals once it has been observed to do something.
/// Independent of the speed of the machine.
class Child {
 public:
  /// Where its outputs go.
  struct Outputs {
    std::string out{}, err = "/dev/null";  ///< files; the test's own if empty
  };

  /// Arguments separated by spaces; none of them may contain a space. Its stderr is discarded.
  explicit Child(const std::string& line) : Child(words_of(line), Outputs{}) {}
  Child(const std::vector<std::string>& given, const Outputs& outputs) {
    std::vector<std::string> words{TAILBOUND_EXECUTABLE};
    words.insert(words.end(), given.begin(), given.end());
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    const auto redirect = [&actions](int descriptor, const std::string& file) {
      if (!file.empty())
        posix_spawn_file_actions_addopen(&actions, descriptor, file.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                         0600);
    };
    redirect(STDOUT_FILENO, outputs.out);
    redirect(STDERR_FILENO, outputs.err);
    const int failed = posix_spawn(&id_, TAILBOUND_EXECUTABLE, &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    REQUIRE(failed == 0);
  }
  ~Child() {
    if (has_ended()) return;
    send(SIGKILL);
    (void)wait();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  static std::vector<std::string> words_of(const std::string& line) {
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
  }

  [[nodiscard]] pid_t id() const { return id_; }

  /// For a child that has not been waited for.
  void send(int signal) const { kill(id_, signal); }

  [[nodiscard]] bool has_ended() {
    int status = 0;
    if (!status_ && waitpid(id_, &status, WNOHANG) == id_) status_ = status;
    return status_.has_value();
  }

  /// Its exit status, or minus the signal that ended it.
  int wait() {
    int status = 0;
    if (!status_ && waitpid(id_, &status, 0) == id_) status_ = status;
    REQUIRE(status_);
    return WIFEXITED(*status_) ? WEXITSTATUS(*status_) : -WTERMSIG(*status_);
  }

  /// Returns when `file` has been created or replaced the given number of times, or the child has ended; true
  /// in the first case. Two replacements between checks may count as one.
  bool wait_for_file(const std::string& file, int replacements) {
    for (Version last = version(file); replacements > 0;) {
      if (has_ended()) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));  // between two checks
      const Version now = version(file);
      if (now && now != last) --replacements;
      last = now;
    }
    return true;
  }

  /// Returns when there is a file in the empty folder, such as an output with a temporary name, or the child
  /// has ended; true in the first case.
  bool wait_for_any_file(const std::string& folder) {
    while (std::filesystem::is_empty(folder)) {
      if (has_ended()) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }

 private:
  using Version = std::optional<std::tuple<ino_t, time_t, long>>;
  static Version version(const std::string& file) {
    struct stat status {};
    if (stat(file.c_str(), &status) != 0) return {};
    return std::tuple(status.st_ino, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
  }

  pid_t id_ = 0;
  std::optional<int> status_;
};

}  // namespace tailbound::golden
