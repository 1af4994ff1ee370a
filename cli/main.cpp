#include <cli/process/memory.hpp>
#include <cli/process/pieces.hpp>
#include <cli/run.hpp>
#include <tailbound/run/process/stop_signals.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <iostream>
#include <string>
#include <system_error>

namespace {

/// If the shell has closed standard input, output or error ("<&-"), no other file may get its descriptor:
/// reading or writing there must fail.
void keep_closed_descriptors() {
  for (const int descriptor : {0, 1, 2})
    if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
      static_cast<void>(open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY));  // smallest free number
}

/// Set by mpirun for the processes that it starts.
int number_here(std::initializer_list<const char*> names, int otherwise) {
  for (const char* name : names)
    if (const char* value = std::getenv(name)) return std::atoi(value);
  return otherwise;
}

/// The number of ranks of the MPI job of this process.
int ranks_here() {
  return number_here({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}, 1);
}

/// Executes the program next to this one whose name has this ending; returns if it cannot be started, with
/// errno set.
/// \return its file
std::string become(const char* ending, char** argv) {
  std::error_code error;
  std::string program = std::filesystem::read_symlink("/proc/self/exe", error).string() + ending;
  execv(program.c_str(), argv);
  return program;
}

/// Copies started by mpirun do identical work: tailbound-mpi shares it instead. Parts (--part) are meant to
/// be started independently.  \return 2 if it is not available
int start_ranks(int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    if (std::strncmp(argv[i], "--part", 6) == 0) return 0;
  if (ranks_here() < 2) return 0;
  const std::string program = become("-mpi", argv);
  const std::string why = std::strerror(errno);
  if (number_here({"OMPI_COMM_WORLD_RANK", "PMI_RANK"}, 0) == 0)  // only one process reports it
    std::cerr << "tailbound: started on " << ranks_here() << " ranks, which would all do the same work; "
              << program << " shares it, and cannot be started (" << why
              << "): it is built where MPI is found (libopenmpi-dev)\n";
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  keep_closed_descriptors();
  tailbound::cli::exit_when_out_of_memory();
  if (argc > 1 && std::strcmp(argv[1], "serve") == 0) become("-serve", argv);  // or the command reports it
  if (const int status = start_ranks(argc, argv)) return status;
  // A pipe without a reader and a file size limit are errors like a full disk.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  // Signals that cli::run() handles stay blocked until it does, and no longer end the process once it has
  // answered.
  const sigset_t heeded = tailbound::run::heeded_stop_signals();
  pthread_sigmask(SIG_BLOCK, &heeded, nullptr);
  const int status = tailbound::cli::run(argc, argv, std::cout, std::cerr, {.out_descriptor = STDOUT_FILENO});
  if (tailbound::cli::has_given_up()) std::_Exit(status);
  return status;
}
