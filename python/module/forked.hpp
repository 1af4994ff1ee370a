#pragma once

#include <pybind11/pybind11.h>
#include <tailbound/run/process/child_process.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

/// Python calls executed in separate processes.
namespace tailbound::python {

namespace py = pybind11;

/// work(0), .., work(count - 1), each returning bytes, executed by forked processes that end with this one.
class Forked {
 public:
  /// CONTRACT  as after os.fork(): of this process's threads they contain only the calling one
  /// \throws std::system_error  no process can be created
  Forked(const py::function& work, std::size_t count, int processes);

  /// The next result, in order; signals are handled meanwhile. May be called at most `count` times.
  /// \throws std::runtime_error       a process has ended prematurely, or `work` has thrown
  /// \throws py::error_already_set  raised by a signal handler
  [[nodiscard]] py::bytes next();

 private:
  void dispatch(run::ChildProcess& worker);
  void handle_message(run::ChildProcess& worker);

  std::vector<std::unique_ptr<run::ChildProcess>> workers_;
  std::map<std::size_t, std::string> come_;
  std::size_t count_, dispatched_ = 0, taken_ = 0;
};

}  // namespace tailbound::python
