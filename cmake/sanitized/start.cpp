// What libraries allocate as they start is no leak of ours (CLN never frees a string of 26 bytes). To suppress it by
// name takes half of the time of a short command, for the stack has to be named.

#include <sanitizer/lsan_interface.h>

namespace {

using Start = void (*)(int, char**, char**);

/// Runs before the libraries start; what follows, before the program's own objects are made.
[[gnu::section(".preinit_array"), gnu::used]] const Start before_libraries = [](int, char**, char**) {
  __lsan_disable();
};
[[gnu::constructor(101)]] void after_libraries() {
  __lsan_enable();
}

}  // namespace
