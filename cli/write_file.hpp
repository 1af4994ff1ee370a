#pragma once

#include <string>
#include <string_view>

/// Files that appear whole or not at all.
namespace tailbound::cli {

/// A file that is written under a temporary name in the folder of its target, and takes the target's name
/// only at commit(). Without commit() nothing is left behind. A target that is no regular file (a device, a
/// pipe) keeps its place: commit() writes into it.
class PendingFile {
 public:
  /// \param option  named in errors: "--output"
  /// \throws InvalidArgument  the folder cannot be written, or `path` is a folder
  PendingFile(std::string path, std::string option);
  ~PendingFile();
  PendingFile(PendingFile&&) noexcept;
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;
  PendingFile& operator=(PendingFile&&) = delete;

  /// Where to write until commit(); has the ending of the target.
  [[nodiscard]] const std::string& temporary() const noexcept { return temporary_; }
  void write(std::string_view text);
  void commit();

 private:
  [[noreturn]] void refuse() const;

  std::string path_, option_, temporary_;
  bool special_ = false;
};

}  // namespace tailbound::cli
