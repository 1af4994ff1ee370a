#pragma once

#include <nlohmann/json.hpp>
#include <tailbound/run/process/framed_stream.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

/// Messages between the server and its worker processes.
namespace tailbound::serve {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::json;

/// JSON, and texts that are passed on unchanged.
struct Note {
  Json head{};
  std::vector<std::string> parts{};
};

/// A FramedStream of notes, with the same contract.
class NoteStream {
 public:
  /// \param descriptor  a connected stream socket; closed by the destructor
  /// \param report      a pipe with the status of the peer at its end, or -1; closed by the destructor
  explicit NoteStream(int descriptor, int report = -1);
  ~NoteStream();
  NoteStream(const NoteStream&) = delete;
  NoteStream& operator=(const NoteStream&) = delete;

  /// False if the peer is gone, or accepts no data for that time.
  bool send(const Note& note, std::chrono::milliseconds timeout = std::chrono::seconds(30));
  /// The next note; nothing at `until`, or once the peer is gone.
  [[nodiscard]] std::optional<Note> receive(Clock::time_point until);
  /// The peer is gone, or has sent an invalid note.
  [[nodiscard]] bool ended() const { return damaged_ || stream_.ended(); }
  /// The status of the peer's process as from waitpid(); nothing if it is not reported within a second.
  [[nodiscard]] std::optional<int> status_at_end() const;
  /// Disconnects both sides. May be called by another thread.
  void cut() { stream_.cut(); }

 private:
  run::FramedStream stream_;
  int report_;
  bool damaged_ = false;
};

}  // namespace tailbound::serve
