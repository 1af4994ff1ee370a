#include <cli/process/interrupt.hpp>
#include <cli/run.hpp>
#include <tailbound/files/leftovers.hpp>
#include <tailbound/run/process/stop_signals.hpp>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace tailbound::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// One request may arrive twice, at the process and at its group.
constexpr auto one_request = std::chrono::milliseconds(300);

/// A file descriptor, closed by the destructor.
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

/// Interval of checks after a stop request.
constexpr auto within_grace = std::chrono::milliseconds(8);

[[noreturn]] void end_at_limit(const LimitWatch& limits, LimitWatch::Limit limit) {
  files::leftovers::remove_leftovers();
  const std::string message = (isatty(STDERR_FILENO) != 0 ? "\r\033[K" : "") + limits.limits().requested +
                              ": " + limits.rejection(limit) + "\n";
  static_cast<void>(!write(STDERR_FILENO, message.data(), message.size()));
  std::_Exit(no_answer);
}

}  // namespace

/// A signal handler may do very little, a thread that waits for signals anything. So signals are blocked, and
/// a thread waits for them.
class Interrupt::Watch {
 public:
  explicit Watch(Limits limits) : limits_(std::move(limits)), signals_(run::heeded_stop_signals()) {
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
    static_cast<void>(thread_.release());  // that thread exists only in the parent
    stage_ = reached_ == LimitWatch::Limit::none ? Stage::done : Stage::working;
    in_child_ = true;
    begin();
  }

  [[nodiscard]] const LimitWatch& limits() const { return limits_; }
  [[nodiscard]] LimitWatch::Limit reached() const { return reached_; }
  void end_of_work() {
    if (moved_on(Stage::done) || stage_ == Stage::done) return;
    for (;;) pause();  // the thread is ending the process
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
    sigset_t halting;
    sigemptyset(&halting);
    sigaddset(&halting, halting_signal());
    pthread_sigmask(SIG_BLOCK, &halting, nullptr);
    pollfd looks[] = {{.fd = signal, .events = POLLIN, .revents = 0},
                      {.fd = end, .events = POLLIN, .revents = 0}};
    const Clock::time_point begun = Clock::now();
    for (;;) {
      const int came = poll(looks, 2, milliseconds_to_wait());
      if (came > 0 && looks[1].revents != 0) return;
      if (came > 0) handle(signal);
      look_at_limits(begun);
    }
  }

  [[nodiscard]] int milliseconds_to_wait() const {
    if (stage_ != Stage::working || !limits_.any()) return -1;
    const auto time = reached_ == LimitWatch::Limit::none ? limits_.until_next() : within_grace;
    return static_cast<int>(time.count());
  }

  void handle(int signal) {
    signalfd_siginfo came{};
    if (read(signal, &came, sizeof came) != sizeof came) return;
    // The system repeats it each second of processor time, while the work is being written.
    if (first_ && came.ssi_signo == SIGXCPU) return;
    const Clock::time_point now = Clock::now();
    if (first_ && now - *first_ >= one_request) end_by_signal(static_cast<int>(came.ssi_signo));
    if (first_) return;
    first_ = now;
    stop.request_stop();
  }

  /// \param begun  when this thread started; in a child, when the other work was aborted
  void look_at_limits(Clock::time_point begun) {
    if (stage_ != Stage::working || !limits_.any()) return;
    if (reached_ == LimitWatch::Limit::none) {
      if (first_) return;  // it is about to end on request
      const LimitWatch::Limit limit = limits_.look();
      if (limit == LimitWatch::Limit::none) return;
      requested_ = Clock::now();
      reached_ = limit;
      stop.request_stop();
    }
    const bool late = Clock::now() - (in_child_ ? begun : requested_) > limits_.limits().grace;
    if (!late && (in_child_ || !limits_.far_beyond())) return;
    if (moved_on(Stage::ending)) end_at_limit(limits_, reached_);
  }

  /// Either the work is finished in time or it is aborted, never both: the outputs may be closed once it is
  /// finished.
  enum class Stage { working, done, ending };
  bool moved_on(Stage next) {
    Stage working = Stage::working;
    return stage_.compare_exchange_strong(working, next);
  }

  const LimitWatch limits_;
  std::atomic<LimitWatch::Limit> reached_ = LimitWatch::Limit::none;
  std::atomic<Stage> stage_ = Stage::working;
  bool in_child_ = false;
  Clock::time_point requested_{};  ///< by a limit; used only by the thread
  sigset_t signals_;
  sigset_t former_{};
  std::optional<Descriptor> signal_, end_;
  std::optional<Clock::time_point> first_;  ///< time of the stop request; used only by the thread
  std::unique_ptr<std::thread> thread_;
};

Interrupt::Interrupt(Limits limits) : watch_(std::make_unique<Watch>(std::move(limits))) {}
Interrupt::~Interrupt() = default;

LimitWatch::Limit Interrupt::limit() const {
  return watch_->reached();
}

const LimitWatch& Interrupt::limits() const {
  return watch_->limits();
}

void Interrupt::end_of_work() {
  watch_->end_of_work();
}

std::stop_token Interrupt::token() const {
  return watch_->stop.get_token();
}

void Interrupt::watch_in_child() {
  watch_->begin_in_child();
}

int halting_signal() {
  return SIGRTMIN;
}

void end_by_signal(int signal) {
  files::leftovers::remove_leftovers();
  std::signal(signal, SIG_DFL);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  raise(signal);
  pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  std::_Exit(128 + signal);  // the first process of a container is not ended by its own signals
}

}  // namespace tailbound::cli
