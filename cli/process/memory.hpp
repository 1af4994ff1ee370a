#pragma once

/// What a process does when the system gives it no more memory.
namespace tailbound::cli {

inline constexpr const char* no_memory = "no answer: it takes more memory than the system gives";

/// From now on CLN throws std::bad_alloc, and where that cannot be thrown, in GMP and MPFR, which are written in C, and
/// out of functions that may not throw, the process ends with a message and status 1, and leaves no file behind that
/// was begun. Without it those would abort.
///
/// CONTRACT  called once, by main(), before any of them is used: it is the process that ends.
void end_where_memory_does();

/// Has `new` had none since end_where_memory_does() or the last time this was asked?
[[nodiscard]] bool memory_ran_out();

/// Streams keep to themselves that they had no memory for all of a text: what they wrote is not to be trusted.
/// \throws std::bad_alloc  as memory_ran_out(), which it asks
void require_memory_lasted();

}  // namespace tailbound::cli
