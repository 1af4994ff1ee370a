#pragma once

#include <cli/command.hpp>

/// How many packets must one output queue hold? The command `tailbound buffer`.
namespace tailbound::cli {

[[nodiscard]] Command add_buffer_command(CLI::App& program);

}  // namespace tailbound::cli
