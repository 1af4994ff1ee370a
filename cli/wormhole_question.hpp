#pragma once

#include <cli/loads.hpp>
#include <cli/option_table.hpp>
#include <cli/topology_options.hpp>
#include <cli/worm_ends_options.hpp>
#include <tailbound/answers/wormhole.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What a command on wormhole networks asks: its options, read into the question.
namespace tailbound::cli {

/// As typed; an option that was not given is empty.
struct WormholeOptions {
  std::optional<std::string> topology, nodes, dimensions, flits, loads, fractions, variant, virtual_channels;
  WormEndsOptions ends;
  TopologyOptions place;  ///< --network, --matrix and --route
};

/// --topology --nodes --dimensions --variant --virtual-channels --injection --ejection, --network --matrix --route,
/// --flits --loads --fractions.
/// `options` must outlive the parse.
void add_wormhole_options(OptionTable& table, WormholeOptions& options);

/// --topology --nodes --dimensions --variant --injection --ejection, or --network --matrix --route: reads the files too. One network for
/// each combination of entries, the last changing fastest; "12x12" is a size too.
/// \throws InvalidArgument, ParseError, LimitExceeded
[[nodiscard]] std::vector<answers::WormholeNetwork> read_wormhole_networks(const WormholeOptions& options);
/// --virtual-channels: the usual number unless told.  \throws InvalidArgument
[[nodiscard]] std::vector<std::optional<int>> read_virtual_channels(const WormholeOptions& options);
/// Lengths of a list.  \throws InvalidArgument
[[nodiscard]] std::vector<std::int64_t> read_lengths(const WormholeOptions& options);
/// --loads or --fractions.  \throws InvalidArgument
[[nodiscard]] OfferedLoads read_loads(const WormholeOptions& options,
                                      Fractions legal = Fractions::below_saturation);

}  // namespace tailbound::cli
