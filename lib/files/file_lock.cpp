#include <tailbound/core/error.hpp>
#include <tailbound/core/printable.hpp>
#include <tailbound/core/process/this_process.hpp>
#include <tailbound/files/file_lock.hpp>
#include <tailbound/files/leftovers.hpp>
#include <tailbound/files/named_files.hpp>
#include <tailbound/files/pending_file.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <utility>

namespace tailbound::files {
namespace {

/// Of the open file, not of the process: child processes of a stopped run keep it.
bool lock(int descriptor) {
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return fcntl(descriptor, F_OFD_SETLK, &whole) == 0;
}

/// Does the path still lead to the open file? Its last owner may have removed it.
bool is_still(const std::string& path, int descriptor) {
  struct stat named {
  }, opened{};
  return stat(path.c_str(), &named) == 0 && fstat(descriptor, &opened) == 0 &&
         named.st_ino == opened.st_ino && named.st_dev == opened.st_dev;
}

std::string owner_of(int descriptor) {
  std::array<char, 512> text{};
  const ssize_t got = pread(descriptor, text.data(), text.size(), 0);
  return got > 0 ? printable({text.data(), static_cast<std::size_t>(got)}) : "another process";
}

}  // namespace

// Complete from the beginning: the destructor removes the file also if what follows fails.
FileLock::FileLock(const std::string& path, const std::string& option) : FileLock() {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) return;
  std::string name = behind_links(path) + ".lock";
  for (;;) {
    const auto held = leftovers::hold();
    const int descriptor = open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor < 0) return;  // the file itself cannot be written either, as it will say
    if (!lock(descriptor)) {
      const bool taken = errno == EAGAIN || errno == EACCES;
      const std::string owner = owner_of(descriptor);
      close(descriptor);
      if (!taken) return;
      throw InvalidArgument(option, path, "a file that no other process is writing (" + owner + ")");
    }
    if (!is_still(name, descriptor)) {
      close(descriptor);
      continue;
    }
    descriptor_ = descriptor;
    path_.swap(name);
    leftovers::add_file(path_);
    break;
  }
  const ProcessName own = this_process();
  static_cast<void>(!ftruncate(descriptor_, 0));
  static_cast<void>(write_all(descriptor_, "process " + std::to_string(own.process) + " on host " + own.host +
                                               " since " + utc_in_words(seconds_now())));
}

FileLock::FileLock(FileLock&& other) noexcept
    : path_(std::exchange(other.path_, {})), descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock::~FileLock() {
  if (path_.empty()) return;
  unlink(path_.c_str());  // while it is locked: nobody else has a lock on the removed file and believes it
  leftovers::forget_file(path_);
  close(descriptor_);
}

}  // namespace tailbound::files
