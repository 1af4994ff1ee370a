// Preloaded into a program, lets one of its allocations fail, counted from the start of main(): earlier
// allocations of static objects of libraries cannot be handled.
//
//   FAIL_ALLOCATION=N   the N-th fails, and those after it succeed; 0: none
//   FAIL_ALLOCATIONS=N  the N-th and all after it fail
//   FAIL_REPORT=FD      writes "failed SIZE" there at the failure, "made COUNT" at the end of the program; with
//                       FAIL_TRACE=1 also the addresses of the callers
//
// operator new calls malloc(), as do GMP and other libraries. After a fork each process counts separately.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);

static atomic_long made;
static long fails, fails_from;  // never: 0
static int counts, report = -1, trace;

static void say(const char* what, unsigned long number) {
  char text[64];
  size_t length = strlen(what);
  char* end = text + sizeof text;
  *--end = '\n';
  do *--end = (char)('0' + number % 10);
  while ((number /= 10) != 0);
  end -= length;
  memcpy(end, what, length);
  if (report >= 0 && write(report, end, (size_t)(text + sizeof text - end)) < 0) return;
}

static int is_to_fail(size_t size) {
  if (!counts) return 0;
  const long number = atomic_fetch_add(&made, 1) + 1;
  if (number != fails && (fails_from == 0 || number < fails_from)) return 0;
  if (number == fails || number == fails_from) {
    say("failed ", size);
    if (trace && report >= 0) {
      counts = 0;
      void* callers[40];
      backtrace_symbols_fd(callers, backtrace(callers, 40), report);
      counts = 1;
    }
  }
  errno = ENOMEM;
  return 1;
}

void* malloc(size_t size) {
  return is_to_fail(size) ? NULL : __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  return is_to_fail(count * size) ? NULL : __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) {
  return is_to_fail(size) ? NULL : __libc_realloc(old, size);
}
void* memalign(size_t alignment, size_t size) {
  return is_to_fail(size) ? NULL : __libc_memalign(alignment, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  return memalign(alignment, size);
}
int posix_memalign(void** place, size_t alignment, size_t size) {
  void* const got = memalign(alignment, size);
  if (got != NULL) *place = got;
  return got != NULL ? 0 : ENOMEM;
}

__attribute__((destructor)) static void end(void) {
  if (counts) say("made ", (unsigned long)atomic_load(&made));
}

static int (*main_of_program)(int, char**, char**);

static long number_of(const char* name) {
  const char* text = getenv(name);
  return text == NULL ? 0 : atol(text);
}

static int counted_main(int argc, char** argv, char** environment) {
  fails = number_of("FAIL_ALLOCATION");
  fails_from = number_of("FAIL_ALLOCATIONS");
  report = getenv("FAIL_REPORT") == NULL ? -1 : (int)number_of("FAIL_REPORT");
  trace = number_of("FAIL_TRACE") != 0;
  if (trace) {  // allocates memory the first time
    void* caller;
    backtrace(&caller, 1);
  }
  unsetenv("LD_PRELOAD");  // not for child programs
  counts = 1;
  return main_of_program(argc, argv, environment);
}

int __libc_start_main(int (*program)(int, char**, char**), int argc, char** argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void* stack_end) {
  int (*start)(int (*)(int, char**, char**), int, char**, void (*)(void), void (*)(void), void (*)(void),
               void*);
  *(void**)&start = dlsym(RTLD_NEXT, "__libc_start_main");
  main_of_program = program;
  return start(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}
