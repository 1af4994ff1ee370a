#pragma once

#include <cstdint>
#include <string>

/// The name of a process, for files that several processes share, perhaps of several machines.
///
/// TESTS     tests/run/point_store_test.cpp
namespace tailbound {

struct ProcessName {
  std::string
      host{};  ///< name of the machine, for people: containers have names of their own, or all the same
  std::string
      node{};  ///< a run of the machine and a space of process numbers: within it, numbers are comparable
  std::int64_t process = 0;
  std::string beginning{};  ///< start [ticks since boot], as numbers are reused; empty if unknown

  friend bool operator==(const ProcessName&, const ProcessName&) = default;
};

[[nodiscard]] ProcessName this_process();

/// Is this process of our node known to have ended? Always false for processes of other nodes.
[[nodiscard]] bool has_ended(const ProcessName& process, const ProcessName& ours);

/// Now, by the clock of this machine [s since 1970].
[[nodiscard]] std::int64_t seconds_now();
/// "2026-11-30 12:00:01 UTC"
[[nodiscard]] std::string utc_in_words(std::int64_t seconds);

}  // namespace tailbound
