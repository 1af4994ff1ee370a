#pragma once

#include <tailbound/run/dealer.hpp>
#include <tailbound/run/executor.hpp>

#include <memory>

/// Pieces on threads of this process.
namespace tailbound::run {

/// Whether this thread does pieces for others: a job within a piece is part of it, and done where it is asked
/// for.
[[nodiscard]] bool on_hand();

/// Threads that wait for pieces of one job until they are told to end.
class ThreadHands final : public Hands {
 public:
  /// \param job  outlives this
  ThreadHands(const Job& job, std::size_t threads);
  /// The pieces in hand are stopped, and waited for.
  ~ThreadHands() override;
  ThreadHands(const ThreadHands&) = delete;
  ThreadHands& operator=(const ThreadHands&) = delete;

  [[nodiscard]] std::size_t count() const override;
  void send(std::size_t hand, const Message& message) override;
  [[nodiscard]] std::optional<Said> receive(Clock::time_point until) override;

 private:
  class Shared;
  class Thread;
  std::unique_ptr<Shared> shared_;
  std::vector<std::unique_ptr<Thread>> threads_;
};

/// So many pieces at a time; those done alone one after the other, on the thread that asks.
class Threads final : public Executor {
 public:
  /// \throws InvalidArgument  threads outside 1 .. 1024
  explicit Threads(int threads);

  [[nodiscard]] Outcome carry_out(const Job& job, const Controls& controls,
                                  std::vector<Piece> begun = {}) override;

 private:
  int threads_;
};

/// The way between a hand in another process and the one that deals.
class Wire {
 public:
  Wire() = default;
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  virtual ~Wire() = default;
  /// A message that has come; nothing if there is none.
  [[nodiscard]] virtual std::optional<Message> take() = 0;
  virtual void send(const Message& message) = 0;
  /// Waits for a message, but not long (where there is no better way for half a millisecond). Nothing is in hand.
  virtual void rest() = 0;
  /// How long messages may wait while a piece is in hand. The end of a piece is seen at once.
  [[nodiscard]] virtual std::chrono::microseconds patience() = 0;
};

/// Does what comes over the wire, until it says to leave. Where a piece that does not look is in hand then,
/// it is left as it is: the caller must end the process.
/// \param busy  set to whether that is so
void serve(const Job& job, Wire& wire, bool& busy);

}  // namespace tailbound::run
