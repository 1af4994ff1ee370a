#include <tailbound/run/deep_thread.hpp>

#include <cstddef>
#include <memory>
#include <system_error>
#include <utility>

namespace tailbound::run {

DeepThread::DeepThread(std::function<void()> work, Stack stack) {
  constexpr std::size_t deep = std::size_t{64} << 20U;
  auto owned = std::make_unique<std::function<void()>>(std::move(work));
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (stack == Stack::deep) pthread_attr_setstacksize(&attributes, deep);
  const int failed = pthread_create(
      &thread_, &attributes,
      [](void* handed) -> void* {
        const std::unique_ptr<std::function<void()>> work_of_it(static_cast<std::function<void()>*>(handed));
        (*work_of_it)();
        return nullptr;
      },
      owned.get());
  pthread_attr_destroy(&attributes);
  if (failed != 0) throw std::system_error(failed, std::generic_category(), "cannot start a thread");
  static_cast<void>(owned.release());
}

}  // namespace tailbound::run
