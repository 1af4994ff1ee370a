#pragma once

#include <cli/command.hpp>

/// tailbound compare FILE: how many digits of another program's coefficients are right, and up to where.
namespace tailbound::cli {

[[nodiscard]] Command add_compare_command(CLI::App& program);

}  // namespace tailbound::cli
