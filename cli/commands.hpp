#pragma once

#include <cli/command.hpp>

#include <string>
#include <string_view>
#include <vector>

/// All the commands, each in the file of its name: buffer_command.cpp, simulate_tree.cpp, validate_delay.cpp.
namespace tailbound::cli {

/// How many packets must one output queue hold?
[[nodiscard]] Command buffer_command();
/// The distribution of the packets in one output queue.
[[nodiscard]] Command occupancy_command();
/// How long do packets take through a tree or any network, and what must its buffers hold?
[[nodiscard]] Command delay_command();
/// The generating functions of a queue as formulas.
[[nodiscard]] Command pgf_command();
/// How many digits of another program's coefficients are right, and up to where?
[[nodiscard]] Command compare_command();
/// Latency and saturation of a wormhole network.
[[nodiscard]] Command wormhole_command();
/// Unicast and broadcast latency of a wormhole hypercube with virtual channels.
[[nodiscard]] Command broadcast_command();
/// Throughput and delay of a combining multistage network under a hot spot.
[[nodiscard]] Command multistage_command();
/// The papers' figures, computed again. Unlike the others this one writes its files itself, into the folder
/// --output: each picture and table as soon as it is complete, so that a failure later leaves the earlier ones.
[[nodiscard]] Command reproduce_command();
/// The usual networks as files for --network.
[[nodiscard]] Command network_command();
/// Many points of any question, kept in a store.
[[nodiscard]] Command sweep_command();
/// The answer to a question that was cut into parts.
[[nodiscard]] Command merge_command();
/// The others as forms and pages in a browser.
[[nodiscard]] Command serve_command();
/// What a command may write, as a JSON Schema or as a list of keys.
[[nodiscard]] Command schema_command();

/// The same by simulation.
[[nodiscard]] Command simulate_tree_command();
[[nodiscard]] Command simulate_switch_command();
[[nodiscard]] Command simulate_multistage_command();
[[nodiscard]] Command simulate_wormhole_command();
[[nodiscard]] Command simulate_hypercube_command();

/// Analysis and simulation side by side.
[[nodiscard]] Command validate_delay_command();
[[nodiscard]] Command validate_buffer_command();
[[nodiscard]] Command validate_switch_command();
[[nodiscard]] Command validate_multistage_command();
[[nodiscard]] Command validate_wormhole_command();
[[nodiscard]] Command validate_broadcast_command();

/// What stands first on the command line: a command, or several under one word.
struct Room {
  std::string_view name;
  std::vector<Command (*)()> commands;
  const char* purpose = "";  ///< of several under one word, for the help
  const char* footer = "";
};
[[nodiscard]] const std::vector<Room>& rooms();

}  // namespace tailbound::cli
