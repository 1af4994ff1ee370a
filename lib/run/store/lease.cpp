#include <tailbound/run/store/lease.hpp>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace tailbound::run {

std::vector<Claim> ClaimWatch::expired_of(const std::vector<Claim>& claims, Clock::time_point now) {
  const Clock::duration step = std::min<Clock::duration>(now - last_, 2 * times_.look);
  last_ = now;
  std::map<std::string, Seen> before = std::exchange(seen_, {});
  std::vector<Claim> expired;
  for (const Claim& claim : claims) {
    Seen& seen = seen_[claim.key] = {.claim = claim};
    if (const auto known = before.find(claim.key); known != before.end() && known->second.claim == claim)
      seen.unchanged = known->second.unchanged + step;
    if (seen.unchanged >= times_.expiry) expired.push_back(claim);
  }
  return expired;
}

class Lease::Thread {
 public:
  Thread(const std::string& path, const std::string& version, const Claimant& claimant,
         const LeaseTimes& times, bool watches)
      : store_(path, version, PointStore::Use::write, claimant),
        node_(claimant.who.node),
        times_(times),
        watch_(times),
        watches_(watches),
        thread_([this](const std::stop_token& stop) { go(stop); }) {}

 private:
  using Clock = ClaimWatch::Clock;

  void go(const std::stop_token& stop) {
    Clock::time_point renewed = Clock::now();
    std::unique_lock guard(lock_);
    while (!stop_.wait_for(guard, stop, std::min(times_.look, times_.renewal), [] { return false; }) &&
           !stop.stop_requested()) {
      // What fails now, as on a full disk, is tried again at the next look.
      try {
        if (Clock::now() - renewed >= times_.renewal) {
          store_.renew();
          renewed = Clock::now();
        }
        if (watches_) look();
      } catch (const std::exception&) {
        watch_.begin_again();
      }
    }
  }

  void look() {
    const Clock::time_point before = Clock::now();
    std::vector<Claim> claims = store_.claims();
    std::erase_if(claims, [this](const Claim& claim) { return claim.who.node == node_; });
    if (Clock::now() - before > times_.look) return watch_.begin_again();
    if (!store_.give_up(watch_.expired_of(claims, Clock::now()), times_.look)) watch_.begin_again();
  }

  PointStore store_;
  std::string node_;
  LeaseTimes times_;
  ClaimWatch watch_;
  bool watches_;
  std::mutex lock_;
  std::condition_variable_any stop_;
  std::jthread thread_;  ///< last: it uses the other members
};

Lease::Lease(const std::string& path, const std::string& version, const Claimant& claimant,
             const LeaseTimes& times, bool watches)
    : thread_(std::make_unique<Thread>(path, version, claimant, times, watches)) {}
Lease::~Lease() = default;

}  // namespace tailbound::run
