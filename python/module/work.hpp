#pragma once

#include <pybind11/pybind11.h>
#include <tailbound/answers/points/run.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

/// Runs queries for Python: one at a time per process, without the GIL, and interruptible by Ctrl-C.
///
/// A query and what shows its answer hold `Arithmetic`: the commands' options and files are those of the
/// process. A thread that holds the GIL never waits for it, since its holder may be about to call Python.
namespace tailbound::python {

namespace py = pybind11;

/// The lock for computing. For threads that do not hold the GIL.
class Arithmetic {
 public:
  Arithmetic();
  ~Arithmetic();
  Arithmetic(const Arithmetic&) = delete;
  Arithmetic& operator=(const Arithmetic&) = delete;

  /// Another thread has held the lock for a while.
  class Busy {};
  /// Fails instead of waiting, so that it may be used with the GIL held.  \throws Busy
  explicit Arithmetic(std::try_to_lock_t);
};

/// The work was stopped and ended in time, so that its result may be used.
struct Cut {
  bool requested = false;  ///< by Ctrl-C
  bool late = false;       ///< by the time limit
};

/// Calls `work` on a separate thread, with Arithmetic and a Run that Ctrl-C stops. Waits for it with the GIL
/// released, checking signals and calling `progress(done, seconds_left)` regularly. Work that has not ended
/// one second after a stop request is abandoned, and must therefore own everything it uses.
/// \param progress  a Python callable, or None
/// \param seconds   time limit, after which a stop is also requested
/// \throws LimitExceeded  the time limit was reached before anything was finished
/// \throws py::error_already_set  raised by the signal handler, usually KeyboardInterrupt, if the work was
///                                abandoned; exceptions of `work`
[[nodiscard]] Cut carry_out(const std::function<void(const answers::Run&)>& work, const py::object& progress,
                            std::optional<double> seconds = {});

/// The same for work as short as formatting an answer: on the calling thread, without the GIL. If a query is
/// running, waits for its end as above; so `work` owns everything it uses.
void show(std::function<void()> work);

}  // namespace tailbound::python
