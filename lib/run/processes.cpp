#include <tailbound/run/processes.hpp>
#include <tailbound/run/threads.hpp>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <system_error>
#include <utility>

namespace tailbound::run {
namespace {

/// Messages over a stream: each with its length before it.
class Stream {
 public:
  explicit Stream(int descriptor) : descriptor_(descriptor) {}
  ~Stream() { close(descriptor_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] bool ended() const { return ended_; }

  /// Waits until all is written. Nothing where the other side has gone: its end is seen by take().
  void send(const Message& message) {
    const std::string bytes = encoded(message);
    const std::uint64_t length = bytes.size();
    std::string frame(reinterpret_cast<const char*>(&length), sizeof length);
    frame += bytes;
    for (std::string_view rest = frame; !rest.empty();) {
      const ssize_t written = ::send(descriptor_, rest.data(), rest.size(), MSG_NOSIGNAL);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return;
      rest.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  /// A message that has come whole, without waiting.
  [[nodiscard]] std::optional<Message> take() {
    if (!whole()) read_on();
    if (!whole()) return {};
    Message message = decoded(std::string_view(come_).substr(read_ + sizeof(std::uint64_t), length()));
    read_ += sizeof(std::uint64_t) + length();
    if (read_ == come_.size()) {
      come_.clear();
      read_ = 0;
    }
    return message;
  }

 private:
  [[nodiscard]] std::uint64_t length() const {
    std::uint64_t value;
    std::memcpy(&value, come_.data() + read_, sizeof value);
    return value;
  }
  [[nodiscard]] bool whole() const {
    const std::size_t there = come_.size() - read_;
    return there >= sizeof(std::uint64_t) && there - sizeof(std::uint64_t) >= length();
  }
  void read_on() {
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

  int descriptor_;
  std::string come_;
  std::size_t read_ = 0;  ///< of what has come
  bool ended_ = false;
};

class ChildWire final : public Wire {
 public:
  explicit ChildWire(Stream& stream) : stream_(stream) {}
  [[nodiscard]] std::optional<Message> take() override {
    if (auto message = stream_.take()) return message;
    if (stream_.ended()) return Message{.kind = Message::Kind::leave};
    return {};
  }
  void send(const Message& message) override { stream_.send(message); }
  void rest() override {
    pollfd something{.fd = stream_.descriptor(), .events = POLLIN, .revents = 0};
    poll(&something, 1, 100);
  }
  [[nodiscard]] std::chrono::microseconds patience() override { return std::chrono::milliseconds(10); }

 private:
  Stream& stream_;
};

/// What asks the parent to stop is not for the child, which is told, or killed.
void ignore_stops() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_IGN);
}

}  // namespace

class ProcessHands::Child {
 public:
  Child(const Job& job, const std::vector<std::unique_ptr<Child>>& elder) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail();
    const pid_t parent = getpid();
    id_ = fork();
    if (id_ < 0) {
      close(ends[0]);
      close(ends[1]);
      fail();
    }
    if (id_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(1);  // ended before that
      ignore_stops();
      close(ends[0]);
      for (const auto& other : elder) close(other->stream_->descriptor());
      work(job, ends[1]);
    }
    close(ends[1]);
    stream_ = std::make_unique<Stream>(ends[0]);
  }
  ~Child() {
    if (alive_) kill(id_, SIGKILL);
    static_cast<void>(wait());
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  [[nodiscard]] Stream& stream() { return *stream_; }

  /// Why it is no more there.
  [[nodiscard]] std::string last_words() {
    const int status = wait();
    if (WIFSIGNALED(status))
      return "a process that computed was ended by signal " + std::to_string(WTERMSIG(status));
    return "a process that computed has ended with status " + std::to_string(WEXITSTATUS(status));
  }
  /// It then ends by itself (work()).
  [[nodiscard]] bool had_no_memory() {
    const int status = wait();
    return WIFEXITED(status) && WEXITSTATUS(status) == 1;
  }

 private:
  [[noreturn]] static void fail() {
    throw std::system_error(errno, std::generic_category(), "cannot begin a process");
  }

  [[noreturn]] static void work(const Job& job, int end) {
    int status = 0;
    try {
      Stream stream(end);
      ChildWire wire(stream);
      bool busy = false;
      serve(job, wire, busy);
    } catch (...) {  // no thread, no memory: the parent sees the end
      status = 1;
    }
    _exit(status);
  }

  int wait() {
    while (alive_) {
      int status = 0;
      const pid_t ended = waitpid(id_, &status, 0);
      if (ended < 0 && errno == EINTR) continue;
      alive_ = false;
      if (ended == id_) status_ = status;
    }
    return status_;
  }

  pid_t id_ = 0;
  std::unique_ptr<Stream> stream_;
  bool alive_ = true;
  int status_ = 0;
};

ProcessHands::ProcessHands(const Job& job, std::size_t processes) {
  for (std::size_t i = 0; i < processes; ++i) children_.push_back(std::make_unique<Child>(job, children_));
}
ProcessHands::~ProcessHands() = default;

std::size_t ProcessHands::count() const {
  return children_.size();
}

void ProcessHands::send(std::size_t hand, const Message& message) {
  if (children_[hand] != nullptr) children_[hand]->stream().send(message);
}

std::optional<Hands::Said> ProcessHands::receive(Clock::time_point until) {
  for (;;) {
    for (std::size_t looked = 0; looked < children_.size(); ++looked) {
      const std::size_t hand = next_ = (next_ + 1) % children_.size();
      if (children_[hand] == nullptr) continue;
      if (auto message = children_[hand]->stream().take()) return Said{hand, std::move(*message)};
      if (!children_[hand]->stream().ended()) continue;
      Message gone{.kind = Message::Kind::gone, .bytes = children_[hand]->last_words()};
      if (children_[hand]->had_no_memory()) gone.failure = std::make_exception_ptr(std::bad_alloc());
      children_[hand].reset();
      return Said{hand, std::move(gone)};
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0) return {};
    std::vector<pollfd> looks;
    for (const auto& child : children_)
      if (child != nullptr)
        looks.push_back({.fd = child->stream().descriptor(), .events = POLLIN, .revents = 0});
    poll(looks.data(), looks.size(), static_cast<int>(std::min<std::int64_t>(left, 1000)));
  }
}

bool ProcessHands::abandon() {
  for (auto& child : children_) child.reset();
  return true;
}

Processes::Processes(int processes) : processes_(processes) {
  if (processes < 1 || processes > 1024)
    throw InvalidArgument("processes", std::to_string(processes), "from 1 to 1024");
}

Outcome Processes::carry_out(const Job& job, const Controls& controls, std::vector<Piece> begun) {
  if (on_hand()) return Threads(1).carry_out(job, controls, std::move(begun));
  const auto left = static_cast<std::size_t>(
      std::count_if(begun.begin(), begun.end(), [](const Piece& piece) { return !piece.finished; }));
  const std::size_t processes =
      std::clamp<std::size_t>(begun.empty() ? job.pieces : left, 1, static_cast<std::size_t>(processes_));
  ProcessHands hands(job, processes);
  return deal(job, controls, std::move(begun), hands,
              {.kind = Crew::Kind::processes, .count = static_cast<int>(processes)});
}

}  // namespace tailbound::run
