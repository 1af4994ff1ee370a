#pragma once

#include <pthread.h>

#include <functional>

/// A thread with a stack for deeply nested formulas.
namespace tailbound::run {

class DeepThread {
 public:
  enum class Stack {
    usual,
    deep,  ///< 64 MiB of address space; memory is used only as needed
  };

  /// CONTRACT  join() or detach() is called before this ends
  /// \throws std::system_error  a thread cannot be started
  explicit DeepThread(std::function<void()> work, Stack stack = Stack::deep);
  DeepThread(const DeepThread&) = delete;
  DeepThread& operator=(const DeepThread&) = delete;

  void join() { pthread_join(thread_, nullptr); }
  void detach() { pthread_detach(thread_); }
  [[nodiscard]] bool calls() const { return pthread_equal(pthread_self(), thread_) != 0; }
  [[nodiscard]] pthread_t handle() const { return thread_; }

 private:
  pthread_t thread_{};
};

}  // namespace tailbound::run
