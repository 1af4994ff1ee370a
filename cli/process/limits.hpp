#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

/// Time and memory limits of a query.
namespace tailbound::cli {

struct Limits {
  std::optional<std::chrono::nanoseconds> time{};
  std::optional<std::uint64_t> bytes{};  ///< of memory, in addition to what the process used before the query
  /// Time after which work that does not check for a stop is ended.
  std::chrono::milliseconds grace{450};
  std::string requested = "tailbound";  ///< the command, for the message
};

/// --time-limit and --memory-limit as typed, or the defaults.
/// \param time    seconds; "none" for no limit
/// \param memory  megabytes, or with a unit: "500MB", "2GB", "1.5GiB"; "none"
/// \throws InvalidArgument
[[nodiscard]] Limits read_limits(const std::optional<std::string>& time,
                                 const std::optional<std::string>& memory, Limits usual);

/// Physical memory of this machine [bytes].
[[nodiscard]] std::uint64_t machine_memory();

/// Detects that a limit is reached, counted from its construction.
class LimitWatch {
 public:
  explicit LimitWatch(Limits limits);

  [[nodiscard]] const Limits& limits() const { return limits_; }
  [[nodiscard]] bool any() const { return limits_.time || limits_.bytes; }

  enum class Limit { none, time, memory };
  /// The limit that is reached now.
  [[nodiscard]] Limit look() const;
  /// Is memory a tenth beyond its limit, so that the process must end at once?
  [[nodiscard]] bool far_beyond() const;
  /// Time until the next check.
  [[nodiscard]] std::chrono::milliseconds until_next() const;

  /// "the time limit of 5 s"
  [[nodiscard]] std::string name_of(Limit limit) const;
  /// Why there is no answer, and which option raises the limit.
  /// \param reached  the progress, or empty
  [[nodiscard]] std::string rejection(Limit limit, const std::string& reached = {}) const;

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] std::uint64_t bytes_taken() const;

  Limits limits_;
  Clock::time_point start_ = Clock::now();
  std::uint64_t before_ = 0;  ///< memory of the process at the start
};

}  // namespace tailbound::cli
