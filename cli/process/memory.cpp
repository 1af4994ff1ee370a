#include <gmp.h>
#include <cli/process/memory.hpp>
#include <cli/run.hpp>
#include <tailbound/files/leftovers.hpp>

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

namespace tailbound::cli {
namespace {

std::atomic<bool> run_out = false;

[[noreturn]] void end() {
  try {
    files::leftovers::remove_leftovers();
  } catch (const std::bad_alloc&) {
    static_cast<void>(0);  // nothing has been started
  }
  for (const char* words : {"tailbound: ", no_memory, "\n"})
    static_cast<void>(!write(STDERR_FILENO, words, std::strlen(words)));
  std::_Exit(no_answer);
}

void* taken_by_gmp(std::size_t size) {
  void* const memory = std::malloc(size);
  if (memory == nullptr) end();
  return memory;
}

void* taken_again_by_gmp(void* old, std::size_t, std::size_t size) {
  void* const memory = std::realloc(old, size);
  if (memory == nullptr) end();
  return memory;
}

void given_back_by_gmp(void* memory, std::size_t) {
  std::free(memory);
}

[[noreturn]] void rejected_to_new() {
  run_out = true;
  throw std::bad_alloc();
}

std::terminate_handler former = nullptr;

[[noreturn]] void terminated() {
  try {
    if (const std::exception_ptr failure = std::current_exception()) std::rethrow_exception(failure);
  } catch (const std::bad_alloc&) {
    end();
  } catch (...) {
    static_cast<void>(0);  // default behavior
  }
  former();
  std::abort();
}

}  // namespace

void exit_when_out_of_memory() {
  mp_set_memory_functions(taken_by_gmp, taken_again_by_gmp, given_back_by_gmp);
  std::set_new_handler(rejected_to_new);
  former = std::set_terminate(terminated);
}

bool memory_ran_out() {
  return run_out.exchange(false);
}

void require_memory_lasted() {
  if (memory_ran_out()) throw std::bad_alloc();
}

}  // namespace tailbound::cli
