#include <tailbound/core/unwritable.hpp>
#include <tailbound/files/leftovers.hpp>
#include <tailbound/files/pending_file.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <system_error>
#include <utility>

namespace tailbound::files {
namespace fs = std::filesystem;

namespace {

/// N of "/dev/fd/N" and its other names.
std::optional<int> descriptor_of(const std::string& path) {
  if (path == "/dev/stdin") return STDIN_FILENO;
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string& folder : {std::string("/dev/fd/"), std::string("/proc/self/fd/"),
                                    "/proc/" + std::to_string(getpid()) + "/fd/"}) {
    if (path.rfind(folder, 0) != 0) continue;
    int number = -1;
    const char* end = path.data() + path.size();
    const auto [last, error] = std::from_chars(path.data() + folder.size(), end, number);
    if (error == std::errc() && last == end && number >= 0) return number;
  }
  return {};
}

/// The descriptor that a path refers to, directly or through a link.
std::optional<int> descriptor_named(std::string path) {
  constexpr int max_links = 40;  // as many as the system follows
  std::error_code error;
  for (int links = 0; links < max_links; ++links) {
    if (const auto number = descriptor_of(path)) return number;
    const fs::path target = fs::read_symlink(path, error);
    if (error) return {};
    path =
        (target.is_absolute() ? target : fs::path(path).parent_path() / target).lexically_normal().string();
  }
  return {};
}

bool can_be_written(int descriptor) {
  const int flags = fcntl(descriptor, F_GETFL);
  return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

using Clock = std::chrono::steady_clock;

/// After a stop request, while nothing reads the output.
constexpr auto timeout = std::chrono::seconds(1);
constexpr int look = 50;  ///< interval of checks for a stop request [ms]

/// Whether write() would return at once; waits briefly.
bool may_write(int descriptor) {
  pollfd other{.fd = descriptor, .events = POLLOUT, .revents = 0};
  return poll(&other, 1, look) != 0;
}

/// A named pipe opens when it has a reader.
int open_special(const std::string& path, const std::stop_token& stop) {
  for (;;) {
    const int descriptor = open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (descriptor >= 0 || errno != ENXIO) return descriptor;
    if (stop.stop_requested()) {
      errno = ECANCELED;
      return -1;
    }
    poll(nullptr, 0, look);
  }
}

/// Suffix of the target's name, followed by random characters.
constexpr std::string_view mark = ".tailbound-";
constexpr std::size_t drawn_letters = 6;

/// Removes files left by killed processes: not locked, and too old for a process about to lock them.
void remove_abandoned(const std::string& stem) {
  constexpr time_t settled = 10;  // seconds
  std::error_code error;
  const fs::path folder = fs::path(stem).parent_path();
  const std::string begin = fs::path(stem).filename().string();
  for (fs::directory_iterator entry(folder.empty() ? "." : folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.size() != begin.size() + drawn_letters || name.compare(0, begin.size(), begin) != 0) continue;
    const int descriptor = open(entry->path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0) continue;
    struct stat status {};
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
        time(nullptr) - status.st_mtime > settled && flock(descriptor, LOCK_EX | LOCK_NB) == 0)
      unlink(entry->path().c_str());
    close(descriptor);
  }
}

int reason_or(int otherwise) {
  return errno == 0 ? otherwise : errno;
}

}  // namespace

int write_all(int descriptor, std::string_view text, const std::stop_token& stop) {
  struct stat status {};
  const bool waits = fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode);
  Clock::time_point progress = Clock::now();
  while (!text.empty()) {
    if (waits && !may_write(descriptor)) {
      if (stop.stop_requested() && Clock::now() - progress > timeout) return ECANCELED;
      continue;
    }
    // A writable pipe accepts at least this much at once.
    const ssize_t written =
        ::write(descriptor, text.data(), waits ? std::min<std::size_t>(text.size(), PIPE_BUF) : text.size());
    if (written < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
    progress = Clock::now();
  }
  return 0;
}

void reject_output(const std::string& output, const std::string& reader, int reason) {
  if (reason == ECANCELED) throw Stopped("stopped on request; nothing was reading from " + reader);
  if (reason == EPIPE) throw Stopped("the reader of " + reader + " has gone");
  throw Unwritable(output, reason == 0 ? "writing failed" : std::strerror(reason));
}

