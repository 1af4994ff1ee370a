#pragma once

#include <cli/command.hpp>

/// How long do packets take through a tree or any network, and what must its buffers hold? The command
/// `tailbound delay`.
namespace tailbound::cli {

[[nodiscard]] Command add_delay_command(CLI::App& program);

}  // namespace tailbound::cli
