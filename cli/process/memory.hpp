#pragma once

/// Behavior of the process when it runs out of memory.
namespace tailbound::cli {

inline constexpr const char* no_memory = "no answer: it takes more memory than the system gives";

/// From now on, where std::bad_alloc cannot be thrown, in GMP and MPFR, which are written in C, and in
/// noexcept functions, the process ends with a message and status 1, and removes unfinished files. Without
/// this call they would abort.
///
/// CONTRACT  called once, by main(), before any of them is used; it affects the entire process.
void exit_when_out_of_memory();

/// Has `new` failed since exit_when_out_of_memory() or the previous call?
[[nodiscard]] bool memory_ran_out();

/// Streams do not report that they ran out of memory for a text, so their output may be incomplete.
/// \throws std::bad_alloc  as memory_ran_out(), which it calls
void require_memory_lasted();

}  // namespace tailbound::cli
