#pragma once

#include <cli/command.hpp>

#include <vector>

/// All the commands, each in the file of its name: buffer_command.cpp, simulate_tree.cpp, validate_delay.cpp.
/// Each function adds the subcommand, its options and its footer, an example with its real output.
namespace tailbound::cli {

/// How many packets must one output queue hold?
[[nodiscard]] Command add_buffer_command(CLI::App& program);
/// The distribution of the packets in one output queue.
[[nodiscard]] Command add_occupancy_command(CLI::App& program);
/// How long do packets take through a tree or any network, and what must its buffers hold?
[[nodiscard]] Command add_delay_command(CLI::App& program);
/// The generating functions of a queue as formulas.
[[nodiscard]] Command add_pgf_command(CLI::App& program);
/// How many digits of another program's coefficients are right, and up to where?
[[nodiscard]] Command add_compare_command(CLI::App& program);
/// Latency and saturation of a wormhole network.
[[nodiscard]] Command add_wormhole_command(CLI::App& program);
/// Unicast and broadcast latency of a wormhole hypercube with virtual channels.
[[nodiscard]] Command add_broadcast_command(CLI::App& program);
/// Throughput and delay of a combining multistage network under a hot spot.
[[nodiscard]] Command add_multistage_command(CLI::App& program);
/// The papers' figures, computed again. Unlike the others this one writes its files itself, into the folder
/// --output: each picture and table as soon as it is complete, so that a failure later leaves the earlier ones.
[[nodiscard]] Command add_reproduce_command(CLI::App& program);
/// What a command may write, as a JSON Schema or as a list of keys.
[[nodiscard]] Command add_schema_command(CLI::App& program);

/// `simulate`: the same by simulation.
[[nodiscard]] std::vector<Command> add_simulate_commands(CLI::App& program);
[[nodiscard]] Command add_simulate_tree(CLI::App& simulate);
[[nodiscard]] Command add_simulate_switch(CLI::App& simulate);
[[nodiscard]] Command add_simulate_multistage(CLI::App& simulate);
[[nodiscard]] Command add_simulate_wormhole(CLI::App& simulate);
[[nodiscard]] Command add_simulate_hypercube(CLI::App& simulate);

/// `validate`: analysis and simulation side by side.
[[nodiscard]] std::vector<Command> add_validate_commands(CLI::App& program);
[[nodiscard]] Command add_validate_delay(CLI::App& validate);
[[nodiscard]] Command add_validate_buffer(CLI::App& validate);
[[nodiscard]] Command add_validate_switch(CLI::App& validate);
[[nodiscard]] Command add_validate_multistage(CLI::App& validate);
[[nodiscard]] Command add_validate_wormhole(CLI::App& validate);
[[nodiscard]] Command add_validate_broadcast(CLI::App& validate);

}  // namespace tailbound::cli
