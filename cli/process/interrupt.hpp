#pragma once

#include <cli/process/limits.hpp>

#include <memory>
#include <stop_token>

/// Ctrl-C and limits as stop requests.
namespace tailbound::cli {

/// During its lifetime the first stop signal (run/process/stop_signals.hpp) requests a stop instead of ending
/// the process; another one but SIGXCPU, at least 0.3 s later, ends it at once without leaving files behind
/// (files/leftovers.hpp).
/// Signals that were ignored before (nohup) stay ignored. Reaching a limit also requests a stop; if the work
/// has not ended Limits::grace later, or memory keeps growing, the process reports that and ends with status
/// 1, without leaving files behind. There is one for all of cli::run(); its destructor restores the previous
/// state.
///
/// CONTRACT  threads started during its lifetime inherit the signal mask; a thread started before that does
/// not block
///           the signals itself may still receive one, and the process then ends at once.
class Interrupt {
 public:
  explicit Interrupt(Limits limits = {});
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  [[nodiscard]] std::stop_token token() const;

  /// The limit that requested the stop.
  [[nodiscard]] LimitWatch::Limit limit() const;
  [[nodiscard]] const LimitWatch& limits() const;
  /// The computation is done and only output remains: limits no longer apply.
  void end_of_work();

  /// Called in a child process right after fork(): watches signals there too; a further one ends the child.
  /// It gets the grace of a limit once more, if that was the reason.
  void watch_in_child();

 private:
  class Watch;
  std::unique_ptr<Watch> watch_;
};

/// Suspends the threads of aborted work (Pieces); that of Interrupt blocks it.
[[nodiscard]] int halting_signal();

/// Ends the process with this signal, whatever its handler.
[[noreturn]] void end_by_signal(int signal);

}  // namespace tailbound::cli
