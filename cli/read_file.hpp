#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Files that the user names.
namespace tailbound::cli {

/// Unless something else is said, no file of the user's may be larger [bytes].
inline constexpr std::size_t largest_file = std::size_t{64} << 20;

/// The whole content of `path`. Pipes and devices are read to their end, or to the limit.
/// \param argument  name used in the error ("--pmf")
/// \param limit     [bytes]
/// \throws InvalidArgument  no such file, a folder, not readable, or larger than the limit; the value in the
///                          message is the path
[[nodiscard]] std::string read_file(const std::string& path, std::string_view argument,
                                    std::size_t limit = largest_file);

}  // namespace tailbound::cli
