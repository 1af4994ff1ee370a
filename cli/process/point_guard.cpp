#include <cli/process/point_guard.hpp>
#include <cli/run.hpp>
#include <tailbound/answers/points/sweep.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

namespace tailbound::cli {

class PointGuard::Watch {
 public:
  Watch() : thread_([this] { watch(); }) {}
  ~Watch() {
    {
      const std::scoped_lock guard(lock_);
      end_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  void begin(const Limits& limits, const Rejected& rejected) {
    const std::scoped_lock guard(lock_);
    rejected_ = &rejected;
    limits_.emplace(limits);
  }
  void end() {
    const std::scoped_lock guard(lock_);
    limits_.reset();
  }

 private:
  /// The guard polls: notifying it of every point would cost as much as many points.
  static constexpr auto between_looks = std::chrono::milliseconds(20);

  void watch() {
    std::unique_lock guard(lock_);
    while (!end_) {
      changed_.wait_for(guard, between_looks);
      if (end_ || !limits_) continue;
      const LimitWatch::Limit limit = limits_->look();
      if (limit == LimitWatch::Limit::none) continue;
      // The lock is kept, so that a point that ends now does not continue.
      try {
        (*rejected_)(*limits_, limit);
      } catch (const std::exception&) {  // the store is full, as its other users will find
        std::_Exit(no_answer);
      }
      std::_Exit(answers::ended_after_point);  // pending output belongs to the parent
    }
  }

  std::mutex lock_;
  std::condition_variable changed_;
  std::optional<LimitWatch> limits_;
  const Rejected* rejected_ = nullptr;
  bool end_ = false;
  std::thread thread_;
};

PointGuard::PointGuard() : watch_(std::make_unique<Watch>()) {}
PointGuard::~PointGuard() = default;

PointGuard::Watched::Watched(PointGuard& its, const Limits& limits, const Rejected& rejected) : guard(its) {
  guard.watch_->begin(limits, rejected);
}
PointGuard::Watched::~Watched() {
  guard.watch_->end();
}

}  // namespace tailbound::cli
