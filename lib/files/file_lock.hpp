#pragma once

#include <string>

/// Files that one process at a time may write.
///
/// TESTS     tests/golden/files_test.cpp
namespace tailbound::files {

/// The lock of a file: a lock of the system (fcntl) on FILE.lock, which exists while a process has it, and
/// says which. Such a lock ends with its process, also that of another machine on NFS: a file that O_EXCL
/// creates would stay, and a job that is started again on another machine could not tell whether its
/// predecessor still runs. Devices and pipes have no lock, and file systems without locks give no protection.
class FileLock {
 public:
  /// \param option  named in errors: "--checkpoint"
  /// \throws InvalidArgument  another process has the lock; its number, host and start are named
  FileLock(const std::string& path, const std::string& option);
  ~FileLock();
  FileLock(FileLock&&) noexcept;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  FileLock& operator=(FileLock&&) = delete;

 private:
  FileLock() = default;

  std::string path_;  ///< of the lock file; empty: no lock
  int descriptor_ = -1;
};

}  // namespace tailbound::files
