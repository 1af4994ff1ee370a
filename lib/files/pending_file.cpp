#include <tailbound/core/error.hpp>
#include <tailbound/files/leftovers.hpp>
#include <tailbound/files/pending_file.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

/// The descriptor that a path stands for, itself or as what a link points to.
std::optional<int> descriptor_named(std::string path) {
  constexpr int most_links = 40;  // as many as the system follows
  std::error_code error;
  for (int links = 0; links < most_links; ++links) {
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

int reason_or(int otherwise) {
  return errno == 0 ? otherwise : errno;
}

}  // namespace

int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

PendingFile::PendingFile(std::string path, std::string option, NamedFiles* known)
    : path_(std::move(path)), option_(std::move(option)) {
  std::error_code error;
  descriptor_ = descriptor_named(path_);
  if (descriptor_ && !can_be_written(*descriptor_)) refuse(EBADF);
  const fs::file_status status = fs::status(path_, error);
  if (!descriptor_ && fs::is_directory(status)) refuse(EISDIR);
  special_ = descriptor_ || (fs::exists(status) && !fs::is_regular_file(status));
  if (!descriptor_ && known != nullptr) known->writes(path_, option_);
  if (special_) return;
  if (fs::exists(status)) {
    const fs::path target = fs::canonical(path_, error);  // behind a link, the file itself is replaced
    if (!error) path_ = target.string();
  }
  make_temporary();
}

PendingFile::PendingFile(PendingFile&& other) noexcept
    : path_(std::move(other.path_)),
      option_(std::move(other.option_)),
      temporary_(std::exchange(other.temporary_, {})),
      special_(other.special_),
      descriptor_(other.descriptor_),
      text_(std::move(other.text_)) {}

PendingFile::~PendingFile() {
  remove_temporary();
}

void PendingFile::make_temporary() {
  const fs::path target(path_);
  constexpr std::size_t longest_stem = 200;  // a name of 255 bytes is legal, and must remain so
  std::string name =
      (target.parent_path() / target.filename().string().substr(0, longest_stem)).string() + ".XXXXXX";
  {
    const auto held = leftovers::hold();
    errno = 0;
    const int descriptor = mkostemp(name.data(), O_CLOEXEC);
    if (descriptor < 0) refuse(reason_or(EIO));
    try {
      leftovers::add_file(name);
    } catch (...) {  // no memory
      unlink(name.c_str());
      close(descriptor);
      throw;
    }
    temporary_ = std::move(name);
    const mode_t mask = umask(0);
    umask(mask);
    struct stat former {};
    const mode_t mode = stat(path_.c_str(), &former) == 0 ? former.st_mode & 07777 : 0666 & ~mask;
    static_cast<void>(fchmod(descriptor, mode));  // the answer matters more than its permissions
    close(descriptor);
  }
}

void PendingFile::remove_temporary() {
  if (temporary_.empty()) return;
  unlink(temporary_.c_str());
  leftovers::forget_file(temporary_);
  temporary_.clear();
}

void PendingFile::write(std::string_view text) {
  if (special_) {
    text_ = text;
    return;
  }
  const int descriptor = open(temporary_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (descriptor < 0) refuse(errno);
  int failed = write_all(descriptor, text);
  if (close(descriptor) != 0 && failed == 0) failed = errno;
  if (failed != 0) refuse(failed);
}

void PendingFile::commit() {
  if (special_) {
    const int descriptor =
        descriptor_ ? *descriptor_ : open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0) refuse(errno);
    int failed = write_all(descriptor, text_);
    if (!descriptor_ && close(descriptor) != 0 && failed == 0) failed = errno;
    if (failed != 0) refuse(failed);
    return;
  }
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) refuse(errno);
  leftovers::forget_file(temporary_);
  temporary_.clear();
}

void PendingFile::refuse(int reason) const {
  throw InvalidArgument(option_, path_,
                        std::string("a file that can be written (") + std::strerror(reason) + ")");
}

}  // namespace tailbound::files
