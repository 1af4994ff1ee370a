#pragma once

#include <tailbound/run/dealer.hpp>
#include <tailbound/run/process/child_process.hpp>

#include <memory>

/// Pieces on processes that this one forks: for what two threads of one process must not do at once.
namespace tailbound::run {

/// Children of this process, for one job. They know all that this process knows at this moment, so that `work`
/// needs nothing from anywhere else; what they do to memory and files that are open stays theirs, or is mixed.
///
/// CONTRACT  as that of begin_process() (process/child_process.hpp)
class ProcessHands final : public Hands {
 public:
  /// \throws std::system_error  a process cannot be made
  ProcessHands(const Job& job, std::size_t processes);
  /// They are killed where they are not at rest.
  ~ProcessHands() override;
  ProcessHands(const ProcessHands&) = delete;
  ProcessHands& operator=(const ProcessHands&) = delete;

  [[nodiscard]] std::size_t count() const override;
  void send(std::size_t hand, const Message& message) override;
  [[nodiscard]] std::optional<Said> receive(Clock::time_point until) override;
  [[nodiscard]] bool abandon() override;

 private:
  std::vector<std::unique_ptr<ChildProcess>> children_;  ///< null: it has ended
  std::size_t next_ = 0;                                 ///< is listened to first
};

/// So many pieces at a time, each process with its own memory. A stop kills those whose pieces do not look.
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
