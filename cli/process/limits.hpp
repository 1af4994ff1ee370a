#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

/// How long a question may take, and how much memory.
namespace tailbound::cli {

struct Limits {
  std::optional<std::chrono::nanoseconds> time{};
  std::optional<std::uint64_t> bytes{};  ///< of memory, beyond what the process had before the question
  /// What does not look at a stop is ended so long after a limit was reached.
  std::chrono::milliseconds grace{450};
  std::string asked = "tailbound";  ///< the command, for the message
};

/// --time-limit and --memory-limit as typed, or what is usual where they are not.
/// \param time    seconds; "none" for no limit
/// \param memory  megabytes, or with a unit: "500MB", "2GB", "1.5GiB"; "none"
/// \throws InvalidArgument
[[nodiscard]] Limits read_limits(const std::optional<std::string>& time,
                                 const std::optional<std::string>& memory, Limits usual);

/// Bytes of memory of this machine.
[[nodiscard]] std::uint64_t machine_memory();

/// Tells when a limit is reached, from where it is made on.
class LimitWatch {
 public:
  explicit LimitWatch(Limits limits);

  [[nodiscard]] const Limits& limits() const { return limits_; }
  [[nodiscard]] bool any() const { return limits_.time || limits_.bytes; }

  enum class Limit { none, time, memory };
  /// The limit that is reached now.
  [[nodiscard]] Limit look() const;
  /// Memory is a tenth beyond its limit: nothing may go on.
  [[nodiscard]] bool far_beyond() const;
  /// Until the next look.
  [[nodiscard]] std::chrono::milliseconds until_next() const;

  /// "the time limit of 5 s"
  [[nodiscard]] std::string name_of(Limit limit) const;
  /// Why there is no answer, and which option allows more.
  /// \param reached  how far it has come, or empty
  [[nodiscard]] std::string refusal(Limit limit, const std::string& reached = {}) const;

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] std::uint64_t bytes_taken() const;

  Limits limits_;
  Clock::time_point start_ = Clock::now();
  std::uint64_t before_ = 0;  ///< bytes that the process had
};

}  // namespace tailbound::cli
