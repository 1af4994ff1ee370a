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
class Workers {
 public:
  Workers() = default;
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  virtual ~Workers() = default;

  [[nodiscard]] virtual std::size_t count() const = 0;
  virtual void send(std::size_t worker, const Message& message) = 0;

  struct Received {
    std::size_t worker;
    Message message;
  };
  /// The next message of a worker; nothing if none arrives by then.
  [[nodiscard]] virtual std::optional<Received> receive(Clock::time_point until) = 0;
  /// Abandons pieces that do not look for requests; no more messages come from them. False if that is not
  /// possible.
  [[nodiscard]] virtual bool abandon() { return false; }
};

/// Executor::carry_out() with these workers.
/// \param worker_group  as in the outcome
[[nodiscard]] Outcome schedule(const Job& job, const Controls& controls, std::vector<Piece> begun,
                               Workers& workers, WorkerGroup worker_group);

}  // namespace tailbound::run
