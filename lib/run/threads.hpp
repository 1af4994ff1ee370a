#pragma once

#include <tailbound/run/executor.hpp>
#include <tailbound/run/scheduler.hpp>

#include <memory>

/// Executes pieces on threads of this process.
namespace tailbound::run {

/// Is this thread a worker? A job started within a piece is part of it, and is executed by the same thread.
[[nodiscard]] bool on_worker();

/// The number of processors of this process.
[[nodiscard]] int all_cores();

/// Threads that wait for pieces of one job until they receive a stop.
class ThreadWorkers final : public Workers {
 public:
  /// \param job  must outlive this object
  ThreadWorkers(const Job& job, std::size_t threads);
  /// Stops the current pieces, and waits for them.
  ~ThreadWorkers() override;
  ThreadWorkers(const ThreadWorkers&) = delete;
  ThreadWorkers& operator=(const ThreadWorkers&) = delete;

  [[nodiscard]] std::size_t count() const override;
  void send(std::size_t worker, const Message& message) override;
  [[nodiscard]] std::optional<Received> receive(Clock::time_point until) override;

 private:
  class Shared;
  class Thread;
  std::unique_ptr<Shared> shared_;
  std::vector<std::unique_ptr<Thread>> threads_;
};

/// A fixed number of pieces at a time. A single thread for pieces that do not check for requests is the
/// calling one, whose work can be interrupted.
class Threads final : public Executor {
 public:
  /// \throws InvalidArgument  threads outside 1 .. 1024
  explicit Threads(int threads);

  [[nodiscard]] Outcome carry_out(const Job& job, const Controls& controls,
                                  std::vector<Piece> begun = {}) override;

 private:
  int threads_;
};

/// The connection between a worker in another process and the scheduler.
class WorkerLink {
 public:
  WorkerLink() = default;
  WorkerLink(const WorkerLink&) = delete;
  WorkerLink& operator=(const WorkerLink&) = delete;
  virtual ~WorkerLink() = default;
  /// A received message; nothing if there is none.
  [[nodiscard]] virtual std::optional<Message> take() = 0;
  virtual void send(const Message& message) = 0;
  /// Waits for a message for a short time (half a millisecond if nothing better is available). No piece is
  /// running.
  virtual void rest() = 0;
  /// How long messages may wait while a piece is running. The end of a piece is seen at once.
  [[nodiscard]] virtual std::chrono::microseconds timeout() = 0;
};

/// Executes the messages from the connection until it receives `leave`. A running piece that does not check
/// for requests is then abandoned: the caller must end the process.
/// \param busy  set to whether that happened
void serve(const Job& job, WorkerLink& link, bool& busy);

}  // namespace tailbound::run
