#pragma once

#include <pybind11/pybind11.h>
#include <tailbound/answers/points/run.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

/// Questions carried out for Python: one at a time in a process, without the GIL, and so that Ctrl-C is heeded.
///
/// Rationals and formulas must not be used by two threads at once, and the precision of reals is one for the
/// whole process. So whatever touches them holds `Arithmetic`. Nobody waits for it who holds the GIL, for its
/// holder may be about to call Python.
namespace tailbound::python {

namespace py = pybind11;

/// The right to compute. For threads that do not hold the GIL.
class Arithmetic {
 public:
  Arithmetic();
  ~Arithmetic();
  Arithmetic(const Arithmetic&) = delete;
  Arithmetic& operator=(const Arithmetic&) = delete;

  /// Somebody else has it, and has had it for a while.
  class Busy {};
  /// At once or not at all, so that it may be asked for with the GIL held.  \throws Busy
  explicit Arithmetic(std::try_to_lock_t);
};

/// Something whose destructor touches rationals, but which Python may drop at any time.
void drop_later(std::shared_ptr<void> made);

/// A stop, and the work ended within its patience: what came of it may be looked at.
struct Cut {
  bool requested = false;  ///< by Ctrl-C
  bool late = false;       ///< because the time was over
};

/// Calls `work` on a thread of its own, with Arithmetic and a Run whose stop Ctrl-C asks for; waits for its end with
/// the GIL released, looking at signals and calling `progress(done, seconds_left)` now and then. Work that has not
/// ended a second after a stop was requested is left to itself, and so must own whatever it uses.
/// \param progress  a Python callable, or None
/// \param seconds   after which a stop is asked for as well
/// \throws LimitExceeded  the time is over, and nothing was finished
/// \throws py::error_already_set  what the signal's handler raised, KeyboardInterrupt as a rule, where the work was
///                                left; what `work` throws
[[nodiscard]] Cut carry_out(const std::function<void(const answers::Run&)>& work, const py::object& progress,
                            std::optional<double> seconds = {});

/// The same for what takes no longer than showing an answer takes: on the calling thread, without the GIL.
/// Where a question is being answered, waits for its end as above; so `work` owns whatever it uses.
void show(std::function<void()> work);

}  // namespace tailbound::python
