#pragma once

#include <tailbound/run/process/framed_stream.hpp>

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

/// Processes that this one forks: one way to begin, to wait for and to end them.
///
/// TESTS     tests/run/process_test.cpp
namespace tailbound::run {

/// fork(), of which the child is sent a signal when the thread that called has ended: SIGKILL, or one that lets it put
/// away what it has begun. 0 in the child, -1 where no process can be made (errno).
[[nodiscard]] pid_t fork_with_parent(int at_parents_end);

/// A child that does this work, and ends with what it returns as its status, or with 1 where that throws. It ends with
/// this thread; what asks this process to stop (SIGINT, SIGTERM, SIGHUP) passes it by.
///
/// CONTRACT  of a process with several threads a child has a copy of the calling one alone: what the others hold
///           locked stays locked there. `work` must not need it.
/// \throws std::system_error  no process can be made
pid_t begin_process(const std::function<int()>& work);

/// Waits for its end; its status, as waitpid() has it, or 0 where somebody else has got that.
int wait_for_process(pid_t process);

/// "a process that computed was ended by signal 9"
[[nodiscard]] std::string words_of_end(int status);

/// One that is talked to, and does not outlive this.
class ChildProcess {
 public:
  /// \param work    done there, with the other end of stream(); as that of begin_process()
  /// \param others  descriptors that are closed there: of streams to other children
  /// \throws std::system_error  no process can be made
  explicit ChildProcess(const std::function<int(FramedStream& to_parent)>& work,
                        const std::vector<int>& others = {});
  /// It is killed where it has not ended.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  [[nodiscard]] FramedStream& stream() { return stream_; }
  [[nodiscard]] pid_t id() const { return id_; }
  /// Waits for its end; its status, as waitpid() has it.
  int wait();
  /// Cuts the stream, which it may see, waits so long for its end, and kills it.
  void end_within(std::chrono::milliseconds patience);

 private:
  ChildProcess(const std::function<int(FramedStream&)>& work, std::vector<int> others,
               std::pair<int, int> ends);

  FramedStream stream_;
  pid_t id_;
  bool alive_ = true;
  int status_ = 0;
};

}  // namespace tailbound::run
