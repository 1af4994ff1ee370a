#pragma once

#include <cli/command.hpp>

namespace tailbound::cli {

/// `schema`: what a command may write, as a JSON Schema or as a list of keys.
[[nodiscard]] Command add_schema_command(CLI::App& program);

}  // namespace tailbound::cli
