#pragma once

#include <tailbound/run/store/point_store.hpp>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

/// Claims as leases: a process renews its claims, and claims of other nodes that are not renewed are given
/// up.
///
/// MODEL     Clocks of two machines are not compared. An observer counts how long a claim has not changed, by
///           its own steady clock, and only the time between looks that succeed at once: while the store
///           cannot be reached or is full, nobody can renew.
/// EXCLUDES  a process that is suspended for longer than the expiry: its point is computed twice, with the
///           same result
/// TESTS     tests/run/point_store_test.cpp
namespace tailbound::run {

struct LeaseTimes {
  std::chrono::milliseconds renewal{60'000};
  std::chrono::milliseconds expiry{120'000};  ///< unchanged for so long, a claim of another node is given up
  std::chrono::milliseconds look{2'000};      ///< between two looks at the claims
};

/// What one observer has seen of the claims of other nodes.
class ClaimWatch {
 public:
  using Clock = std::chrono::steady_clock;

  explicit ClaimWatch(const LeaseTimes& times) : times_(times) {}

  /// \param claims  of other nodes, as they are now
  /// \return those that have expired
  [[nodiscard]] std::vector<Claim> expired_of(const std::vector<Claim>& claims, Clock::time_point now);
  /// What was seen is too old to conclude anything from it.
  void begin_again() { seen_.clear(); }

 private:
  struct Seen {
    Claim claim;
    Clock::duration unchanged{};
  };

  LeaseTimes times_;
  Clock::time_point last_{};
  std::map<std::string, Seen> seen_;
};

/// During its lifetime, a thread renews the claims of this process.
class Lease {
 public:
  /// \param watches  also gives up expired claims of other nodes; one process of a sweep does
  /// \throws as PointStore
  Lease(const std::string& path, const std::string& version, const Claimant& claimant,
        const LeaseTimes& times, bool watches);
  ~Lease();
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

 private:
  class Thread;
  std::unique_ptr<Thread> thread_;
};

}  // namespace tailbound::run
