#pragma once

#include <cli/command.hpp>

/// The generating functions of a queue as formulas. The command `tailbound pgf`.
namespace tailbound::cli {

[[nodiscard]] Command add_pgf_command(CLI::App& program);

}  // namespace tailbound::cli
