#pragma once

#include <array>
#include <string>

/// Completion scripts of shells, made from the commands and their options.
///
/// A script holds all names that it offers and does not start the program: it answers at once, even if the
/// program is missing or runs elsewhere.
///
/// TESTS     tests/shells/check, tests/shells/type
namespace tailbound::cli {

enum class Shell { bash, zsh, fish };
[[nodiscard]] constexpr auto names_of(Shell) {
  return std::array{"bash", "zsh", "fish"};
}

[[nodiscard]] std::string completion_script(Shell shell);

}  // namespace tailbound::cli
