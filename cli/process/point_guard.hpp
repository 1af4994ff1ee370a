#pragma once

#include <cli/process/limits.hpp>

#include <functional>
#include <memory>

/// Points of a sweep that do not end, ended with their process.
namespace tailbound::cli {

/// Watches the points that this process works on, one after the other. Where one reaches a limit, `refused` is called
/// with the reason, on a thread of the guard's own, and the process ends with status 1 although work goes on in it.
class PointGuard {
 public:
  using Refused = std::function<void(const std::string& why)>;

  PointGuard();
  ~PointGuard();
  PointGuard(const PointGuard&) = delete;
  PointGuard& operator=(const PointGuard&) = delete;

  /// What `work` returns, done under these limits.
  template <class Work>
  auto watched(const Limits& limits, const Refused& refused, const Work& work) {
    const Watched one(*this, limits, refused);
    return work();
  }

 private:
  class Watch;
  struct Watched {
    Watched(PointGuard& guard, const Limits& limits, const Refused& refused);
    ~Watched();
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;
    PointGuard& guard;
  };
  std::unique_ptr<Watch> watch_;
};

}  // namespace tailbound::cli
