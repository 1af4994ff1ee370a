#include <cli/write_file.hpp>
#include <tailbound/core/error.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

namespace tailbound::cli {
namespace fs = std::filesystem;

PendingFile::PendingFile(std::string path, std::string option)
    : path_(std::move(path)), option_(std::move(option)) {
  std::error_code error;
  const fs::file_status status = fs::status(path_, error);
  if (fs::is_directory(status)) {
    errno = EISDIR;
    refuse();
  }
  special_ = fs::exists(status) && !fs::is_regular_file(status);
  if (fs::exists(status) && !special_) {
    const fs::path target = fs::canonical(path_, error);  // behind a link, the file itself is replaced
    if (!error) path_ = target.string();
  }
  temporary_ = (special_ ? fs::temp_directory_path() / "tailbound" : fs::path(path_)).string() + ".XXXXXX";
  const std::string ending = fs::path(path_).extension().string();
  temporary_ += ending;  // programs that write the file may look at it
  const int descriptor = mkstemps(temporary_.data(), static_cast<int>(ending.size()));
  if (descriptor < 0) {
    temporary_.clear();
    refuse();
  }
  const mode_t mask = umask(0);
  umask(mask);
  struct stat former {};
  const mode_t mode = stat(path_.c_str(), &former) == 0 && !special_ ? former.st_mode & 07777 : 0666 & ~mask;
  if (fchmod(descriptor, mode) != 0) errno = 0;  // the answer matters more than its permissions
  close(descriptor);
}

PendingFile::PendingFile(PendingFile&& other) noexcept
    : path_(std::move(other.path_)),
      option_(std::move(other.option_)),
      temporary_(std::exchange(other.temporary_, {})),
      special_(other.special_) {}

PendingFile::~PendingFile() {
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void PendingFile::write(std::string_view text) {
  std::ofstream file(temporary_, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file) refuse();
}

void PendingFile::commit() {
  if (special_) {
    std::ifstream from(temporary_, std::ios::binary);
    std::ofstream to(path_, std::ios::binary);
    if (from.peek() != std::ifstream::traits_type::eof()) to << from.rdbuf();
    to.close();
    if (!to) refuse();
    return;
  }
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) refuse();
  temporary_.clear();
}

void PendingFile::refuse() const {
  const int reason = errno;
  throw InvalidArgument(option_, path_,
                        std::string("a file that can be written (") +
                            (reason == 0 ? "writing failed" : std::strerror(reason)) + ")");
}

}  // namespace tailbound::cli
