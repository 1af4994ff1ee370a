#pragma once

#include <cli/commands.hpp>

#include <string>

/// Manual pages, of man(7): the help in another form.
///
/// TESTS     tests/shells/check
namespace tailbound::cli {

/// tailbound(1): all commands.
[[nodiscard]] std::string program_manual();
/// tailbound-buffer(1).
/// \param command  with its common options
[[nodiscard]] std::string command_manual(const Command& command);

}  // namespace tailbound::cli
