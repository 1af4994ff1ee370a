// Allocations of libraries at start-up are not leaks of this program (CLN never frees a string of 26 bytes).
// Suppressing them by name would take half of the time of a short command, as stacks must then be symbolized.

#include <sanitizer/lsan_interface.h>

namespace {

using Start = void (*)(int, char**, char**);

/// Runs before the libraries start; the next function runs before the program's own objects are constructed.
[[gnu::section(".preinit_array"), gnu::used]] const Start before_libraries = [](int, char**, char**) {
  __lsan_disable();
};
[[gnu::constructor(101)]] void after_libraries() {
  __lsan_enable();
}

}  // namespace
