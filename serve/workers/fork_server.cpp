#include <serve/workers/fork_server.hpp>
#include <serve/workers/worker.hpp>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <map>
#include <optional>
#include <system_error>
#include <thread>

namespace tailbound::serve {
namespace {

/// Pause between restarts of a killed fork server.
constexpr auto between_restarts = std::chrono::milliseconds(100);
/// The worker's ends of its stream and of the report of its end.
using Descriptors = std::array<int, 2>;
constexpr std::size_t space_for_both = CMSG_SPACE(sizeof(Descriptors));

/// Sends open descriptors to the peer.
bool send_descriptors(int socket, const Descriptors& descriptors) {
  char byte = 0;
  iovec data{.iov_base = &byte, .iov_len = 1};
  alignas(cmsghdr) char control[space_for_both] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof descriptors);
  std::memcpy(CMSG_DATA(header), descriptors.data(), sizeof descriptors);
  ssize_t sent;
  do sent = sendmsg(socket, &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent == 1;
}

/// Nothing if the peer is gone.
std::optional<Descriptors> receive_descriptors(int socket) {
  char byte = 0;
  iovec data{.iov_base = &byte, .iov_len = 1};
  alignas(cmsghdr) char control[space_for_both] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t got;
  do got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  const cmsghdr* header = got == 1 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS ||
      header->cmsg_len != CMSG_LEN(sizeof(Descriptors)))
    return {};
  Descriptors descriptors;
  std::memcpy(descriptors.data(), CMSG_DATA(header), sizeof descriptors);
  return descriptors;
}

/// The running workers, whose ends are reported.
class Children {
 public:
  void add(pid_t child, int report) { reports_[child] = report; }

  /// Reports those that have ended.
  void reap() {
    int status = 0;
    for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;)
      if (const auto known = reports_.find(ended); known != reports_.end()) {
        static_cast<void>(!write(known->second, &status, sizeof status));
        close(known->second);
        reports_.erase(known);
      }
  }
  void close_all() const {
    for (const auto& [child, report] : reports_) close(report);
  }

 private:
  std::map<pid_t, int> reports_;
};

int run_fork_server(int socket, std::size_t memory) {
  // The end of a child is noticed while a message is waited for, and only then.
  std::signal(SIGCHLD, [](int) {});
  sigset_t others, of_children;
  sigemptyset(&of_children);
  sigaddset(&of_children, SIGCHLD);
  pthread_sigmask(SIG_BLOCK, &of_children, &others);
  prepare();
  Children children;
  for (;;) {
    children.reap();
    pollfd look{.fd = socket, .events = POLLIN, .revents = 0};
    if (ppoll(&look, 1, nullptr, &others) < 0) continue;
    const std::optional<Descriptors> ends = receive_descriptors(socket);
    if (!ends) break;
    const auto [stream, report] = *ends;
    try {
      const pid_t child = run::begin_process([&, stream = stream, report = report]() -> int {
        close(socket);
        close(report);
        children.close_all();
        pthread_sigmask(SIG_SETMASK, &others, nullptr);
        work(stream, memory);
      });
      children.add(child, report);
    } catch (const std::system_error&) {  // the server sees the stream end
      close(report);
    }
    close(stream);
  }
  while (waitpid(-1, nullptr, 0) > 0 || errno == EINTR) {  // their streams are closed
  }
  return 0;
}

/// Runs the fork server, and restarts it if it is killed. Both use the same stream to the server.
int supervise(int socket, std::size_t memory) {
  for (;;) {
    const pid_t server = run::begin_process([&] { return run_fork_server(socket, memory); });
    int status = 0;
    while (waitpid(server, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    std::this_thread::sleep_for(between_restarts);
  }
}

}  // namespace

ForkServer::ForkServer(std::size_t memory)
    : process_([memory](run::FramedStream& server) { return supervise(server.descriptor(), memory); }) {}

ForkServer::~ForkServer() {
  process_.end_within(std::chrono::seconds(2));  // also ends workers that do not watch their streams
}

ForkServer::Ends ForkServer::begin_process() {
  const auto [own, other] = run::connected_sockets();
  std::array<int, 2> report{};
  bool sent = false;
  if (pipe2(report.data(), O_CLOEXEC) == 0) {
    sent = send_descriptors(process_.stream().descriptor(), {other, report[1]});
    close(report[1]);
    if (!sent) close(report[0]);
  }
  close(other);
  if (sent) return {.stream = own, .report = report[0]};
  close(own);
  throw std::system_error(ECHILD, std::generic_category(), "cannot start a process");
}

}  // namespace tailbound::serve
