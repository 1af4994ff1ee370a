#pragma once

#include <string>
#include <string_view>

/// The files that one command line names: none is read under one name and overwritten under another.
namespace tailbound::cli::named_files {

/// A command line begins: nothing has been named.
void begin();

/// \param argument  the option: "--network"
/// \throws InvalidArgument  the file is written by another option; both are named
void reads(const std::string& path, std::string_view argument);
/// A checkpoint may be written where one was resumed from.
/// \throws InvalidArgument  the file is read, or written, by another option; both are named
void writes(const std::string& path, std::string_view option);

}  // namespace tailbound::cli::named_files