PendingFile::PendingFile(std::string path, std::string option, NamedFiles* known)
    : path_(std::move(path)),
      option_(std::move(option)),
      stop_(known != nullptr ? known->stop() : std::stop_token()) {
  std::error_code error;
  descriptor_ = descriptor_named(path_);
  if (descriptor_ && !can_be_written(*descriptor_)) reject(EBADF);
  const fs::file_status status = fs::status(path_, error);
  if (!descriptor_ && fs::is_directory(status)) reject(EISDIR);
  special_ = descriptor_ || (fs::exists(status) && !fs::is_regular_file(status));
  if (!descriptor_ && known != nullptr) known->writes(path_, option_);
  if (special_) return;
  path_ = behind_links(path_);  // the file itself is replaced
  make_temporary();
}

PendingFile::PendingFile(PendingFile&& other) noexcept
    : path_(std::move(other.path_)),
      option_(std::move(other.option_)),
      temporary_(std::exchange(other.temporary_, {})),
      temporary_descriptor_(std::exchange(other.temporary_descriptor_, -1)),
      special_(other.special_),
      descriptor_(other.descriptor_),
      stop_(std::move(other.stop_)),
      text_(std::move(other.text_)) {}

PendingFile::~PendingFile() {
  remove_temporary();
}

void PendingFile::make_temporary() {
  const fs::path target(path_);
  constexpr std::size_t longest_stem = 200;  // a name of 255 bytes is legal, and must remain so
  const std::string stem =
      (target.parent_path() / target.filename().string().substr(0, longest_stem)).string() +
      std::string(mark);
  struct stat former {};
  if (lstat(path_.c_str(), &former) != 0 && errno == ENAMETOOLONG) reject(errno);
  remove_abandoned(stem);
  std::string name = stem + std::string(drawn_letters, 'X');
  {
    const auto held = leftovers::hold();
    errno = 0;
    const int descriptor = mkostemp(name.data(), O_CLOEXEC);
    if (descriptor < 0) reject(reason_or(EIO));
    try {
      leftovers::add_file(name);
    } catch (...) {  // out of memory
      unlink(name.c_str());
      close(descriptor);
      throw;
    }
    temporary_ = std::move(name);
    const mode_t mask = umask(0);
    umask(mask);
    const mode_t mode = stat(path_.c_str(), &former) == 0 ? former.st_mode & 07777 : 0666 & ~mask;
    static_cast<void>(fchmod(descriptor, mode));  // the result matters more than its permissions
    static_cast<void>(flock(descriptor, LOCK_EX | LOCK_NB));
    temporary_descriptor_ = descriptor;
  }
}

void PendingFile::remove_temporary() {
  if (temporary_.empty()) return;
  unlink(temporary_.c_str());
  forget_temporary();
}

void PendingFile::forget_temporary() {
  leftovers::forget_file(temporary_);
  temporary_.clear();
  if (temporary_descriptor_ >= 0) close(temporary_descriptor_);
  temporary_descriptor_ = -1;
}

void PendingFile::write(std::string_view text) {
  if (special_) {
    text_ = text;
    return;
  }
  if (ftruncate(temporary_descriptor_, 0) != 0) reject(errno);
  lseek(temporary_descriptor_, 0, SEEK_SET);
  int failed = write_all(temporary_descriptor_, text);
  // Some disks report only at close that they are full.
  if (const int twin = dup(temporary_descriptor_); twin >= 0 && close(twin) != 0 && failed == 0)
    failed = errno;
  if (failed != 0) reject(failed);
}

void PendingFile::commit() {
  if (special_) {
    const int descriptor = descriptor_ ? *descriptor_ : open_special(path_, stop_);
    if (descriptor < 0) reject(errno);
    int failed = write_all(descriptor, text_, stop_);
    if (!descriptor_ && close(descriptor) != 0 && failed == 0) failed = errno;
    if (failed != 0) reject(failed);
    return;
  }
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) reject(errno);
  forget_temporary();
}

void PendingFile::reject(int reason) const {
  reject_output(option_ + " " + path_, path_, reason);
}

}  // namespace tailbound::files
