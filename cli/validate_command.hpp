#pragma once

#include <cli/command.hpp>

#include <vector>

namespace tailbound::cli {

/// `tailbound validate delay` and `tailbound validate buffer`: analysis and simulation side by side.
std::vector<Command> add_validate_commands(CLI::App& program);

}  // namespace tailbound::cli
