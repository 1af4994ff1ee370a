#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace tailbound {

/// A cache of results of this process, shared by all threads. It is emptied when it exceeds a number of
/// bytes; results in use stay valid.
template <class Key, class Value>
class ProcessCache {
 public:
  explicit ProcessCache(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// Null if not in the cache.
  [[nodiscard]] std::shared_ptr<const Value> find(const Key& key) {
    const std::lock_guard lock(mutex_);
    const auto place = known_.find(key);
    return place == known_.end() ? nullptr : place->second;
  }
  void add(Key key, std::shared_ptr<const Value> value, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (bytes_ > max_bytes_) {
      known_.clear();
      bytes_ = 0;
    }
    bytes_ += bytes;
    known_.emplace(std::move(key), std::move(value));
  }

 private:
  std::size_t max_bytes_;
  std::mutex mutex_;
  std::map<Key, std::shared_ptr<const Value>> known_;
  std::size_t bytes_ = 0;
};

}  // namespace tailbound
