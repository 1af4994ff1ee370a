#include <cli/pieces.hpp>
#include <cli/run.hpp>

#include <fcntl.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <iostream>

namespace {

/// Where the shell has closed standard input, output or error ("<&-"), no file that is opened may take its
/// number: what is read or written there must fail.
void keep_closed_descriptors() {
  for (const int descriptor : {0, 1, 2})
    if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
      static_cast<void>(open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY));  // the least free number
}

}  // namespace

int main(int argc, char** argv) {
  keep_closed_descriptors();
  // A pipe that nobody reads and a limit to the size of files are errors like a full disk.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  // Those that cli::run() heeds wait until it does, and no longer end the process once it has answered.
  sigset_t heeded;
  sigemptyset(&heeded);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&heeded, signal);
  pthread_sigmask(SIG_BLOCK, &heeded, nullptr);
  const int status = tailbound::cli::run(argc, argv, std::cout, std::cerr);
  if (tailbound::cli::has_given_up()) std::_Exit(status);
  return status;
}
