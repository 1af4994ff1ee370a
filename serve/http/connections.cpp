#include <serve/http/connections.hpp>

#include <tailbound/core/error.hpp>

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <thread>

namespace tailbound::serve {

using Clock = std::chrono::steady_clock;

/// One connection, read by httplib up to the byte limit of a request.
class Connection final : public httplib::Stream {
 public:
  enum class State { waiting, coming, answering };

  Connection(int descriptor, const Connections::Bounds& bounds) : descriptor_(descriptor), bounds_(bounds) {}
  ~Connection() override { close(descriptor_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Waits for the first byte of a request; false if none arrives.
  bool wait_for_request() {
    be(State::waiting, bounds_.between_requests);
    if (begin_ == end_ && !fill()) return false;
    left_ = bounds_.head_bytes;
    be(State::coming, bounds_.for_request);
    return true;
  }
  void begin_answer() { be(State::answering, std::chrono::hours(24)); }

  void admit_body(std::size_t bytes) { left_ += bytes; }
  void discard_body(std::size_t bytes) { discarded_ = std::min(bytes, std::size_t{64} << 20); }

  /// Closing a socket with unread data would reset it and lose the response, so unread data is drained
  /// briefly.
  void releases_early() {
    shutdown(descriptor_, SHUT_WR);
    left_ = std::max(std::size_t{256} << 10, discarded_);
    be(State::waiting, discarded_ > 0 ? bounds_.for_request : std::chrono::milliseconds(300));
    for (begin_ = end_ = 0; left_ > 0 && fill(); left_ -= std::min(left_, end_)) {
    }
  }

  /// Called by another thread: pending reads and writes fail.
  void end() { shutdown(descriptor_, SHUT_RDWR); }
  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] std::chrono::milliseconds idle_time() const { return bounds_.between_requests; }
  [[nodiscard]] Clock::duration age() const { return Clock::now() - since_.load(); }
  bool last = false;  ///< no further request is read

  [[nodiscard]] bool is_readable() const override { return begin_ < end_ || ready(POLLIN, Clock::now()); }
  [[nodiscard]] bool is_writable() const override {
    return ready(POLLOUT, Clock::now() + bounds_.for_answer);
  }
  ssize_t read(char* to, std::size_t size) override {
    if (left_ == 0 || (begin_ == end_ && !fill())) {
      last = true;
      return -1;
    }
    const std::size_t count = std::min({size, end_ - begin_, left_});
    std::memcpy(to, buffer_ + begin_, count);
    begin_ += count;
    left_ -= count;
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* from, std::size_t size) override {
    if (!writing_until_) writing_until_ = Clock::now() + bounds_.for_answer;
    for (;;) {
      const ssize_t sent = send(descriptor_, from, size, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent >= 0) return sent;
      if (errno == EINTR) continue;
      if (errno != EAGAIN || !ready(POLLOUT, *writing_until_)) return -1;
    }
  }
  void answered() { writing_until_.reset(); }

  void get_remote_ip_and_port(std::string& ip, int& port) const override {
    ip.clear();
    port = 0;
  }
  void get_local_ip_and_port(std::string& ip, int& port) const override { get_remote_ip_and_port(ip, port); }
  [[nodiscard]] int socket() const override { return descriptor_; }

 private:
  void be(State state, std::chrono::milliseconds time) {
    state_ = state;
    since_ = Clock::now();
    until_ = Clock::now() + time;
  }
  [[nodiscard]] bool ready(short what, Clock::time_point until) const {
    for (;;) {
      pollfd look{.fd = descriptor_, .events = what, .revents = 0};
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
      const int found = poll(&look, 1, static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000)));
      if (found > 0) return true;
      if (found < 0 && errno != EINTR) return false;
      if (Clock::now() >= until) return false;
    }
  }
  bool fill() {
    for (;;) {
      if (!ready(POLLIN, until_)) return false;
      const ssize_t got = recv(descriptor_, buffer_, sizeof buffer_, MSG_DONTWAIT);
      if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
      begin_ = 0;
      end_ = got > 0 ? static_cast<std::size_t>(got) : 0;
      return got > 0;
    }
  }

  int descriptor_;
  const Connections::Bounds& bounds_;
  std::atomic<State> state_ = State::waiting;
  std::atomic<Clock::time_point> since_ = Clock::now();
  Clock::time_point until_ = Clock::now();
  std::optional<Clock::time_point> writing_until_;
  std::size_t left_ = 0;       ///< bytes of the request that may still come
  std::size_t discarded_ = 0;  ///< of a rejected body
  char buffer_[4096];
  std::size_t begin_ = 0, end_ = 0;  ///< unread part of the buffer
};

