#include <tailbound/run/process/framed_stream.hpp>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace tailbound::run {
namespace {

using Length = std::uint64_t;

}  // namespace

FramedStream::~FramedStream() {
  close(descriptor_);
}

void FramedStream::cut() {
  shutdown(descriptor_, SHUT_RDWR);
}

bool FramedStream::send(std::string_view message, Clock::time_point until) {
  const Length length = message.size();
  std::string frame(reinterpret_cast<const char*>(&length), sizeof length);
  frame += message;
  for (std::string_view rest = frame; !rest.empty();) {
    const ssize_t sent = ::send(descriptor_, rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      rest.remove_prefix(static_cast<std::size_t>(sent));
      continue;
    }
    if (errno == EINTR) continue;
    bool retry = errno == EAGAIN;
    while (retry) {
      pollfd look{.fd = descriptor_, .events = POLLOUT, .revents = 0};
      if (poll(&look, 1, milliseconds_until(until)) > 0) break;
      retry = Clock::now() < until;
    }
    if (retry) continue;
    if (rest.size() < frame.size()) cut();  // half a message must not become the start of the next
    return false;
  }
  return true;
}

bool FramedStream::whole() {
  const std::size_t there = come_.size() - read_;
  if (there < sizeof(Length)) return false;
  Length length;
  std::memcpy(&length, come_.data() + read_, sizeof length);
  if (length > longest_) ended_ = true;
  return length <= longest_ && there - sizeof(Length) >= length;
}

void FramedStream::read_on() {
  come_.erase(0, std::exchange(read_, 0));
  char block[1 << 16];
  for (;;) {
    const ssize_t got = recv(descriptor_, block, sizeof block, MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0 || (got < 0 && errno != EAGAIN)) ended_ = true;
    if (got <= 0) return;
    come_.append(block, static_cast<std::size_t>(got));
    if (static_cast<std::size_t>(got) < sizeof block) return;
  }
}

std::optional<std::string> FramedStream::take() {
  if (!whole() && !ended_) read_on();
  if (!whole()) return {};
  Length length;
  std::memcpy(&length, come_.data() + read_, sizeof length);
  std::string message = come_.substr(read_ + sizeof length, length);
  read_ += sizeof length + message.size();
  if (read_ == come_.size()) {
    come_.clear();
    read_ = 0;
  }
  return message;
}

std::optional<std::string> FramedStream::receive(Clock::time_point until) {
  for (;;) {
    if (auto message = take()) return message;
    if (ended_) return {};
    pollfd something{.fd = descriptor_, .events = POLLIN, .revents = 0};
    if (poll(&something, 1, milliseconds_until(until)) == 0 && Clock::now() >= until) return {};
  }
}

std::pair<int, int> connected_sockets() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot start a process");
  return {ends[0], ends[1]};
}

int milliseconds_until(FramedStream::Clock::time_point time) {
  constexpr auto longest = std::chrono::seconds(60);
  const auto now = FramedStream::Clock::now();
  if (time <= now) return 0;
  const auto left = time - now > longest ? longest : std::chrono::ceil<std::chrono::milliseconds>(time - now);
  return static_cast<int>(std::chrono::milliseconds(left).count());
}

}  // namespace tailbound::run
