#pragma once

#include <string>
#include <string_view>

/// Untrusted text, such as file names, made safe for terminals and files.
namespace tailbound {

enum class LineEnds { kept, shown };

/// Control characters (except line ends and tabs) and bidirectional marks become escapes such as "\u001b",
/// which JSON and TOML read as that character. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string printable(std::string_view text, LineEnds ends = LineEnds::kept);

}  // namespace tailbound
