#pragma once

#include <nlohmann/json.hpp>
#include <tailbound/run/process/framed_stream.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

/// What the server and the processes that compute for it tell each other.
namespace tailbound::serve {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::json;

/// JSON, and texts beside it that are handed on as they are.
struct Note {
  Json head{};
  std::vector<std::string> parts{};
};

/// One end of a FramedStream whose messages are notes, with its contract.
class NoteStream {
 public:
  /// \param descriptor  of a connected stream socket, closed at the end
  explicit NoteStream(int descriptor);

  /// False where the other side is gone, or takes nothing for so long.
  bool send(const Note& note, std::chrono::milliseconds patience = std::chrono::seconds(30));
  /// The next note; nothing at `until`, or once the other side has gone.
  [[nodiscard]] std::optional<Note> receive(Clock::time_point until);
  /// The other side has gone, or has sent what is no note.
  [[nodiscard]] bool ended() const { return damaged_ || stream_.ended(); }
  /// For both sides it is as if the other had gone. May be called by another thread.
  void cut() { stream_.cut(); }

 private:
  run::FramedStream stream_;
  bool damaged_ = false;
};

}  // namespace tailbound::serve
