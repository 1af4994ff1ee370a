#pragma once

#include <cli/command.hpp>

#include <vector>

namespace tailbound::cli {

/// `tailbound simulate tree`: what the analysis computes, by simulation.
std::vector<Command> add_simulate_commands(CLI::App& program);

}  // namespace tailbound::cli
