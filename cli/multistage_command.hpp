#pragma once

#include <cli/command.hpp>

namespace tailbound::cli {

/// `tailbound multistage`: throughput and delay of a combining multistage network under a hot spot.
Command add_multistage_command(CLI::App& program);

}  // namespace tailbound::cli
