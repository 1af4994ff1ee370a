#include <tailbound/files/leftovers.hpp>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <set>

namespace tailbound::files::leftovers {
namespace {

struct Leftovers {
  std::timed_mutex lock;
  std::set<std::string> files;
  std::set<pid_t> processes;
};

/// Never destroyed: a thread may clear up while the process exits.
Leftovers& all() {
  static Leftovers& leftovers = *new Leftovers;  // NOLINT: on purpose
  return leftovers;
}

}  // namespace

std::unique_lock<std::timed_mutex> hold() {
  return std::unique_lock(all().lock);
}

void add_file(const std::string& path) {
  all().files.insert(path);
}

void forget_file(const std::string& path) {
  const auto held = hold();
  all().files.erase(path);
}

void add_process(pid_t process) {
  all().processes.insert(process);
}

int wait_for(pid_t process, const std::stop_token& stop) {
  // It is forgotten before its process ID can be reused.
  const std::stop_callback kill_it(stop, [process] { kill(process, SIGKILL); });
  siginfo_t ended{};
  while (waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  {
    const auto held = hold();
    all().processes.erase(process);
  }
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

void leave_to_parent() {
  const std::unique_lock held(all().lock, std::try_to_lock);
  all().files.clear();
  all().processes.clear();
}

void remove_leftovers() {
  // The holder of the lock creates one file. If that takes long (a network file system), the registered items
  // are removed anyway.
  std::unique_lock held(all().lock, std::chrono::seconds(1));
  for (const std::string& file : all().files) unlink(file.c_str());
  for (const pid_t process : all().processes) kill(process, SIGKILL);
  (void)held.release();  // never released
}

}  // namespace tailbound::files::leftovers
