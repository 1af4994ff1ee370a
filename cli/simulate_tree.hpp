#pragma once

#include <cli/burst_options.hpp>
#include <cli/commands.hpp>
#include <cli/simulation_options.hpp>
#include <cli/topology_options.hpp>
#include <cli/unit_options.hpp>
#include <tailbound/answers/topology.hpp>

#include <optional>
#include <string>
#include <vector>

/// `simulate tree`: a tree or any network, simulated slot by slot.
namespace tailbound::cli {

/// As typed; an option that was not given is empty.
struct TreeSimulationOptions {
  TopologyOptions topology;
  BurstOptions burst;
  SimulationOptions run;
  UnitOptions units;
  std::optional<std::string> buffer, occupancy, ccdf, percentiles, reorder_levels, rare, hop, hop_ns;
  bool reorder = false;
};

/// The trees, or the networks, as the simulators take them.
/// \param overload  of networks, with buffers of limited room
/// \throws InvalidArgument, ParseError  also for a load outside ]0, 1], bursts that the simulators do not take
///                                      and options of bursts together with --network
[[nodiscard]] std::vector<answers::Topology> read_topologies_to_simulate(
    const TopologyOptions& options, const BurstOptions& bursts,
    answers::Overload overload = answers::Overload::refused);

/// `simulate tree --rare`: probabilities that plain simulation does not reach. Hop 1 under random-root routing
/// by importance sampling of its queue, any other by splitting.
/// \throws InvalidArgument  options that do not go with --rare;  others as the simulations
[[nodiscard]] Reply answer_rare(const TreeSimulationOptions& options, const Context& context);

}  // namespace tailbound::cli