namespace {

thread_local Connection* current = nullptr;  ///< the connection served by this thread

/// " keep-alive, x ": the tokens of a header, in small letters and between spaces.
std::string words_of(std::string header) {
  for (char& c : header) c = c == ',' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return " " + header + " ";
}
bool holds(const std::string& words, std::string_view word) {
  return words.find(" " + std::string(word) + " ") != std::string::npos;
}

struct Freed {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};

/// \throws InvalidArgument  naming --host or --port
int listening_socket(const std::string& host, int port) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_PASSIVE;
  addrinfo* list = nullptr;
  if (const int failed = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &list))
    throw InvalidArgument(
        "--host", host,
        std::string("an address or host name of this machine (") + gai_strerror(failed) + ")");
  const std::unique_ptr<addrinfo, Freed> owned(list);
  int reason = 0;
  for (const addrinfo* at = list; at != nullptr; at = at->ai_next) {
    const int made = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, at->ai_protocol);
    const int on = 1;
    if (made < 0) continue;
    setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(made, at->ai_addr, at->ai_addrlen) == 0 && listen(made, 128) == 0) return made;
    reason = errno;
    close(made);
  }
  const std::string why = std::string(" (") + std::strerror(reason) + ")";
  if (reason == EADDRINUSE || reason == EACCES)
    throw InvalidArgument("--port", std::to_string(port), "a free port, or 0 for any free port" + why);
  throw InvalidArgument("--host", host, "an address of this machine" + why);
}

int port_of(int socket) {
  sockaddr_storage name{};
  socklen_t length = sizeof name;
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&name), &length) != 0) return 0;
  if (name.ss_family == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6&>(name).sin6_port);
  return ntohs(reinterpret_cast<const sockaddr_in&>(name).sin_port);
}

}  // namespace

Connections::~Connections() {
  if (listening_ >= 0) close(listening_);
}

int Connections::open(const std::string& host, int port) {
  listening_ = listening_socket(host, port);
  return port_of(listening_);
}

void Connections::admit_body(std::size_t bytes) {
  if (current != nullptr) current->admit_body(bytes);
}

void Connections::discard_body(std::size_t bytes) {
  if (current != nullptr) current->discard_body(bytes);
}

void Connections::begin_answer() {
  if (current != nullptr) current->begin_answer();
}

void Connections::promise(const httplib::Request& request, httplib::Response& response) {
  if (current == nullptr) return;
  const std::string wanted = words_of(request.get_header_value("Connection"));
  const bool keeps = current->state() == Connection::State::answering && !holds(wanted, "close") &&
                     (request.version != "HTTP/1.0" || holds(wanted, "keep-alive"));
  current->last = current->last || !keeps;
  response.headers.erase("Connection");
  response.headers.erase("Keep-Alive");
  response.set_header("Connection", current->last ? "close" : "keep-alive");
  if (!current->last) {
    const auto idle = std::chrono::duration_cast<std::chrono::seconds>(current->idle_time());
    response.set_header("Keep-Alive", "timeout=" + std::to_string(idle.count()));
  }
}

void Connections::take_until_readable(int descriptor, const std::function<void()>& ending) {
  for (;;) {
    pollfd looks[] = {{.fd = descriptor, .events = POLLIN, .revents = 0},
                      {.fd = listening_, .events = POLLIN, .revents = 0}};
    if (poll(looks, 2, -1) < 0) continue;
    if (looks[0].revents != 0) break;
    if (looks[1].revents != 0) take();
  }
  close(listening_);
  listening_ = -1;
  ending();
  std::unique_lock guard(lock_);
  for (const auto& connection : open_) connection->end();
  changed_.wait(guard, [this] { return threads_ == 0; });
}

void Connections::take() {
  const int descriptor = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (descriptor < 0) {
    // No descriptors left: wait for one to be closed instead of spinning.
    if (errno == EMFILE || errno == ENFILE || errno == ENOMEM)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return;
  }
  const int on = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const auto connection = std::make_shared<Connection>(descriptor, bounds_);
  std::unique_lock guard(lock_);
  if (!close_idle()) {
    constexpr std::string_view busy =
        "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
    static_cast<void>(send(descriptor, busy.data(), busy.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
    return;
  }
  open_.push_back(connection);
  ++threads_;
  guard.unlock();
  const auto forget = [this, connection] {
    const std::scoped_lock all(lock_);
    open_.remove(connection);
    --threads_;
    changed_.notify_all();
  };
  try {
    std::thread([this, connection, forget] {
      serve_connection(*connection);
      forget();
    }).detach();
  } catch (const std::system_error&) {
    forget();
  }
}

/// With the lock held. Above the limit, closes the connection that has been idle, or sending its request, the
/// longest. False if all connections are being answered, or too many threads are still ending.
bool Connections::close_idle() {
  if (open_.size() < bounds_.connections) return threads_ < 2 * bounds_.connections;
  auto oldest = open_.end();
  for (auto at = open_.begin(); at != open_.end(); ++at)
    if ((*at)->state() != Connection::State::answering &&
        (oldest == open_.end() || (*at)->age() > (*oldest)->age()))
      oldest = at;
  if (oldest == open_.end() || threads_ >= 2 * bounds_.connections) return false;
  (*oldest)->end();
  open_.erase(oldest);
  return true;
}

void Connections::serve_connection(Connection& connection) {
  current = &connection;
  try {
    while (!connection.last && connection.wait_for_request()) {
      bool closed = false;  // decided by promise(), which knows what the response says
      if (!process_request(connection, false, closed, nullptr)) break;
      connection.answered();
    }
    if (connection.last) connection.releases_early();
  } catch (...) {  // out of memory for a request: close this connection
  }
  current = nullptr;
}

}  // namespace tailbound::serve
