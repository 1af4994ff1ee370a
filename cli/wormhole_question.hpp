#pragma once

#include <CLI/App.hpp>
#include <cli/formats.hpp>
#include <cli/offered_loads.hpp>
#include <cli/place_options.hpp>
#include <tailbound/network/butterfly_fat_tree.hpp>
#include <tailbound/network/channel_graph.hpp>
#include <tailbound/network/worm_network_file.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

/// What a command on wormhole networks asks.
namespace tailbound::cli {

/// As typed; an option that was not given is empty.
struct WormholeOptions {
  std::optional<std::string> topology, nodes, dimensions, flits, loads, fractions, variant;
  PlaceOptions place;  ///< --network, --matrix and --route
};

/// --topology --nodes --dimensions --variant, --network --matrix --route, --flits --loads --fractions.
/// `options` must outlive the parse.
void add_wormhole_options(CLI::App& command, WormholeOptions& options);

enum class WormholeTopology { butterfly_fat_tree, mesh, torus, bidirectional_torus, hypercube, own };

/// The options as understood.
struct WormholeQuestion {
  WormholeTopology topology = WormholeTopology::mesh;
  std::int64_t nodes = 0, flits = 0;
  int dimensions = 0;                                     ///< levels of the fat-tree; 0 of an own network
  std::shared_ptr<const network::RoutedWormNetwork> own;  ///< of --network; otherwise none
  PlaceOptions place;                                     ///< as typed
  network::FatTreeVariant variant = network::FatTreeVariant::paper;
  OfferedLoads offered;  ///< flits/cycle/node, or fractions below 1
};

/// Reads the file of --network too.  \throws InvalidArgument, ParseError, LimitExceeded
[[nodiscard]] WormholeQuestion read_wormhole(const WormholeOptions& options);

/// All but the loads.  \throws LimitExceeded
[[nodiscard]] network::ChannelGraph channel_graph(const WormholeQuestion& question);

/// Channel by channel. \param virtual_channels  --virtual-channels as typed; empty: the usual number
/// \throws InvalidArgument
[[nodiscard]] std::shared_ptr<const network::WormNetwork> worm_network(
    const WormholeQuestion& question, const std::optional<std::string>& virtual_channels);

/// Of each link where --virtual-channels does not say otherwise; nothing of --network.
[[nodiscard]] std::optional<int> usual_virtual_channels(const WormholeQuestion& question);

[[nodiscard]] Json inputs_json(const WormholeQuestion& question);

}  // namespace tailbound::cli
