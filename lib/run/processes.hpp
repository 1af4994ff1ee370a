#pragma once

#include <tailbound/run/process/child_process.hpp>
#include <tailbound/run/scheduler.hpp>

#include <memory>

/// Executes pieces in forked processes: for work that must be abandoned at any time.
namespace tailbound::run {

/// Child processes for one job. They have a copy of the memory of this process, so `work` needs no other
/// input; their changes to memory stay private, and open files are shared.
///
/// CONTRACT  as in begin_process() (process/child_process.hpp)
class ProcessWorkers final : public Workers {
 public:
  /// \param job  outlives this object
  /// \throws std::system_error  a process cannot be started
  ProcessWorkers(const Job& job, std::size_t processes);
  /// Kills those that are not idle.
  ~ProcessWorkers() override;
  ProcessWorkers(const ProcessWorkers&) = delete;
  ProcessWorkers& operator=(const ProcessWorkers&) = delete;

  [[nodiscard]] std::size_t count() const override;
  void send(std::size_t worker, const Message& message) override;
  [[nodiscard]] std::optional<Received> receive(Clock::time_point until) override;
  [[nodiscard]] bool abandon() override;

 private:
  [[nodiscard]] std::unique_ptr<ChildProcess> begin_child();

  const Job& job_;
  std::vector<std::unique_ptr<ChildProcess>> children_;  ///< null: it has ended
  std::size_t next_ = 0;                                 ///< child to read from first
};

/// A fixed number of pieces at a time, each process with its own memory. A stop kills those with pieces that
/// do not check for requests.
class Processes final : public Executor {
 public:
  /// \throws InvalidArgument  processes outside 1 .. 1024
  explicit Processes(int processes);

  [[nodiscard]] Outcome carry_out(const Job& job, const Controls& controls,
                                  std::vector<Piece> begun = {}) override;

 private:
  int processes_;
};

}  // namespace tailbound::run
