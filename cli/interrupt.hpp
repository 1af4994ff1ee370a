#pragma once

#include <memory>
#include <stop_token>

/// Ctrl-C as a stop request.
namespace tailbound::cli {

/// While one of these lives, the first SIGINT, SIGTERM or SIGHUP asks for a stop instead of ending the
/// process; one more, 0.3 s later or after that, ends it at once, with nothing left behind
/// (files/leftovers.hpp). Signals that were ignored before (nohup) stay ignored. There is one for the whole of
/// cli::run(); at its end everything is as it was before.
///
/// CONTRACT  threads begun meanwhile inherit what makes this work; a thread begun before that does not block
///           the signals itself may still receive one, and the process then ends at once.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  [[nodiscard]] std::stop_token token() const;

  /// To be called in a child process right after fork(): signals are watched for there as well, and a further
  /// one ends the child.
  void watch_in_child();

 private:
  class Watch;
  std::unique_ptr<Watch> watch_;
};

/// Ends the process by this signal, whatever was to become of it.
[[noreturn]] void end_by_signal(int signal);

}  // namespace tailbound::cli
