#include <cli/named_files.hpp>
#include <tailbound/core/error.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <vector>

namespace tailbound::cli::named_files {
namespace {

namespace fs = std::filesystem;

/// A file on a disk, or one that is not there yet. Devices and terminals may be read and written at once.
struct Identity {
  bool matters = false;
  dev_t device = 0;
  ino_t inode = 0;
  std::string path;  ///< where there is no file

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
  const fs::path whole = fs::weakly_canonical(fs::absolute(path, error), error);
  return {.matters = !error, .path = whole.string()};
}

struct Use {
  std::string path, argument;
  bool written;

  friend bool operator==(const Use&, const Use&) = default;
};

/// A piece of the work may read on another thread than the one that writes.
std::mutex lock;
std::vector<Use> uses;

/// The output is refused, and the other named.
[[noreturn]] void refuse(const Use& use, const Use& other) {
  const Use& output = use.written ? use : other;
  const Use& second = use.written ? other : use;
  throw InvalidArgument(output.argument, output.path,
                        "another file than that of " + second.argument +
                            (second.written ? "" : ", which is read and would be lost"));
}

void add(const std::string& path, std::string_view argument, bool written) {
  const std::scoped_lock guard(lock);
  const Use use{path, std::string(argument), written};
  const Identity file = identity_of(path);
  if (!file.matters || std::find(uses.begin(), uses.end(), use) != uses.end()) return;
  for (const Use& other : uses) {
    if (other.argument == use.argument || (!written && !other.written)) continue;
    if (!(identity_of(other.path) == file)) continue;
    const std::string& reader = written ? other.argument : use.argument;
    const std::string& writer = written ? use.argument : other.argument;
    if (reader != "--resume" || writer != "--checkpoint") refuse(use, other);
  }
  uses.push_back(use);
}

}  // namespace

void begin() {
  const std::scoped_lock guard(lock);
  uses.clear();
}

void reads(const std::string& path, std::string_view argument) {
  add(path, argument, false);
}

void writes(const std::string& path, std::string_view option) {
  add(path, option, true);
}

}  // namespace tailbound::cli::named_files
