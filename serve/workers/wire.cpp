#include <serve/workers/wire.hpp>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

namespace tailbound::serve {
namespace {

using Length = std::uint64_t;

/// Of a note; answers are well below (worker.cpp).
constexpr Length longest = Length{128} << 20;
constexpr Length most_parts = 64;

void append(std::string& frame, Length number) {
  frame.append(reinterpret_cast<const char*>(&number), sizeof number);
}

Length number_at(const std::string& bytes, std::size_t place) {
  Length number;
  std::memcpy(&number, bytes.data() + place, sizeof number);
  return number;
}

/// Milliseconds to a time, not below 0.
int until_then(Clock::time_point time) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(time - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
}

}  // namespace

Wire::~Wire() {
  close(descriptor_);
}

void Wire::cut() {
  shutdown(descriptor_, SHUT_RDWR);
}

bool Wire::send(const Note& note, std::chrono::milliseconds patience) {
  std::string head = note.head.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string frame;
  append(frame, note.parts.size() + 1);
  append(frame, head.size());
  for (const std::string& part : note.parts) append(frame, part.size());
  frame += head;
  for (const std::string& part : note.parts) frame += part;
  const Clock::time_point end = Clock::now() + patience;
  for (std::string_view rest = frame; !rest.empty();) {
    const ssize_t sent = ::send(descriptor_, rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      rest.remove_prefix(static_cast<std::size_t>(sent));
    } else if (sent < 0 && (errno == EAGAIN || errno == EINTR)) {
      pollfd room{.fd = descriptor_, .events = POLLOUT, .revents = 0};
      if (poll(&room, 1, until_then(end)) == 0 && Clock::now() >= end) return false;
    } else {
      return false;
    }
  }
  return true;
}

std::optional<Note> Wire::take() {
  if (come_.size() < sizeof(Length)) return {};
  const Length count = number_at(come_, 0);
  if (count < 1 || count > most_parts) {
    ended_ = true;
    return {};
  }
  const std::size_t begin = sizeof(Length) * (1 + count);
  if (come_.size() < begin) return {};
  Length all = begin;
  for (Length i = 0; i < count; ++i) {
    const Length size = number_at(come_, sizeof(Length) * (1 + i));
    if (size > longest || (all += size) > longest) {
      ended_ = true;
      return {};
    }
  }
  if (come_.size() < all) return {};
  Note note;
  std::size_t place = begin;
  for (Length i = 0; i < count; ++i) {
    const Length size = number_at(come_, sizeof(Length) * (1 + i));
    if (i == 0)
      note.head = Json::parse(std::string_view(come_).substr(place, size), nullptr, false);
    else
      note.parts.push_back(come_.substr(place, size));
    place += size;
  }
  come_.erase(0, all);
  return note;
}

std::optional<Note> Wire::receive(Clock::time_point until) {
  char block[1 << 16];
  for (;;) {
    if (auto note = take()) return note;
    if (ended_) return {};
    pollfd something{.fd = descriptor_, .events = POLLIN, .revents = 0};
    const int ready = poll(&something, 1, until_then(until));
    if (ready == 0 && Clock::now() >= until) return {};
    if (ready <= 0) continue;
    const ssize_t got = recv(descriptor_, block, sizeof block, MSG_DONTWAIT);
    if (got > 0)
      come_.append(block, static_cast<std::size_t>(got));
    else if (got == 0 || (errno != EAGAIN && errno != EINTR))
      ended_ = true;
  }
}

std::pair<int, int> socket_pair() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot make a pair of sockets");
  return {ends[0], ends[1]};
}

}  // namespace tailbound::serve
