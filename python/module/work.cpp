#include <python/module/work.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/run/deep_thread.hpp>

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <sstream>

namespace tailbound::python {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto slice = std::chrono::milliseconds(50);
constexpr auto timeout = std::chrono::seconds(1);
constexpr auto between_reports = std::chrono::milliseconds(200);

/// Never destroyed: abandoned threads may hold them when the process ends.
struct Shared {
  std::mutex arithmetic;
  std::atomic<int> threads = 0;  ///< active threads
};

Shared* make_shared_state();

Shared*& shared() {
  static Shared* state = make_shared_state();
  return state;
}

/// A process forked by Python has none of the threads; the locks they held are abandoned.
void begin_anew_in_child() {
  shared() = new Shared;
}

/// The process exits without waiting for abandoned work, and must not destroy globals still in use.
void end_without_destructors(int status, void*) {
  if (shared()->threads == 0) return;
  std::fflush(nullptr);
  _exit(status);
}

Shared* make_shared_state() {
  pthread_atfork(nullptr, nullptr, begin_anew_in_child);
  on_exit(end_without_destructors, nullptr);
  return new Shared;
}

/// Shared by the working and the waiting thread.
struct Task {
  std::function<void(const answers::Run&)> work;
  std::stop_source stop;
  std::atomic<double> done = -1, left = 0;
  std::mutex lock;
  std::condition_variable changed;
  bool ended = false;
  std::exception_ptr failure;
};

void work_on(Task& task) {
  Shared& mine = *shared();
  {
    std::exception_ptr failure;
    const std::scoped_lock arithmetic(mine.arithmetic);
    try {
      if (task.stop.stop_requested()) throw Stopped("stopped on request");
      const answers::Run run{.stop = task.stop.get_token(), .progress = [&task](double done, double left) {
                               task.done = done;
                               task.left = left;
                             }};
      task.work(run);
    } catch (...) {
      failure = std::current_exception();
    }
    const std::scoped_lock guard(task.lock);
    task.failure = std::move(failure);
    task.ended = true;
    --mine.threads;
  }
  task.changed.notify_all();
}

/// For a thread started meanwhile: signals are handled by Python's main thread.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &former_);
  }
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &former_, nullptr); }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;

 private:
  sigset_t former_{};
};

void begin(const std::shared_ptr<Task>& task) {
  const NoSignals none;
  ++shared()->threads;
  try {
    run::DeepThread([task] { work_on(*task); }).detach();
  } catch (...) {
    --shared()->threads;
    throw;
  }
}

/// With the GIL held. True once the work has ended.
bool wait(Task& task, std::chrono::milliseconds time) {
  const py::gil_scoped_release released;
  std::unique_lock guard(task.lock);
  return task.changed.wait_for(guard, time, [&task] { return task.ended; });
}

}  // namespace

Arithmetic::Arithmetic() {
  shared()->arithmetic.lock();
}

Arithmetic::Arithmetic(std::try_to_lock_t) {
  if (!shared()->arithmetic.try_lock()) throw Busy();
}

Arithmetic::~Arithmetic() {
  shared()->arithmetic.unlock();
}

namespace {

[[noreturn]] void reject_late(double seconds) {
  std::ostringstream text;
  text << "no answer within the time limit of " << seconds << " s; a longer time_limit allows more";
  throw LimitExceeded(text.str());
}

}  // namespace

Cut carry_out(const std::function<void(const answers::Run&)>& work, const py::object& progress,
              std::optional<double> seconds) {
  const auto task = std::make_shared<Task>();
  task->work = work;
  begin(task);
  Clock::time_point reported = Clock::now();
  std::exception_ptr raised;
  const auto raise_after = [&] { raised = raised ? raised : std::current_exception(); };
  Clock::time_point stop_requested_at{};
  const Clock::time_point begun = Clock::now();
  bool late = false;
  while (!wait(*task, slice)) {
    if (seconds && !late && std::chrono::duration<double>(Clock::now() - begun).count() > *seconds) {
      late = true;
      task->stop.request_stop();
      stop_requested_at = raised ? stop_requested_at : Clock::now();
    }
    if (late && !raised && Clock::now() - stop_requested_at > timeout) reject_late(*seconds);
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      const Clock::time_point now = Clock::now();
      if (!raised && !progress.is_none() && now - reported >= between_reports && task->done >= 0) {
        reported = now;
        progress(task->done.load(), task->left.load());
      }
    } catch (py::error_already_set&) {
      raise_after();
      if (task->stop.stop_requested() && !late) std::rethrow_exception(raised);  // requested twice
      task->stop.request_stop();
      stop_requested_at = Clock::now();
    }
    if (raised && Clock::now() - stop_requested_at > timeout) std::rethrow_exception(raised);
  }
  if (raised) {
    try {
      std::rethrow_exception(raised);
    } catch (const py::error_already_set& error) {
      // Any exception other than that of Ctrl-C belongs to the caller.
      if (!error.matches(PyExc_KeyboardInterrupt)) throw;
    }
  }
  if (task->failure) {
    try {
      std::rethrow_exception(task->failure);
    } catch (const Stopped&) {
      if (late && !raised) reject_late(*seconds);
      throw;
    }
  }
  return {.requested = raised != nullptr, .late = late};
}

void show(std::function<void()> work) {
  if (shared()->threads == 0) {
    const py::gil_scoped_release released;
    const Arithmetic arithmetic;
    work();
    return;
  }
  // A query is running, perhaps a long one: wait in a way that Ctrl-C can interrupt.
  static_cast<void>(carry_out([work = std::move(work)](const answers::Run&) { work(); }, py::none()));
}

}  // namespace tailbound::python
