#include <cli/process/memory.hpp>
#include <cli/run.hpp>
#include <mpi/ranks.hpp>
#include <tailbound/run/process/stop_signals.hpp>

#include <fmt/format.h>
#include <mpi.h>
#include <signal.h>

#include <chrono>
#include <csignal>
#include <iostream>
#include <sstream>
#include <string>

/// `tailbound` on the ranks of MPI: mpirun -n 64 tailbound-mpi simulate tree ...
namespace {

using tailbound::mpi::Ranks;

/// A line every ten seconds, for logs: mpirun gives ranks no terminal.
class ProgressLines {
 public:
  explicit ProgressLines(int ranks) : ranks_(ranks) {}
  void tell(double done, double left) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::seconds(10)) return;
    last_ = now;
    std::cerr << fmt::format("tailbound: {:.1f} % on {} ranks{}\n", 100 * done, ranks_,
                             left > 0 ? fmt::format(", {:.0f} s left", left) : "")
              << std::flush;
  }

 private:
  int ranks_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace

int main(int argc, char** argv) {
  // For all threads started from here on, including those of MPI: cli::run() waits for the signals.
  const sigset_t heeded = tailbound::run::heeded_stop_signals();
  pthread_sigmask(SIG_BLOCK, &heeded, nullptr);
  tailbound::cli::exit_when_out_of_memory();
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  int status;
  {
    Ranks ranks;
    // Rank 0 receives stop requests, and stops the others. mpirun forwards SIGUSR1 and continues; for other
    // signals it soon kills the ranks.
    if (!ranks.leads())
      for (const int signal : tailbound::run::stop_signals) std::signal(signal, SIG_IGN);
    ProgressLines lines(ranks.count());
    tailbound::cli::Engine engine{.executor = &ranks, .writes = ranks.leads(), .progress = {}};
    if (ranks.leads()) engine.progress = [&lines](double done, double left) { lines.tell(done, left); };
    std::ostringstream nowhere, errors;
    status = tailbound::cli::run(argc, argv, ranks.leads() ? std::cout : nowhere,
                                 ranks.leads() ? std::cerr : errors, engine);
    ranks.end(errors.str());
    if (!ranks.leads()) status = 0;
  }
  std::cout << std::flush;
  MPI_Finalize();
  return status;
}
