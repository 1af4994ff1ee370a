#pragma once

#include <tailbound/run/process/child_process.hpp>

#include <cstddef>

/// Where processes that compute come from.
///
/// Two threads must not use rationals at once, a question may never end, and a process with many threads can not be
/// forked well. So a process that has one thread, and has done nothing but get ready, is forked for each.
namespace tailbound::serve {

class Nursery {
 public:
  /// \param memory  that each of the processes may take [bytes]
  /// CONTRACT  called while this process has one thread: the nursery is a fork of it.
  /// \throws std::system_error
  explicit Nursery(std::size_t memory);
  /// It ends, and with it all processes; streams to them that were cut before need not wait.
  ~Nursery();
  Nursery(const Nursery&) = delete;
  Nursery& operator=(const Nursery&) = delete;

  /// The end of a stream to a new process, which waits for questions (worker.hpp). May be called by any thread.
  /// \throws std::system_error  there is no nursery any more
  [[nodiscard]] int begin_process();

 private:
  run::ChildProcess process_;
};

}  // namespace tailbound::serve
