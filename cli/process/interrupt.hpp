#pragma once

#include <cli/process/limits.hpp>

#include <memory>
#include <stop_token>

/// Ctrl-C and limits as a stop request.
namespace tailbound::cli {

/// While one of these lives, the first SIGINT, SIGTERM or SIGHUP asks for a stop instead of ending the
/// process; one more, 0.3 s later or after that, ends it at once, with nothing left behind
/// (files/leftovers.hpp). Signals that were ignored before (nohup) stay ignored. A limit that is reached asks
/// for a stop too; where the work has not ended Limits::grace later, or memory grows on, the process says
/// so and ends with status 1, with nothing left behind. There is one for the whole of cli::run(); at its end
/// everything is as it was before.
///
/// CONTRACT  threads begun meanwhile inherit what makes this work; a thread begun before that does not block
///           the signals itself may still receive one, and the process then ends at once.
class Interrupt {
 public:
  explicit Interrupt(Limits limits = {});
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  [[nodiscard]] std::stop_token token() const;

  /// The limit that has asked for the stop.
  [[nodiscard]] LimitWatch::Limit limit() const;
  [[nodiscard]] const LimitWatch& limits() const;
  /// The work is done, what is left is to write it: limits count no more.
  void end_of_work();

  /// To be called in a child process right after fork(): signals are watched for there as well, and a further
  /// one ends the child. It has the grace of a limit once more, if that was why.
  void watch_in_child();

 private:
  class Watch;
  std::unique_ptr<Watch> watch_;
};

/// Ends the process by this signal, whatever was to become of it.
[[noreturn]] void end_by_signal(int signal);

}  // namespace tailbound::cli
