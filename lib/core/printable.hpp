#pragma once

#include <string>
#include <string_view>

/// Text that may come from anywhere, file names among them, as terminals and files may show it.
namespace tailbound {

enum class LineEnds { kept, shown };

/// Characters that do something rather than show something (controls but line ends and tabs, and the marks that turn the
/// direction of what follows) as "\u001b", which is also what JSON and TOML read as that character; bytes that are no UTF-8
/// as U+FFFD.
[[nodiscard]] std::string printable(std::string_view text, LineEnds ends = LineEnds::kept);

}  // namespace tailbound
