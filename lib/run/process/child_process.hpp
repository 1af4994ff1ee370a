#pragma once

#include <tailbound/run/process/framed_stream.hpp>

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

/// Child processes: start, wait and end.
///
/// TESTS     tests/run/process_test.cpp
namespace tailbound::run {

/// fork(); the child receives a signal when the calling thread has ended: SIGKILL, or a signal that lets it
/// clean up. Returns 0 in the child, -1 if no process can be started (errno).
[[nodiscard]] pid_t fork_with_parent(int at_parents_end);

/// A child process that executes `work` and exits with its return value as status, or with 1 if it throws. It
/// ends with this thread; signals that stop this process do not reach it, but SIGXCPU, which is about its own
/// time.
///
/// CONTRACT  the child of a process with several threads has a copy of the calling thread alone: locks held
///           by other threads stay locked there. `work` must not need them.
/// \throws std::system_error  no process can be started
pid_t begin_process(const std::function<int()>& work);

/// Waits for its end. Returns its status as from waitpid(), or 0 if another caller has received that.
int wait_for_process(pid_t process);

/// "a worker process was ended by signal 9 (SIGKILL)"
[[nodiscard]] std::string words_of_end(int status);

/// A child process with a message stream, which does not outlive this object.
class ChildProcess {
 public:
  /// \param work    executed there, with the other end of stream(); as in begin_process()
  /// \param others  descriptors closed there: streams of other children
  /// \throws std::system_error  no process can be started
  explicit ChildProcess(const std::function<int(FramedStream& to_parent)>& work,
                        const std::vector<int>& others = {});
  /// Kills it if it has not ended.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  [[nodiscard]] FramedStream& stream() { return stream_; }
  [[nodiscard]] pid_t id() const { return id_; }
  /// Waits for its end; returns its status as from waitpid().
  int wait();
  /// Closes the stream, which it may notice, waits for the given time, and kills it.
  void end_within(std::chrono::milliseconds timeout);

 private:
  ChildProcess(const std::function<int(FramedStream&)>& work, std::vector<int> others,
               std::pair<int, int> ends);

  FramedStream stream_;
  pid_t id_;
  bool alive_ = true;
  int status_ = 0;
};

}  // namespace tailbound::run
