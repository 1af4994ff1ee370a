#pragma once

#include <tailbound/files/pending_file.hpp>

/// The files of the command line that is being carried out, of which there is one at a time in a process.
namespace tailbound::cli {

/// A command line begins: no file has been named.
/// \param stop  ends the reading of a pipe
void begin_files(std::stop_token stop);
[[nodiscard]] files::NamedFiles& named_files();

/// named_files().read()
[[nodiscard]] std::string read_file(const std::string& path, std::string_view argument,
                                    std::size_t limit = files::largest_file);
/// A file to be written, known to named_files().
[[nodiscard]] files::PendingFile pending_file(const std::string& path, const std::string& option);

}  // namespace tailbound::cli
