#include <tailbound/core/error.hpp>
#include <tailbound/files/named_files.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace tailbound::files {
namespace {

namespace fs = std::filesystem;

/// A file on a disk, or one that does not exist yet. Devices and terminals may be read and written at the
/// same time.
struct Identity {
  bool matters = false;
  dev_t device = 0;
  ino_t inode = 0;
  std::string path;  ///< if there is no file

  friend bool operator==(const Identity&, const Identity&) = default;
};

Identity identity_of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) == 0)
    return {.matters = S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode),
            .device = status.st_dev,
            .inode = status.st_ino,
            .path = {}};
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(fs::absolute(behind_links(path), error), error);
  return {.matters = !error, .path = whole.string()};
}

[[noreturn]] void reject_reading(std::string_view argument, const std::string& path, int reason) {
  const std::string why = std::generic_category().message(reason);
  throw InvalidArgument(std::string(argument), path, "a file that can be read (" + why + ")");
}

/// An open file, closed at the end.
class Opened {
 public:
  Opened(const std::string& path, const std::stop_token& stop)
      : stop_(stop),
        own_(path != "-"),
        // Waiting for a named pipe must be interruptible, so it happens in wait(), not in open().
        descriptor_(own_ ? open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : STDIN_FILENO) {}
  ~Opened() {
    if (own_ && descriptor_ >= 0) close(descriptor_);
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  [[nodiscard]] bool good() const { return descriptor_ >= 0; }
  [[nodiscard]] bool regular() const {
    struct stat status {};
    return own_ && fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
  }
  /// Appends at most `limit` bytes. Returns their number, 0 at the end, negative with errno.
  [[nodiscard]] ssize_t append(std::string& content, std::size_t maximum) const {
    const std::size_t before = content.size();
    content.resize(before + maximum);
    ssize_t got;
    do {
      if (!regular()) wait();
      got = read(descriptor_, content.data() + before, maximum);
    } while (got < 0 && (errno == EINTR || errno == EAGAIN));
    content.resize(before + (got > 0 ? static_cast<std::size_t>(got) : 0));
    return got;
  }

 private:
  /// Waits until data can be read.
  void wait() const {
    constexpr int look = 50;  // milliseconds
    pollfd something{.fd = descriptor_, .events = POLLIN, .revents = 0};
    while (poll(&something, 1, look) == 0)
      if (stop_.stop_requested()) throw Stopped("stopped on request");
  }

  const std::stop_token& stop_;
  bool own_;
  int descriptor_;
};

constexpr std::size_t block = std::size_t{1} << 16;
/// Size limit of input whose length is not known in advance, for any limit on files.
constexpr std::size_t largest_piped = std::size_t{1} << 30;

std::atomic<bool> confined = false;

[[noreturn]] void reject_length(std::string_view argument, const std::string& path, std::size_t limit) {
  throw InvalidArgument(std::string(argument), path,
                        "a file of at most " + std::to_string(limit >> 20U) + " MiB");
}

std::string content_of(const Opened& file, const std::string& path, std::string_view argument,
                       std::size_t limit) {
  if (!file.regular()) limit = std::min(limit, largest_piped);
  std::string content;
  while (const ssize_t got = file.append(content, block)) {
    if (got < 0) reject_reading(argument, path, errno);
    if (content.size() > limit) reject_length(argument, path, limit);
  }
  return content;
}

}  // namespace

std::string behind_links(std::string path) {
  constexpr int max_links = 40;  // as many as the system follows
  for (int links = 0; links < max_links; ++links) {
    std::error_code error;
    const fs::path target = fs::read_symlink(path, error);
    if (error) break;
    path =
        (target.is_absolute() ? target : fs::path(path).parent_path() / target).lexically_normal().string();
  }
  return path;
}

NamedFiles::NamedFiles(std::stop_token stop) : stop_(std::move(stop)) {}

