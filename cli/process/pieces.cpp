#include <cli/process/pieces.hpp>
#include <cli/run.hpp>
#include <tailbound/files/leftovers.hpp>
#include <tailbound/run/deep_thread.hpp>
#include <tailbound/run/process/child_process.hpp>

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string_view>
#include <utility>

namespace tailbound::cli {
namespace {

/// Lets a piece finish that is almost done.
constexpr auto timeout = std::chrono::milliseconds(1000);
/// Less if a limit has been reached: none if memory grows.
std::chrono::milliseconds patience_after(LimitWatch::Limit limit) {
  if (limit == LimitWatch::Limit::none) return timeout;
  return std::chrono::milliseconds(limit == LimitWatch::Limit::time ? 150 : 0);
}

bool given_up = false;

/// Discards further output of the piece; pipes end when the child closes them.
void close_outputs() {
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int output : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, output);
}

/// Suspends all other threads, except those that block this signal (Interrupt's): the work uses no more time
/// or memory.
void halt_work() {
  struct sigaction ignore_signal {};
  ignore_signal.sa_handler = [](int) {
    for (;;) pause();
  };
  sigfillset(&ignore_signal.sa_mask);
  if (sigaction(halting_signal(), &ignore_signal, nullptr) != 0) return;
  const int list = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // Without allocation: a suspended thread may hold the memory lock.
  alignas(dirent64) char entries[4096];
  for (ssize_t size = 0; (size = getdents64(list, entries, sizeof entries)) > 0;)
    for (ssize_t at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const dirent64*>(entries + at);
      const auto thread = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));  // 0 for . and ..
      if (thread > 0 && thread != gettid()) tgkill(getpid(), thread, halting_signal());
      at += entry->d_reclen;
    }
  close(list);
}

[[noreturn]] void end_like(int status) {
  if (WIFSIGNALED(status)) end_by_signal(WTERMSIG(status));
  std::_Exit(WEXITSTATUS(status));
}

[[noreturn]] void end_at_once() {
  files::leftovers::remove_leftovers();
  constexpr std::string_view message =
      "tailbound: stopped on request; what was finished cannot be shown: no memory\n";
  static_cast<void>(!write(STDERR_FILENO, message.data(), message.size()));
  std::_Exit(stopped);
}

}  // namespace

class Pieces::Carrier {
 public:
  explicit Carrier(Interrupt& interrupt) : interrupt_(interrupt), stop_(interrupt.token()) {}
  ~Carrier() {
    if (!thread_ || given_up_) return;
    {
      const std::scoped_lock guard(lock_);
      end_ = true;
    }
    changed_.notify_all();
    thread_->join();
  }
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;

  bool carry_out(const std::function<void()>& piece) {
    if (thread_ && !given_up_ && thread_->calls()) {
      piece();
      return true;
    }
    if (given_up_ || stop_.stop_requested()) return false;
    if (!thread_) thread_.emplace([this] { work(); });
    std::unique_lock guard(lock_);
    piece_ = &piece;
    failure_ = nullptr;
    changed_.notify_all();
    const auto done = [this] { return piece_ == nullptr; };
    if (!changed_.wait(guard, stop_, done) &&
        !changed_.wait_for(guard, patience_after(interrupt_.limit()), done)) {
      give_up();
      return false;
    }
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    return true;
  }

 private:
  void work() {
    std::unique_lock guard(lock_);
    for (;;) {
      changed_.wait(guard, [this] { return end_ || piece_ != nullptr; });
      if (end_) break;
      guard.unlock();
      std::exception_ptr failure;
      try {
        (*piece_)();
      } catch (...) {
        failure = std::current_exception();
      }
      guard.lock();
      failure_ = std::move(failure);
      piece_ = nullptr;
      changed_.notify_all();
    }
  }

  /// Returns in the child. The lock is held, so the thread of the piece does not hold it.
  void give_up() {
    auto held = files::leftovers::hold();
    const pid_t child = run::fork_with_parent(SIGTERM);
    if (child < 0) {
      held.unlock();
      end_at_once();
    }
    if (child == 0) {
      interrupt_.watch_in_child();
      given_up_ = given_up = true;
      return;
    }
    files::leftovers::add_process(child);
    held.unlock();
    interrupt_.end_of_work();
    close_outputs();
    halt_work();
    // A thread may hold the memory lock: nothing is allocated or freed any more.
    end_like(run::wait_for_process(child));
  }

  Interrupt& interrupt_;
  std::stop_token stop_;
  std::optional<run::DeepThread> thread_;
  bool given_up_ = false;
  std::mutex lock_;
  std::condition_variable_any changed_;
  const std::function<void()>* piece_ = nullptr;  ///< to be executed, or being executed
  std::exception_ptr failure_;
  bool end_ = false;
};

Pieces::Pieces(Interrupt& interrupt) : carrier_(std::make_unique<Carrier>(interrupt)) {}
Pieces::~Pieces() = default;

bool Pieces::carry_out(const std::function<void()>& piece) {
  return carrier_->carry_out(piece);
}

bool has_given_up() {
  return given_up;
}

}  // namespace tailbound::cli
