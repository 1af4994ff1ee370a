#pragma once

#include <cli/process/limits.hpp>

#include <functional>
#include <memory>

/// Enforces limits on the points of a sweep by ending their process.
namespace tailbound::cli {

/// Watches the points that this process computes, one after another. If one reaches a limit, `rejected` is
/// called with the limit, on the guard's own thread, and the process ends although it is still computing:
/// with answers::ended_after_point, or with status 1 if `rejected` has thrown.
class PointGuard {
 public:
  using Rejected = std::function<void(const LimitWatch& limits, LimitWatch::Limit reached)>;

  PointGuard();
  ~PointGuard();
  PointGuard(const PointGuard&) = delete;
  PointGuard& operator=(const PointGuard&) = delete;

  /// The result of `work`, computed under these limits.
  template <class Work>
  auto watched(const Limits& limits, const Rejected& rejected, const Work& work) {
    const Watched one(*this, limits, rejected);
    return work();
  }

 private:
  class Watch;
  struct Watched {
    Watched(PointGuard& guard, const Limits& limits, const Rejected& rejected);
    ~Watched();
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;
    PointGuard& guard;
  };
  std::unique_ptr<Watch> watch_;
};

}  // namespace tailbound::cli
