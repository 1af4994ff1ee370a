#include <serve/workers/fork_server.hpp>
#include <serve/workers/worker.hpp>

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <system_error>
#include <thread>

namespace tailbound::serve {
namespace {

/// Pause between restarts of a killed fork server.
constexpr auto between_restarts = std::chrono::milliseconds(100);
constexpr std::size_t space_for_one = CMSG_SPACE(sizeof(int));

/// Sends an open descriptor to the peer.
bool send_descriptor(int socket, int descriptor) {
  char byte = 0;
  iovec data{.iov_base = &byte, .iov_len = 1};
  alignas(cmsghdr) char control[space_for_one] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof descriptor);
  std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  ssize_t sent;
  do sent = sendmsg(socket, &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent == 1;
}

/// Nothing if the peer is gone.
std::optional<int> receive_descriptor(int socket) {
  char byte = 0;
  iovec data{.iov_base = &byte, .iov_len = 1};
  alignas(cmsghdr) char control[space_for_one] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t got;
  do got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  const cmsghdr* header = got == 1 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS) return {};
  int descriptor;
  std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
  return descriptor;
}

int run_fork_server(int socket, std::size_t memory) {
  std::signal(SIGCHLD, SIG_IGN);  // children are not waited for
  prepare();
  while (const std::optional<int> end = receive_descriptor(socket)) {
    try {
      run::begin_process([&]() -> int {
        close(socket);
        work(*end, memory);
      });
    } catch (const std::system_error&) {  // the server sees the stream end
    }
    close(*end);
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

int ForkServer::begin_process() {
  const auto [own, other] = run::connected_sockets();
  const bool sent = send_descriptor(process_.stream().descriptor(), other);
  close(other);
  if (sent) return own;
  close(own);
  throw std::system_error(ECHILD, std::generic_category(), "cannot start a process");
}

}  // namespace tailbound::serve
