#pragma once

#include <cli/command.hpp>

namespace tailbound::cli {

/// `tailbound wormhole`: latency and saturation of a wormhole network.
Command add_wormhole_command(CLI::App& program);

}  // namespace tailbound::cli
