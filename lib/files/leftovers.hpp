#pragma once

#include <sys/types.h>

#include <mutex>
#include <stop_token>
#include <string>

/// Cleanup when the process ends early: files with temporary names, and child processes.
namespace tailbound::files::leftovers {

/// Prevents creation while another thread ends the process: hold this from before a file or process is
/// created until it has been added.
[[nodiscard]] std::unique_lock<std::timed_mutex> hold();

/// \pre hold() is held
void add_file(const std::string& path);
/// The file has its final name, or is gone.
void forget_file(const std::string& path);

/// A process that may be killed until it is forgotten.
/// \pre hold() is held
void add_process(pid_t process);
/// Waits for the end of the process and forgets it; its status, as waitpid() gives it.
/// \param stop  when requested, the process is killed
int wait_for(pid_t process, const std::stop_token& stop = {});

/// For a process forked to compute: the registered items belong to its parent.
void leave_to_parent();

/// Removes the files and kills the processes; nothing can be added afterwards. Call it last.
void remove_leftovers();

}  // namespace tailbound::files::leftovers
