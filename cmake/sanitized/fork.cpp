// fork() for programs built with the address sanitizer (GCC 12). If another thread holds a lock of the
// sanitizer's allocator during fork(), the lock is never released in the child, and the first allocation
// there waits for it. Such a child is killed and replaced by another one.

#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

extern "C" void __sanitizer_purge_allocator();  // not declared in any header of GCC 12

namespace {

/// Takes the locks of small blocks and of freed memory; fast if little was freed since the last time.
void take_locks() {
  __sanitizer_purge_allocator();
}

volatile int steps = 0;  // prevents tail calls, so that each call has its frame

/// Allocates at the maximum stored call depth, through left or right calls by the bits of the number. The
/// whole stack of an allocation is stored, under a lock, if it is new.
template <bool right>
[[gnu::noinline]] void allocate_below(unsigned number, int calls) {
  steps = steps + (right ? 1 : 2);
  if (calls == 0) {
    constexpr std::size_t large = 1U << 20U;  // these have a lock of their own
    void* volatile const block = std::malloc(large);
    std::free(block);
  } else if ((number & 1U) != 0) {
    allocate_below<true>(number >> 1U, calls - 1);
  } else {
    allocate_below<false>(number >> 1U, calls - 1);
  }
  steps = steps - (right ? 1 : 2);
}

/// Does the child report within the given time that it has taken the locks?
bool says_so(int end, int milliseconds) {
  pollfd look{.fd = end, .events = POLLIN, .revents = 0};
  int came;
  do came = poll(&look, 1, milliseconds);
  while (came < 0 && errno == EINTR);
  return came > 0;
}

}  // namespace

extern "C" pid_t fork() noexcept {
  static const auto plain_fork = reinterpret_cast<pid_t (*)()>(dlsym(RTLD_NEXT, "fork"));
  static unsigned forks = 0;  // a child inherits the count of its parents
  const pid_t parent = getpid();
  take_locks();
  for (int timeout = 100;; timeout *= 2) {
    int ends[2];
    if (pipe(ends) != 0) return -1;
    ++forks;
    const pid_t child = plain_fork();
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(1);
      constexpr int calls_kept = 30;
      allocate_below<false>(forks, calls_kept);
      take_locks();
      prctl(PR_SET_PDEATHSIG, 0);
      static_cast<void>(!write(ends[1], "", 1));
    }
    const bool is_good = child <= 0 || says_so(ends[0], timeout);
    const int error = errno;
    close(ends[0]);
    close(ends[1]);
    if (is_good) {
      errno = error;
      return child;
    }
    kill(child, SIGKILL);
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
}
