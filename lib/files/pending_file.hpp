#pragma once

#include <tailbound/files/named_files.hpp>

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

/// Files that appear complete or not at all.
namespace tailbound::files {

/// A file written under a temporary name in the directory of its target and renamed to it by commit().
/// Without commit() nothing remains, even if a signal ends the process. Remains of a killed process are
/// removed by the next one that writes there. Symbolic links are followed, also to a file that does not exist
/// yet. A target that is not a regular file (a device, a pipe, any /dev/stdout or /dev/fd/N) is kept with its
/// content: commit() appends to it, as the shell's >> would.
class PendingFile {
 public:
  /// \param option  named in errors: "--output"
  /// \param known   notified that the file will be written; none for a file that no other option can name
  /// \throws Unwritable       the directory is missing or not writable; `path` is a directory
  /// \throws InvalidArgument  it is the file of another option
  PendingFile(std::string path, std::string option, NamedFiles* known = nullptr);
  ~PendingFile();
  PendingFile(PendingFile&&) noexcept;
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;
  PendingFile& operator=(PendingFile&&) = delete;

  /// \throws Unwritable  the disk is full
  void write(std::string_view text);
  /// \throws Unwritable  the device is full
  /// \throws Stopped     while waiting for the reader of a pipe, or it has gone
  void commit();

  /// Whether the target is a device or a pipe, so that commit() may have to wait for its other end.
  [[nodiscard]] bool is_special() const { return special_; }

 private:
  /// Creates a new file for the text next to the target.
  void make_temporary();
  void remove_temporary();
  /// It has its final name, or is gone.
  void forget_temporary();
  [[noreturn]] void reject(int reason) const;

  std::string path_, option_, temporary_;
  int temporary_descriptor_ = -1;  ///< open as long as the file is ours, and locked
  bool special_ = false;
  std::optional<int> descriptor_;  ///< that the target refers to
  std::stop_token stop_{};
  std::string text_;  ///< for a special target
};

/// Writes the whole text to a descriptor. Returns 0, or errno.
/// \param stop  when requested, writing to a pipe that is not read ends after a second without progress:
///              ECANCELED
[[nodiscard]] int write_all(int descriptor, std::string_view text, const std::stop_token& stop = {});

/// \param output  that was not written, as the user names it: "--output answer.txt"
/// \param reader  the same if it is a pipe: "answer.txt"
/// \param reason  of write_all(), or errno; 0: unknown
/// \throws Stopped     nothing has read from it until a stop, or its reader has gone
/// \throws Unwritable  any other reason
[[noreturn]] void reject_output(const std::string& output, const std::string& reader, int reason);

}  // namespace tailbound::files
