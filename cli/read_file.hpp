#pragma once

#include <cstddef>
#include <stop_token>
#include <string>
#include <string_view>

/// Files that the user names.
namespace tailbound::cli {

/// Unless something else is said, no file of the user's may be larger [bytes].
inline constexpr std::size_t largest_file = std::size_t{64} << 20;

/// The whole content of `path`; "-" is standard input. Pipes and devices are read to their end, or to the
/// limit, once: asked for again, their content is the same.
/// \param argument  name used in the error ("--pmf")
/// \param limit     [bytes]
/// \throws InvalidArgument  no such file, a folder, not readable, larger than the limit, written by another
///                          option, or a pipe that another option has read; the value in the message is the path
/// \throws Stopped          while a pipe was waited for
[[nodiscard]] std::string read_file(const std::string& path, std::string_view argument,
                                    std::size_t limit = largest_file);

/// The first bytes of a file, all if it is shorter; nothing if it cannot be read.
[[nodiscard]] std::string read_head(const std::string& path, std::size_t bytes);

/// A command line begins: what was read from pipes is forgotten, and a stop ends the reading of a pipe.
void begin_reading(std::stop_token stop);

}  // namespace tailbound::cli
