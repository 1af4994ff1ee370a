#include <serve/workers/note_stream.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/run/bytes.hpp>

#include <cstdint>

namespace tailbound::serve {
namespace {

/// Maximum length of a note [bytes]; results are much shorter (worker.cpp).
constexpr std::uint64_t longest = std::uint64_t{128} << 20U;

}  // namespace

NoteStream::NoteStream(int descriptor) : stream_(descriptor, longest) {}

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
