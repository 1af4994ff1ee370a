#pragma once

#include <tailbound/run/process/child_process.hpp>

#include <cstddef>

/// The fork server, which creates the worker processes.
///
/// Rationals must not be used by two threads at once, a query may run without end, and a process with many
/// threads cannot be forked safely. So each worker is forked from a single-threaded process that has only
/// initialized itself.
namespace tailbound::serve {

class ForkServer {
 public:
  /// \param memory  memory limit of each worker process [bytes]
  /// CONTRACT  called while this process has one thread: the fork server is a fork of it.
  /// \throws std::system_error
  explicit ForkServer(std::size_t memory);
  /// Ends the fork server and all workers. It does not wait for streams that are already closed.
  ~ForkServer();
  ForkServer(const ForkServer&) = delete;
  ForkServer& operator=(const ForkServer&) = delete;

  struct Ends {
    int stream;  ///< to the process
    int report;  ///< at its end, its status as from waitpid()
  };
  /// A new worker process, which waits for queries (worker.hpp). May be called by any thread.
  /// \throws std::system_error  the fork server has ended
  [[nodiscard]] Ends begin_process();

 private:
  run::ChildProcess process_;
};

}  // namespace tailbound::serve