std::string NamedFiles::read(const std::string& path, std::string_view argument, std::size_t limit) {
  const std::scoped_lock guard(lock_);
  if (const auto given = given_.find(path); given != given_.end()) return given->second;
  if (const auto known = piped_.find(path); known != piped_.end()) {
    if (known->second.argument == argument) return known->second.content;
    throw InvalidArgument(
        std::string(argument), path,
        "another file than that of " + known->second.argument + ", which can be read only once");
  }
  if (confined) throw InvalidArgument(std::string(argument), path, "a file that was handed over");
  const Opened file(path, stop_);
  if (!file.good()) reject_reading(argument, path, errno);
  if (path != "-") add(path, argument, Access::read);
  std::string content = content_of(file, path, argument, limit);
  if (!file.regular()) piped_[path] = {std::string(argument), content};
  if (remembers_ && argument != "--resume") remembered_[path] = content;
  return content;
}

void NamedFiles::read_pieces(const std::string& path, std::string_view argument, std::size_t limit,
                             const std::function<void(std::string_view bytes)>& take) {
  const auto is_kept = [&] {
    const std::scoped_lock guard(lock_);
    return remembers_ || confined || given_.contains(path) || piped_.contains(path);
  };
  if (is_kept()) return take(read(path, argument, limit));
  const Opened file(path, stop_);
  if (!file.good()) reject_reading(argument, path, errno);
  if (!file.regular()) return take(read(path, argument, limit));
  {
    const std::scoped_lock guard(lock_);
    add(path, argument, Access::read);
  }
  std::string piece;
  std::size_t size = 0;
  while (const ssize_t got = file.append(piece, block)) {
    if (got < 0) reject_reading(argument, path, errno);
    if ((size += piece.size()) > limit) reject_length(argument, path, limit);
    take(piece);
    piece.clear();
  }
}

std::vector<std::string> NamedFiles::paths() {
  const std::scoped_lock guard(lock_);
  std::vector<std::string> all;
  for (const Use& use : uses_) all.push_back(use.path);
  return all;
}

void NamedFiles::remember() {
  const std::scoped_lock guard(lock_);
  remembers_ = true;
}

std::map<std::string, std::string> NamedFiles::remembered() {
  const std::scoped_lock guard(lock_);
  return remembered_;
}

void NamedFiles::give(const std::string& path, std::string content) {
  const std::scoped_lock guard(lock_);
  given_[path] = std::move(content);
}

void NamedFiles::confine() {
  confined = true;
}

std::string NamedFiles::head(const std::string& path, std::size_t bytes) const {
  if (confined) return {};
  const Opened file(path, stop_);
  std::string head;
  while (file.good() && head.size() < bytes && file.append(head, std::min(block, bytes - head.size())) > 0) {
  }
  return head;
}

void NamedFiles::writes(const std::string& path, std::string_view option) {
  if (confined) throw InvalidArgument(std::string(option), path, "omitted: no files are written here");
  const std::scoped_lock guard(lock_);
  add(path, option, Access::written);
}

void NamedFiles::keeps(const std::string& path, std::string_view option) {
  if (confined) throw InvalidArgument(std::string(option), path, "omitted: no files are written here");
  const std::scoped_lock guard(lock_);
  add(path, option, Access::kept);
}

/// Rejects the written file and names the other use.
void NamedFiles::reject(const Use& use, const Use& other) {
  const bool first = use.access == Access::written || other.access == Access::read;
  const Use& output = first ? use : other;
  const Use& second = first ? other : use;
  throw InvalidArgument(output.argument, output.path,
                        "another file than that of " + second.argument +
                            (second.access == Access::read   ? ", which is read and would be lost"
                             : second.access == Access::kept ? ", which is kept and would be lost"
                                                             : ""));
}

void NamedFiles::add(const std::string& path, std::string_view argument, Access access) {
  const Use use{path, std::string(argument), access};
  const Identity file = identity_of(path);
  if (!file.matters || std::find(uses_.begin(), uses_.end(), use) != uses_.end()) return;
  for (const Use& other : uses_) {
    if (other.argument == use.argument || (access == Access::read && other.access == Access::read)) continue;
    if (!(identity_of(other.path) == file)) continue;
    const std::string& reader = access == Access::written ? other.argument : use.argument;
    const std::string& writer = access == Access::written ? use.argument : other.argument;
    if (reader != "--resume" || writer != "--checkpoint") reject(use, other);
  }
  uses_.push_back(use);
}

}  // namespace tailbound::files
