#pragma once

#include <array>
#include <csignal>

/// The signals that ask a process to stop.
namespace tailbound::run {

/// Ctrl-C, kill, a closed terminal, the notice of a batch system before the end of a job (Slurm:
/// --signal=USR1), and a soft limit of processor time (ulimit -t).
inline constexpr std::array stop_signals{SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGXCPU};

/// Those that this process does not ignore, as it ignores SIGHUP after nohup.
[[nodiscard]] inline sigset_t heeded_stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : stop_signals) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) sigaddset(&signals, signal);
  }
  return signals;
}

}  // namespace tailbound::run
