#pragma once

#include <cli/command.hpp>

#include <vector>

/// `validate`: analysis and simulation side by side.
namespace tailbound::cli {

std::vector<Command> add_validate_commands(CLI::App& program);

// --- each in a file of its own, or with the simulation that it compares with

[[nodiscard]] Command add_validate_delay(CLI::App& validate);
[[nodiscard]] Command add_validate_buffer(CLI::App& validate);

}  // namespace tailbound::cli
