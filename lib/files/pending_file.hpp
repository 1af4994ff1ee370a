#pragma once

#include <tailbound/files/named_files.hpp>

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

/// Files that appear whole or not at all.
namespace tailbound::files {

/// A file that is written under a temporary name in the folder of its target, and takes the target's name
/// only at commit(). Without commit() nothing is left behind, also where a signal ends the process; what a process that was
/// killed has left is removed by the next that writes there. A link is followed, also to where there is no file yet. A target
/// that is no regular file (a device, a pipe, and /dev/stdout or /dev/fd/N whatever they are) keeps its place
/// and what is in it: commit() writes behind that, as the shell's >> would.
class PendingFile {
 public:
  /// \param option  named in errors: "--output"
  /// \param known   told that the file will be written; none for a file that nobody else can name
  /// \throws InvalidArgument  the folder cannot be written; `path` is a folder, or the file of another option
  PendingFile(std::string path, std::string option, NamedFiles* known = nullptr);
  ~PendingFile();
  PendingFile(PendingFile&&) noexcept;
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;
  PendingFile& operator=(PendingFile&&) = delete;

  void write(std::string_view text);
  /// \throws InvalidArgument  it cannot be written: the disk is full, the pipe closed
  /// \throws Stopped          while the reader of a pipe was waited for
  void commit();

  /// Is the target a device or a pipe, whose other end may have to be waited for?
  [[nodiscard]] bool is_special() const { return special_; }

 private:
  /// A new file for the text, beside the target.
  void make_temporary();
  void remove_temporary();
  /// It has its final name, or is gone.
  void forget_temporary();
  [[noreturn]] void refuse(int reason) const;

  std::string path_, option_, temporary_;
  int temporary_descriptor_ = -1;  ///< open as long as the file is ours, and locked
  bool special_ = false;
  std::optional<int> descriptor_;  ///< that the target stands for
  std::stop_token stop_{};
  std::string text_;  ///< for a special target
};

/// Writes all of the text to a descriptor; 0, or the errno of what went wrong.
/// \param stop  asked for while nobody takes what is written to a pipe, or before, it ends after a second without progress:
///              ECANCELED
[[nodiscard]] int write_all(int descriptor, std::string_view text, const std::stop_token& stop = {});

}  // namespace tailbound::files
