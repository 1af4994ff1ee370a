#include <serve/workers/note_stream.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/run/bytes.hpp>

#include <poll.h>
#include <unistd.h>

#include <cstdint>

namespace tailbound::serve {
namespace {

/// Maximum length of a note [bytes]; results are much shorter (worker.cpp).
constexpr std::uint64_t longest = std::uint64_t{128} << 20U;

}  // namespace

NoteStream::NoteStream(int descriptor, int report) : stream_(descriptor, longest), report_(report) {}

NoteStream::~NoteStream() {
  if (report_ >= 0) close(report_);
}

std::optional<int> NoteStream::status_at_end() const {
  constexpr int moment = 1000;  // milliseconds
  pollfd look{.fd = report_, .events = POLLIN, .revents = 0};
  int status = 0;
  if (report_ < 0 || poll(&look, 1, moment) <= 0 || read(report_, &status, sizeof status) != sizeof status)
    return {};
  return status;
}

bool NoteStream::send(const Note& note, std::chrono::milliseconds timeout) {
  run::ByteWriter writer;
  writer.put(std::string_view(note.head.dump(-1, ' ', false, Json::error_handler_t::replace)));
  for (const std::string& part : note.parts) writer.put(std::string_view(part));
  return stream_.send(writer.take(), Clock::now() + timeout);
}

std::optional<Note> NoteStream::receive(Clock::time_point until) {
  const std::optional<std::string> bytes = damaged_ ? std::nullopt : stream_.receive(until);
  if (!bytes) return {};
  try {
    run::ByteReader reader(*bytes);
    Note note{.head = Json::parse(reader.get_text(), nullptr, false)};
    while (!reader.at_end()) note.parts.push_back(reader.get_text());
    return note;
  } catch (const ParseError&) {
    damaged_ = true;
    return {};
  }
}

}  // namespace tailbound::serve
