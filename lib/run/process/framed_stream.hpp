#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

/// Framed messages between processes of one machine: a message is its length and its bytes, and arrives
/// complete or not at all.
///
/// TESTS     tests/run/process_test.cpp
namespace tailbound::run {

/// One end of a pair of connected sockets. The other side may end at any time: later messages to it are lost,
/// and a receiver sees the end after all complete messages.
///
/// CONTRACT  one thread at a time sends, and one receives; they may be two. cut() may be called by any.
class FramedStream {
 public:
  using Clock = std::chrono::steady_clock;

  /// \param descriptor  of a connected stream socket, closed at the end
  /// \param longest     maximum message length [bytes]; a longer one counts as the end
  explicit FramedStream(int descriptor, std::uint64_t longest = std::numeric_limits<std::uint64_t>::max())
      : descriptor_(descriptor), longest_(longest) {}
  ~FramedStream();
  FramedStream(const FramedStream&) = delete;
  FramedStream& operator=(const FramedStream&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }

  /// Waits until everything is written. False if the other side has closed, or has not read everything by
  /// then; after a partial write nothing more is sent (cut()).
  bool send(std::string_view message, Clock::time_point until = Clock::time_point::max());
  /// A complete message, without waiting.
  [[nodiscard]] std::optional<std::string> take();
  /// The next message; nothing at `until`, or at the end.
  [[nodiscard]] std::optional<std::string> receive(Clock::time_point until);
  /// Will nothing more arrive except what take() still has?
  [[nodiscard]] bool ended() const { return ended_; }
  /// Closes the connection for both sides.
  void cut();

 private:
  [[nodiscard]] bool whole();
  void read_on();

  int descriptor_;
  std::uint64_t longest_;
  std::string come_;
  std::size_t read_ = 0;  ///< number of bytes read so far
  bool ended_ = false;
};

/// Two connected ends, not inherited by started programs.  \throws std::system_error
[[nodiscard]] std::pair<int, int> connected_sockets();

/// Timeout for poll() until then: milliseconds from 0 to 60 000.
[[nodiscard]] int milliseconds_until(FramedStream::Clock::time_point time);

}  // namespace tailbound::run
