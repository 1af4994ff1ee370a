#pragma once

#include <tailbound/run/executor.hpp>
#include <tailbound/run/message.hpp>

#include <chrono>
#include <cstddef>
#include <optional>

/// Schedules the pieces of a job on workers (threads, processes, ranks) as they become free, and collects
/// results, states and progress. The same for all kinds of workers.
namespace tailbound::run {

using Clock = std::chrono::steady_clock;

/// The workers. Each executes pieces one after the other in the order in which it received them.
class Hands {
 public:
  Hands() = default;
  Hands(const Hands&) = delete;
  Hands& operator=(const Hands&) = delete;
  virtual ~Hands() = default;

  [[nodiscard]] virtual std::size_t count() const = 0;
  virtual void send(std::size_t hand, const Message& message) = 0;

  struct Said {
    std::size_t hand;
    Message message;
  };
  /// The next message of a worker; nothing if none arrives by then.
  [[nodiscard]] virtual std::optional<Said> receive(Clock::time_point until) = 0;
  /// Abandons pieces that do not look for requests; no more messages come from them. False if that is not
  /// possible.
  [[nodiscard]] virtual bool abandon() { return false; }
};

/// Executor::carry_out() with these workers.
/// \param crew  as in the outcome
[[nodiscard]] Outcome deal(const Job& job, const Controls& controls, std::vector<Piece> begun, Hands& hands,
                           Crew crew);

}  // namespace tailbound::run
