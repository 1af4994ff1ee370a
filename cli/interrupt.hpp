#pragma once

#include <memory>
#include <stop_token>

/// Ctrl-C as a stop request.
namespace tailbound::cli {

/// While one of these lives, the first SIGINT or SIGTERM asks for a stop instead of ending the process; one
/// more, 0.3 s later or after that, ends it. Signals that were ignored before stay ignored.
///
/// CONTRACT  threads begun meanwhile inherit what makes this work; a thread begun before that does not block
///           both signals itself may still receive one, and the process then ends at once.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  [[nodiscard]] std::stop_token token() const;

 private:
  class Watch;
  std::unique_ptr<Watch> watch_;
};

}  // namespace tailbound::cli
