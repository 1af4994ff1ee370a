#pragma once

#include <nlohmann/json.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

/// What the server and the processes that compute for it tell each other, over a pair of sockets.
namespace tailbound::serve {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::json;

/// JSON, and texts beside it that are handed on as they are.
struct Note {
  Json head{};
  std::vector<std::string> parts{};
};

/// One end. Either side may be closed at any time: what is sent then is lost, and receive() finds the end.
class Wire {
 public:
  /// \param descriptor  of a connected stream socket, closed at the end
  explicit Wire(int descriptor) : descriptor_(descriptor) {}
  ~Wire();
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  /// False where the other side is gone, or takes nothing for so long.
  bool send(const Note& note, std::chrono::milliseconds patience = std::chrono::seconds(30));
  /// The next note; nothing at `until`, or once the other side has gone.
  [[nodiscard]] std::optional<Note> receive(Clock::time_point until);
  /// The other side has gone, or has sent what is no note.
  [[nodiscard]] bool ended() const { return ended_; }
  /// For both sides it is as if the other had gone. May be called by another thread.
  void cut();

 private:
  [[nodiscard]] std::optional<Note> take();

  int descriptor_;
  bool ended_ = false;
  std::string come_;
};

/// Two ends that are connected.  \throws std::system_error
[[nodiscard]] std::pair<int, int> socket_pair();

}  // namespace tailbound::serve
