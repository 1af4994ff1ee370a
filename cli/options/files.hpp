#pragma once

#include <cli/command.hpp>
#include <tailbound/files/pending_file.hpp>

/// The files of the current command line; a process executes one at a time.
namespace tailbound::cli {

/// Starts a command line, with no files named yet.
/// \param stop  ends the reading of a pipe
void begin_files(std::stop_token stop);
[[nodiscard]] files::NamedFiles& named_files();

/// named_files().read()
[[nodiscard]] std::string read_file(const std::string& path, std::string_view argument,
                                    std::size_t limit = files::largest_file);
/// An output file, known to named_files().
[[nodiscard]] files::PendingFile pending_file(const std::string& path, const std::string& option);

/// Puts a further file of an answer in its place. If it cannot be written, the reply is shown and says so.
void write_with(Reply& reply, files::PendingFile& file, const std::string& text);

}  // namespace tailbound::cli
