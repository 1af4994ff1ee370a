#include <serve/workers/nursery.hpp>
#include <serve/workers/wire.hpp>
#include <serve/workers/worker.hpp>

#include <sys/prctl.h>
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

constexpr std::size_t room_for_one = CMSG_SPACE(sizeof(int));

/// Hands an open descriptor over.
bool send_descriptor(int socket, int descriptor) {
  char byte = 0;
  iovec data{.iov_base = &byte, .iov_len = 1};
  alignas(cmsghdr) char control[room_for_one] = {};
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

/// Nothing where the other side has gone.
std::optional<int> receive_descriptor(int socket) {
  char byte = 0;
  iovec data{.iov_base = &byte, .iov_len = 1};
  alignas(cmsghdr) char control[room_for_one] = {};
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

/// What asks the server to stop is not for these, which end with their wires.
void leave_stops_to_the_server() {
  for (const int signal : {SIGINT, SIGHUP}) std::signal(signal, SIG_IGN);
  std::signal(SIGCHLD, SIG_IGN);  // nobody waits for them
}

[[noreturn]] void raise_processes(int socket, std::size_t memory) {
  leave_stops_to_the_server();
  get_ready();
  while (const std::optional<int> end = receive_descriptor(socket)) {
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(1);
      close(socket);
      work(*end, memory);
    }
    close(*end);  // where there is no child, the server finds the end
  }
  while (waitpid(-1, nullptr, 0) > 0 || errno == EINTR) {  // their wires have been cut
  }
  _exit(0);
}

}  // namespace

Nursery::Nursery(std::size_t memory) {
  const auto [own, other] = socket_pair();
  const pid_t parent = getpid();
  process_ = fork();
  if (process_ < 0) throw std::system_error(errno, std::generic_category(), "cannot begin a process");
  if (process_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    close(own);
    raise_processes(other, memory);
  }
  close(other);
  descriptor_ = own;
}

Nursery::~Nursery() {
  close(descriptor_);
  constexpr auto look = std::chrono::milliseconds(5);
  for (const auto end = Clock::now() + std::chrono::seconds(2); Clock::now() < end;) {
    const pid_t ended = waitpid(process_, nullptr, WNOHANG);
    if (ended == process_ || (ended < 0 && errno != EINTR)) return;
    std::this_thread::sleep_for(look);
  }
  kill(process_, SIGKILL);  // and with it those that do not look at their wires
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

int Nursery::begin_process() {
  const auto [own, other] = socket_pair();
  const bool sent = send_descriptor(descriptor_, other);
  close(other);
  if (sent) return own;
  close(own);
  throw std::system_error(ECHILD, std::generic_category(), "no process can be begun");
}

}  // namespace tailbound::serve
