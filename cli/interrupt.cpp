#include <cli/interrupt.hpp>
#include <tailbound/files/leftovers.hpp>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <optional>
#include <system_error>
#include <thread>

namespace tailbound::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// One request may come twice, to the process and to its group.
constexpr auto one_request = std::chrono::milliseconds(300);

/// SIGINT, SIGTERM and SIGHUP, without those that are ignored.
sigset_t heeded() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) sigaddset(&signals, signal);
  }
  return signals;
}

/// A file descriptor, closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {
    if (number < 0) throw std::system_error(errno, std::generic_category(), "cannot watch for signals");
  }
  ~Descriptor() { close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return number_; }

 private:
  int number_;
};

}  // namespace

/// A handler may do next to nothing; a thread that waits for the signals may do anything. So they are
/// blocked, and a thread waits for them.
class Interrupt::Watch {
 public:
  Watch() : signals_(heeded()) {
    pthread_sigmask(SIG_BLOCK, &signals_, &former_);
    begin();
  }
  ~Watch() {
    constexpr std::uint64_t one = 1;
    while (write(end_->get(), &one, sizeof one) < 0 && errno == EINTR) {
    }
    thread_->join();
    constexpr timespec now{};
    while (sigtimedwait(&signals_, nullptr, &now) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &former_, nullptr);
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  void begin_in_child() {
    static_cast<void>(thread_.release());  // that thread is in the parent only
    begin();
  }

  std::stop_source stop;

 private:
  void begin() {
    signal_.emplace(signalfd(-1, &signals_, SFD_CLOEXEC | SFD_NONBLOCK));
    end_.emplace(eventfd(0, EFD_CLOEXEC));
    thread_ = std::make_unique<std::thread>(
        [this, signal = signal_->get(), end = end_->get()] { wait(signal, end); });
  }

  void wait(int signal, int end) {
    pollfd looks[] = {{.fd = signal, .events = POLLIN, .revents = 0},
                      {.fd = end, .events = POLLIN, .revents = 0}};
    for (;;) {
      if (poll(looks, 2, -1) < 0) continue;
      if (looks[1].revents != 0) return;
      signalfd_siginfo came{};
      if (read(signal, &came, sizeof came) != sizeof came) continue;
      const Clock::time_point now = Clock::now();
      if (first_ && now - *first_ >= one_request) end_by_signal(static_cast<int>(came.ssi_signo));
      if (first_) continue;
      first_ = now;
      stop.request_stop();
    }
  }

  sigset_t signals_;
  sigset_t former_{};
  std::optional<Descriptor> signal_, end_;
  std::optional<Clock::time_point> first_;  ///< when the stop was asked for; the thread's own
  std::unique_ptr<std::thread> thread_;
};

Interrupt::Interrupt() : watch_(std::make_unique<Watch>()) {}
Interrupt::~Interrupt() = default;

std::stop_token Interrupt::token() const {
  return watch_->stop.get_token();
}

void Interrupt::watch_in_child() {
  watch_->begin_in_child();
}

void end_by_signal(int signal) {
  files::leftovers::clear_up();
  std::signal(signal, SIG_DFL);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  raise(signal);
  pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  for (;;) pause();
}

}  // namespace tailbound::cli
