#pragma once

#include <sys/types.h>

#include <mutex>
#include <stop_token>
#include <string>

/// What must not stay behind when the process ends in the middle: files under temporary names, and programs
/// it has started.
namespace tailbound::files::leftovers {

/// Nothing is made while another thread ends the process: hold this from before a file or a process is made
/// until it has been added.
[[nodiscard]] std::unique_lock<std::timed_mutex> hold();

/// \pre hold() is held
void add_file(const std::string& path);
/// The file has its final name, or is gone.
void forget_file(const std::string& path);

/// A process that may be killed until it is forgotten.
/// \pre hold() is held
void add_process(pid_t process);
/// Waits for the end of the process and forgets it; its status, as waitpid() gives it.
/// \param stop  asked for, the process is killed
int wait_for(pid_t process, const std::stop_token& stop = {});

/// In a process that was forked to compute: what is known is its parent's.
void leave_to_parent();

/// Removes the files and kills the processes; nothing can be added any more. For the very last moments.
void clear_up();

}  // namespace tailbound::files::leftovers
