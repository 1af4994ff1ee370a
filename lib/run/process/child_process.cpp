#include <tailbound/run/process/child_process.hpp>
#include <tailbound/run/process/stop_signals.hpp>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <thread>

namespace tailbound::run {

pid_t fork_with_parent(int at_parents_end) {
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, at_parents_end);
    if (getppid() != parent) raise(at_parents_end);  // the parent ended before that
  }
  return child;
}

pid_t begin_process(const std::function<int()>& work) {
  const pid_t child = fork_with_parent(SIGKILL);
  if (child < 0) throw std::system_error(errno, std::generic_category(), "cannot start a process");
  if (child > 0) return child;
  int status = 1;
  try {
    for (const int stop : stop_signals)
      if (stop != SIGXCPU) signal(stop, SIG_IGN);
    status = work();
  } catch (...) {  // no thread, no memory: the parent sees that the process has ended
    status = 1;
  }
  _exit(status);
}

int wait_for_process(pid_t process) {
  for (;;) {
    int status = 0;
    const pid_t ended = waitpid(process, &status, 0);
    if (ended == process) return status;
    if (ended < 0 && errno != EINTR) return 0;
  }
}

std::string words_of_end(int status) {
  if (WIFSIGNALED(status)) {
    const char* const name = sigabbrev_np(WTERMSIG(status));  // "KILL"; null for real-time signals
    return "a worker process was ended by signal " + std::to_string(WTERMSIG(status)) +
           (name != nullptr ? std::string(" (SIG") + name + ")" : std::string());
  }
  return "a worker process exited with status " + std::to_string(WEXITSTATUS(status));
}

ChildProcess::ChildProcess(const std::function<int(FramedStream&)>& work, const std::vector<int>& others)
    : ChildProcess(work, others, connected_sockets()) {}

ChildProcess::ChildProcess(const std::function<int(FramedStream&)>& work, std::vector<int> others,
                           std::pair<int, int> ends)
    : stream_(ends.first) {
  others.push_back(ends.first);
  try {
    id_ = begin_process([&] {
      for (const int other : others) close(other);
      FramedStream to_parent(ends.second);
      return work(to_parent);
    });
  } catch (...) {
    close(ends.second);
    throw;
  }
  close(ends.second);
}

ChildProcess::~ChildProcess() {
  if (alive_) kill(id_, SIGKILL);
  wait();
}

int ChildProcess::wait() {
  if (std::exchange(alive_, false)) status_ = wait_for_process(id_);
  return status_;
}

void ChildProcess::end_within(std::chrono::milliseconds timeout) {
  constexpr auto look = std::chrono::milliseconds(5);
  stream_.cut();
  for (const auto end = FramedStream::Clock::now() + timeout; alive_ && FramedStream::Clock::now() < end;) {
    const pid_t ended = waitpid(id_, &status_, WNOHANG);
    if (ended == id_ || (ended < 0 && errno != EINTR)) alive_ = false;
    if (alive_) std::this_thread::sleep_for(look);
  }
  if (alive_) kill(id_, SIGKILL);
  wait();
}

}  // namespace tailbound::run
