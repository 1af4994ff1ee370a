#include <cli/named_files.hpp>
#include <cli/read_file.hpp>
#include <tailbound/core/error.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

namespace tailbound::cli {
namespace {

/// Content of pipes and devices, which can be read only once, and the option that read it.
struct Piped {
  std::string argument, content;
};

std::mutex lock;
std::map<std::string, Piped> piped;
std::stop_token stop_reading;

[[noreturn]] void refuse(std::string_view argument, const std::string& path, int reason) {
  const std::string why = std::generic_category().message(reason);
  throw InvalidArgument(std::string(argument), path, "a file that can be read (" + why + ")");
}

/// An open file, closed at the end.
class Opened {
 public:
  explicit Opened(const std::string& path)
      : own_(path != "-"),
        descriptor_(own_ ? open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY) : STDIN_FILENO) {}
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
  /// Appends at most so many bytes; how many, 0 at the end, below 0 with errno.
  [[nodiscard]] ssize_t append(std::string& content, std::size_t most) const {
    if (!regular()) wait();
    const std::size_t before = content.size();
    content.resize(before + most);
    ssize_t got;
    do got = read(descriptor_, content.data() + before, most);
    while (got < 0 && errno == EINTR);
    content.resize(before + (got > 0 ? static_cast<std::size_t>(got) : 0));
    return got;
  }

 private:
  /// Until something can be read.
  void wait() const {
    constexpr int look = 50;  // milliseconds
    pollfd something{.fd = descriptor_, .events = POLLIN, .revents = 0};
    while (poll(&something, 1, look) == 0)
      if (stop_reading.stop_requested()) throw Stopped("stopped on request");
  }

  bool own_;
  int descriptor_;
};

constexpr std::size_t block = std::size_t{1} << 16;

std::string content_of(const Opened& file, const std::string& path, std::string_view argument,
                       std::size_t limit) {
  std::string content;
  while (const ssize_t got = file.append(content, block)) {
    if (got < 0) refuse(argument, path, errno);
    if (content.size() > limit)
      throw InvalidArgument(std::string(argument), path,
                            "a file of at most " + std::to_string(limit >> 20U) + " MiB");
  }
  return content;
}

}  // namespace

std::string read_file(const std::string& path, std::string_view argument, std::size_t limit) {
  const std::scoped_lock guard(lock);
  if (const auto known = piped.find(path); known != piped.end()) {
    if (known->second.argument == argument) return known->second.content;
    throw InvalidArgument(
        std::string(argument), path,
        "another file than that of " + known->second.argument + ", which can be read only once");
  }
  const Opened file(path);
  if (!file.good()) refuse(argument, path, errno);
  if (path != "-") named_files::reads(path, argument);
  std::string content = content_of(file, path, argument, limit);
  if (!file.regular()) piped[path] = {std::string(argument), content};
  return content;
}

std::string read_head(const std::string& path, std::size_t bytes) {
  const Opened file(path);
  std::string head;
  while (file.good() && head.size() < bytes && file.append(head, std::min(block, bytes - head.size())) > 0) {
  }
  return head;
}

void begin_reading(std::stop_token stop) {
  const std::scoped_lock guard(lock);
  piped.clear();
  stop_reading = std::move(stop);
}

}  // namespace tailbound::cli
