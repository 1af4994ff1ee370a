#pragma once

#include <cli/command.hpp>

/// The distribution of the packets in one output queue. The command `tailbound occupancy`.
namespace tailbound::cli {

[[nodiscard]] Command add_occupancy_command(CLI::App& program);

}  // namespace tailbound::cli
