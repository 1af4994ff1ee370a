#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

/// The files named on one command line: none is read under one name and overwritten under another, and each
/// pipe is read once.
///
/// TESTS     tests/golden/files_test.cpp
namespace tailbound::files {

/// The target of symbolic links, even if it does not exist yet.
[[nodiscard]] std::string behind_links(std::string path);

/// Default size limit of a user's file [bytes].
inline constexpr std::size_t largest_file = std::size_t{64} << 20;

/// CONTRACT  may be used by several threads.
class NamedFiles {
 public:
  /// \param stop  ends the reading of a pipe
  explicit NamedFiles(std::stop_token stop = {});

  /// The whole content of `path`; "-" is standard input. Pipes and devices are read once, to their end or to
  /// the limit; later reads return the same content.
  /// \param argument  name used in the error ("--pmf")
  /// \param limit     [bytes]
  /// \throws InvalidArgument  no such file, a folder, not readable, larger than the limit, written by another
  ///                          option, or a pipe that another option has read; the value in the message is the
  ///                          path
  /// \throws Stopped          while a pipe was waited for
  [[nodiscard]] std::string read(const std::string& path, std::string_view argument,
                                 std::size_t limit = largest_file);

  /// The same in pieces as they are read. The whole file is never in memory, except for pipes and remembered
  /// files.
  void read_pieces(const std::string& path, std::string_view argument, std::size_t limit,
                   const std::function<void(std::string_view bytes)>& take);

  /// From now on files that are read are remembered, except checkpoints (--resume).
  void remember();
  /// What has been read: path and content.
  [[nodiscard]] std::map<std::string, std::string> remembered();
  /// Supplies content to be read instead of the file at `path`.
  void give(const std::string& path, std::string content);
  /// From now on this process reads only files supplied by give() and writes none: it works for a user who
  /// must not access its files.
  static void confine();

  /// The first bytes of a file, all if it is shorter; nothing if it cannot be read.
  [[nodiscard]] std::string head(const std::string& path, std::size_t bytes) const;

  /// Declares that the file will be written. A checkpoint may overwrite the one it resumed from.
  /// \throws InvalidArgument  the file is read, or written, by another option; both are named
  void writes(const std::string& path, std::string_view option);

  /// Declares that the file is kept and extended, like a database. No other option may read or write it.
  /// \throws as writes()
  void keeps(const std::string& path, std::string_view option);

  /// Of all files named so far, as they were named.
  [[nodiscard]] std::vector<std::string> paths();

  /// Ends waits for the other end of a pipe.
  [[nodiscard]] const std::stop_token& stop() const { return stop_; }

 private:
  enum class Access { read, written, kept };
  struct Use {
    std::string path, argument;
    Access access;

    friend bool operator==(const Use&, const Use&) = default;
  };
  /// Content of a pipe or device, which can be read only once, and the option that read it.
  struct Piped {
    std::string argument, content;
  };

  [[noreturn]] static void reject(const Use& use, const Use& other);
  void add(const std::string& path, std::string_view argument, Access access);

  std::stop_token stop_;
  std::mutex lock_;
  std::vector<Use> uses_;
  std::map<std::string, Piped> piped_;
  bool remembers_ = false;
  std::map<std::string, std::string> remembered_, given_;
};

}  // namespace tailbound::files
