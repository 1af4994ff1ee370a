#pragma once

#include <pybind11/pybind11.h>
#include <tailbound/run/process/child_process.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

/// Calls of Python carried out by processes of their own.
namespace tailbound::python {

namespace py = pybind11;

/// work(0), .., work(count - 1), each of which returns bytes, by processes that are forked of this one and end with it.
class Forked {
 public:
  /// CONTRACT  as after os.fork(): of this process's threads they have the calling one alone
  /// \throws std::system_error  no process can be made
  Forked(const py::function& work, std::size_t count, int processes);

  /// What the next returns, in their order; signals are heeded meanwhile. To be asked for `count` times at most.
  /// \throws std::runtime_error       a process has ended before its time, or `work` has thrown
  /// \throws py::error_already_set  what a signal's handler raised
  [[nodiscard]] py::bytes next();

 private:
  void hand_out(run::ChildProcess& worker);
  void hear(run::ChildProcess& worker);

  std::vector<std::unique_ptr<run::ChildProcess>> workers_;
  std::map<std::size_t, std::string> come_;
  std::size_t count_, handed_out_ = 0, taken_ = 0;
};

}  // namespace tailbound::python
