#pragma once

#include <cli/command.hpp>

namespace tailbound::cli {

/// `tailbound broadcast`: unicast and broadcast latency of a wormhole hypercube with virtual channels.
Command add_broadcast_command(CLI::App& program);

}  // namespace tailbound::cli
