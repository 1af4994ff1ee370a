#include <cli/interrupt.hpp>

#include <csignal>
#include <ctime>
#include <thread>

namespace tailbound::cli {
namespace {

/// SIGINT and SIGTERM, without those that are ignored.
sigset_t heeded() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) sigaddset(&signals, signal);
  }
  return signals;
}

}  // namespace

/// A handler may do next to nothing; a thread that waits for the signals may do anything. So they are
/// blocked, and a thread waits for them.
class Interrupt::Watch {
 public:
  Watch() : signals_(heeded()) {
    pthread_sigmask(SIG_BLOCK, &signals_, &former_);
    thread_ = std::jthread([this](const std::stop_token& end) { wait(end); });
  }
  ~Watch() {
    thread_.request_stop();
    thread_.join();
    forget_pending();
    pthread_sigmask(SIG_SETMASK, &former_, nullptr);
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  std::stop_source stop;

 private:
  void wait(const std::stop_token& end) {
    while (!end.stop_requested())
      if (sigtimedwait(&signals_, nullptr, &look) > 0) {
        stop.request_stop();
        // One request may come twice, to the process and to its group.
        for (int i = 0; i < looks_of_one_request && !end.stop_requested(); ++i) nanosleep(&look, nullptr);
        if (end.stop_requested()) return;
        forget_pending();
        pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);  // the next one ends the process, by this thread
        while (!end.stop_requested()) nanosleep(&look, nullptr);
      }
  }
  void forget_pending() const {
    constexpr timespec now{};
    while (sigtimedwait(&signals_, nullptr, &now) > 0) {
    }
  }

  static constexpr timespec look{.tv_sec = 0, .tv_nsec = 20'000'000};
  static constexpr int looks_of_one_request = 15;  // 0.3 s

  sigset_t signals_;
  sigset_t former_{};
  std::jthread thread_;
};

Interrupt::Interrupt() : watch_(std::make_unique<Watch>()) {}
Interrupt::~Interrupt() = default;

std::stop_token Interrupt::token() const {
  return watch_->stop.get_token();
}

}  // namespace tailbound::cli
