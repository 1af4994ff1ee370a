#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

/// What processes of one machine tell each other, framed once: a message is its length and its bytes, and comes whole
/// or not at all.
///
/// TESTS     tests/run/process_test.cpp
namespace tailbound::run {

/// One end of a pair of connected sockets. The other side may end at any time: what is sent then is lost, and who
/// receives finds the end behind what has come whole.
///
/// CONTRACT  one thread at a time sends, and one receives; they may be two. cut() may be called by any.
class FramedStream {
 public:
  using Clock = std::chrono::steady_clock;

  /// \param descriptor  of a connected stream socket, closed at the end
  /// \param longest     message that is taken [bytes]; one that says to be longer is the end
  explicit FramedStream(int descriptor, std::uint64_t longest = std::numeric_limits<std::uint64_t>::max())
      : descriptor_(descriptor), longest_(longest) {}
  ~FramedStream();
  FramedStream(const FramedStream&) = delete;
  FramedStream& operator=(const FramedStream&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }

  /// Waits until all is written. False where the other side has gone, or has not taken all by then: where it has taken
  /// some, nothing comes after that (cut()).
  bool send(std::string_view message, Clock::time_point until = Clock::time_point::max());
  /// A message that has come whole, without waiting.
  [[nodiscard]] std::optional<std::string> take();
  /// The next message; nothing at `until`, or at the end.
  [[nodiscard]] std::optional<std::string> receive(Clock::time_point until);
  /// Nothing more will come than what take() has still.
  [[nodiscard]] bool ended() const { return ended_; }
  /// For both sides it is as if the other had gone.
  void cut();

 private:
  [[nodiscard]] bool whole();
  void read_on();

  int descriptor_;
  std::uint64_t longest_;
  std::string come_;
  std::size_t read_ = 0;  ///< of what has come
  bool ended_ = false;
};

/// Two ends that are connected; programs that are started do not inherit them.  \throws std::system_error
[[nodiscard]] std::pair<int, int> connected_sockets();

/// What poll() is to wait until then: milliseconds from 0 to 60 000.
[[nodiscard]] int milliseconds_until(FramedStream::Clock::time_point time);

}  // namespace tailbound::run
