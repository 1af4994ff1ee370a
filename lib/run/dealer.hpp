#pragma once

#include <tailbound/run/executor.hpp>
#include <tailbound/run/message.hpp>

#include <chrono>
#include <cstddef>
#include <optional>

/// Deals out the pieces of a job to hands (threads, processes, ranks), whichever are free, and gathers results,
/// states and progress. The same for all of them.
namespace tailbound::run {

using Clock = std::chrono::steady_clock;

/// Those who do pieces, each one after the other in the order in which it got them.
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
  /// The next that a hand says; nothing by then.
  [[nodiscard]] virtual std::optional<Said> receive(Clock::time_point until) = 0;
  /// Gives up pieces that do not look; nothing more is heard of them. False where that is not possible.
  [[nodiscard]] virtual bool abandon() { return false; }
};

/// Executor::carry_out() with these hands.
/// \param crew  as the outcome says it
[[nodiscard]] Outcome deal(const Job& job, const Controls& controls, std::vector<Piece> begun, Hands& hands,
                           Crew crew);

}  // namespace tailbound::run
